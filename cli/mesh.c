// SPDX-License-Identifier: MIT
// mesh.c - `sudar mesh FILE`: is this mesh fit to simulate, and what is it like?
//
// In:   a mesh file.
// Out:  a report, mass, hull, bounding volumes, field; repaired meshes and convex parts as files.
//       The exit code is 0 for a solid, which can be simulated as it is, and 3 for what is not.

#include "cli.h"

#include "mesh_file.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_SIZE 4096

typedef struct MeshOptions {
    double scale, density, weld;
    int resolution, parts;
    bool repair, decompose, field, asJson;
    const char* out;
} MeshOptions;

/// All that is found out; what could not be is marked by its flag.
typedef struct MeshFacts {
    const char* path;
    sdMesh* mesh;
    sdMeshReport report;
    sdMassProps mass;
    sdVec3 moments;
    bool hasMass, hasHull, hasField;
    sdHull* hull;
    int hullVertices, hullFaces;
    sdMassProps hullMass; ///< of density 1: mass is volume
    sdAABB box;
    sdOBB obb;
    sdBall ball;
    sdKdop kdop;
    sdConcave* concave;
    sdCompound* parts;
    float concavity;
} MeshFacts;

static void logNothing(void* user, sdLogLevel level, const char* text) {
    (void)user;
    (void)level;
    (void)text;
}

/// The report says it all; the library need not.
static sdContext quietContext(void) {
    sdContext context = sdContext_Default();
    context.logger = (sdLogger){.log = logNothing};
    return context;
}

static bool parse(int argc, char** argv, MeshOptions* o, const char** path, CliExit* code) {
    const CliOption options[] = {
        {"--repair", "", "join vertices, drop what is degenerate or double, orient", CLI_FLAG,
         &o->repair, 0, 0},
        {"--weld", "M", "join vertices up to so far apart (0), with --repair", CLI_NUMBER, &o->weld,
         0, 1e6},
        {"--scale", "N", "metres of one unit of the file (1)", CLI_NUMBER, &o->scale, 1e-9, 1e9},
        {"--density", "N", "kg/m3 (1000)", CLI_NUMBER, &o->density, 1e-6, 1e9},
        {"--decompose", "", "cut it into convex parts", CLI_FLAG, &o->decompose, 0, 0},
        {"--parts", "N", "at most so many (32)", CLI_INT, &o->parts, 1, SD_DECOMPOSE_MAX_PARTS},
        {"--field", "", "build its distance field, as dynamic bodies have it", CLI_FLAG, &o->field,
         0, 0},
        {"--resolution", "N", "cells along its longest side (chosen from the mesh)", CLI_INT,
         &o->resolution, SD_FIELD_MIN_RESOLUTION, SD_FIELD_MAX_RESOLUTION},
        {"--out", "FILE", "write the mesh, or its parts: .obj .stl .ply .off; a field: .sdf",
         CLI_TEXT, &o->out, 0, 0},
        {"--json", "", "one JSON object instead of words", CLI_FLAG, &o->asJson, 0, 0},
    };
    const CliSyntax syntax = {
        .command = "mesh",
        .argument = "FILE",
        .summary = "Look at a mesh (OBJ, STL, PLY, OFF, glTF, GLB, DAE): faults, mass, hull, "
                   "bounding volumes,\nfield. The exit code is 0 if it is a solid and can be "
                   "simulated, 3 if it is not.",
        .notes = "Vertices at the same place are always joined, for formats without indices.\n\n"
                 "for example:\n  sudar mesh part.stl --scale 0.001 --repair --out part.obj\n"
                 "  sudar mesh chair.glb --decompose --out parts.obj",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    return Cli_Parse(&syntax, argc, argv, path, code);
}

// ---- finding out ---------------------------------------------------------------------------

static CliExit readMesh(MeshFacts* f, const MeshOptions* o) {
    CliMeshFile file;
    char reason[512] = "";
    if (!CliMeshFile_Read(f->path, (float)o->scale, &file, reason, sizeof reason)) {
        // a reason that begins with a line follows the name as compilers have it
        bool hasLine = reason[0] >= '0' && reason[0] <= '9';
        return Cli_Fail(CLI_FAILED, "mesh", "%s:%s%s", f->path, hasLine ? "" : " ", reason);
    }
    sdContext quiet = quietContext();
    sdMeshDef def = sdMeshDef_Default();
    def.data = (sdMeshData){file.vertices, file.vertexCount, file.triangles, file.triangleCount};
    def.repairs = o->repair ? SD_MESH_REPAIR_ALL : SD_MESH_WELD;
    def.weldDistance = o->repair ? (float)o->weld : 0.0f;
    sdResult result = sdMesh_Create(&quiet, &def, &f->mesh);
    CliMeshFile_Free(&file);
    if (result != SD_OK) {
        return Cli_Fail(CLI_FAILED, "mesh", "%s: no triangle of it has an area", f->path);
    }
    f->report = *sdMesh_GetReport(f->mesh);
    sdMeshReport looked;
    sdMeshData data = sdMesh_GetData(f->mesh);
    if (sdMesh_Inspect(&quiet, &data, true, &looked) == SD_OK) {
        f->report.selfIntersectionCount = looked.selfIntersectionCount;
        memcpy(f->report.firstIntersection, looked.firstIntersection,
               sizeof f->report.firstIntersection);
    }
    return CLI_OK;
}

static void measure(MeshFacts* f, const MeshOptions* o) {
    sdContext quiet = quietContext();
    sdMeshData data = sdMesh_GetData(f->mesh);
    const sdVec3* points = data.vertices;
    int count = data.vertexCount;
    if (f->report.isSolid && sdMesh_GetMass(f->mesh, (float)o->density, &f->mass) == SD_OK) {
        f->hasMass = true;
        sdMassProps_PrincipalFrame(f->mass, &f->moments);
    }
    sdHullDef def = sdHullDef_Default();
    def.points = points;
    def.pointCount = count;
    f->hasHull = sdHull_Create(&quiet, &def, &f->hull) == SD_OK;
    if (f->hasHull) {
        sdHull_GetVertices(f->hull, &f->hullVertices);
        sdHull_GetPlanes(f->hull, &f->hullFaces);
        sdHull_GetMass(f->hull, 1.0f, &f->hullMass);
    }
    f->box = sdMesh_GetBounds(f->mesh);
    sdOBB_FitSmallest(&quiet, points, count, &f->obb);
    sdBall_FitSmallest(&quiet, points, count, &f->ball);
    sdKdop_Fit(SD_KDOP_18, points, count, &f->kdop);
}

static CliExit makeField(MeshFacts* f, const MeshOptions* o) {
    sdContext quiet = quietContext();
    sdConcaveDef def = sdConcaveDef_Default();
    def.field.resolution = o->resolution;
    sdResult result = sdConcave_Create(&quiet, f->mesh, &def, &f->concave);
    if (result != SD_OK) {
        return Cli_Fail(CLI_FAILED, "mesh", "%s: no field: %s", f->path, sdResult_Text(result));
    }
    f->hasField = sdConcave_GetField(f->concave) != NULL;
    return CLI_OK;
}

static CliExit decompose(MeshFacts* f, const MeshOptions* o) {
    sdContext quiet = quietContext();
    sdDecomposeDef def = sdDecomposeDef_Default();
    def.maxPartCount = o->parts > 0 ? o->parts : def.maxPartCount;
    sdResult result = sdMesh_Decompose(&quiet, f->mesh, &def, &f->parts, &f->concavity);
    return result == SD_OK ? CLI_OK
                           : Cli_Fail(CLI_NOT_SO, "mesh", "%s: no convex parts: %s", f->path,
                                      sdResult_Text(result));
}

// ---- words ---------------------------------------------------------------------------------

static double volumeOfBox(sdAABB box) {
    sdVec3 d = sdSub(box.upper, box.lower);
    return (double)d.x * (double)d.y * (double)d.z;
}

static int countParts(const MeshFacts* f) {
    int count = 0;
    if (f->parts != NULL) {
        sdCompound_GetChildren(f->parts, &count);
    }
    return count;
}

static void printText(const MeshFacts* f) {
    const sdMeshReport* r = &f->report;
    char text[REPORT_SIZE];
    sdMeshReport_Describe(r, text, (int)sizeof text);
    printf("%s: %s%s%s\n", f->path, Cli_Color(stdout, r->isSolid ? CLI_GREEN : CLI_RED),
           r->isSolid ? "a solid, fit to simulate" : "not a solid", Cli_Color(stdout, CLI_PLAIN));
    printf("%s%s", text, text[0] != '\0' && text[strlen(text) - 1] != '\n' ? "\n" : "");
    if (f->hasMass) {
        sdVec3 c = f->mass.center;
        printf("mass      %.6g kg, centre (%.6g, %.6g, %.6g), moments %.6g, %.6g, %.6g kg m2\n",
               (double)f->mass.mass, (double)c.x, (double)c.y, (double)c.z, (double)f->moments.x,
               (double)f->moments.y, (double)f->moments.z);
    }
    if (r->genus >= 0) {
        printf("handles   %d\n", r->genus);
    }
    if (f->hasHull) {
        printf("hull      %d vertices, %d faces, %.6g m3\n", f->hullVertices, f->hullFaces,
               (double)f->hullMass.mass);
    } else {
        printf("hull      none: it is flat\n");
    }
    sdVec3 d = sdSub(f->box.upper, f->box.lower);
    printf("box       %.6g x %.6g x %.6g m, %.6g m3\n", (double)d.x, (double)d.y, (double)d.z,
           volumeOfBox(f->box));
    sdVec3 h = f->obb.halfExtents;
    printf("least box %.6g x %.6g x %.6g m, %.6g m3\n", 2.0 * (double)h.x, 2.0 * (double)h.y,
           2.0 * (double)h.z, (double)sdOBB_Volume(&f->obb));
    printf("ball      radius %.6g m, %.6g m3\n18-dop    %.6g m3\n", (double)f->ball.radius,
           (double)sdBall_Volume(f->ball), (double)sdKdop_Volume(&f->kdop));
    if (f->concave != NULL) {
        sdConcaveInfo info = sdConcave_GetInfo(f->concave);
        printf("field     %s; thinnest walls %.4g m, %zu KB\n", info.reason, (double)info.wall,
               info.byteCount / 1024);
    }
    if (f->parts != NULL) {
        printf("parts     %d convex ones, which bulge by %.3g %% of its diagonal at most\n",
               countParts(f), 100.0 * (double)f->concavity);
    }
}

static void printJsonVector(const char* key, sdVec3 v) {
    printf(", \"%s\": [%.9g, %.9g, %.9g]", key, (double)v.x, (double)v.y, (double)v.z);
}

static void printJson(const MeshFacts* f) {
    const sdMeshReport* r = &f->report;
    printf("{\"file\": ");
    CliJson_Text(stdout, f->path);
    printf(", \"isSolid\": %s, \"isClosed\": %s, \"isManifold\": %s, \"isOriented\": %s",
           r->isSolid ? "true" : "false", r->isClosed ? "true" : "false",
           r->isManifold ? "true" : "false", r->isOriented ? "true" : "false");
    printf(
        ", \"vertices\": %d, \"triangles\": %d, \"edges\": %d, \"components\": %d, \"genus\": %d",
        r->vertexCount, r->triangleCount, r->edgeCount, r->componentCount, r->genus);
    printf(", \"boundaryEdges\": %d, \"nonManifoldEdges\": %d, \"nonManifoldVertices\": %d, "
           "\"misorientedEdges\": %d, \"degenerateTriangles\": %d, \"duplicateTriangles\": %d, "
           "\"selfIntersections\": %d, \"invertedComponents\": %d",
           r->boundaryEdgeCount, r->nonManifoldEdgeCount, r->nonManifoldVertexCount,
           r->misorientedEdgeCount, r->degenerateTriangleCount, r->duplicateTriangleCount,
           r->selfIntersectionCount, r->invertedComponentCount);
    printf(", \"repairs\": {\"welded\": %d, \"droppedVertices\": %d, \"droppedDegenerate\": %d, "
           "\"droppedDuplicate\": %d, \"flipped\": %d}",
           r->weldedVertexCount, r->droppedVertexCount, r->droppedDegenerateCount,
           r->droppedDuplicateCount, r->flippedTriangleCount);
    printf(", \"area\": %.9g, \"volume\": %.9g", r->area, r->volume);
    if (f->hasMass) {
        printf(", \"mass\": %.9g", (double)f->mass.mass);
        printJsonVector("center", f->mass.center);
        printJsonVector("moments", f->moments);
    }
    if (f->hasHull) {
        printf(", \"hull\": {\"vertices\": %d, \"faces\": %d, \"volume\": %.9g}", f->hullVertices,
               f->hullFaces, (double)f->hullMass.mass);
    }
    printJsonVector("lower", f->box.lower);
    printJsonVector("upper", f->box.upper);
    printf(", \"boxVolume\": %.9g, \"leastBoxVolume\": %.9g, \"ballRadius\": %.9g, "
           "\"dop18Volume\": %.9g",
           volumeOfBox(f->box), (double)sdOBB_Volume(&f->obb), (double)f->ball.radius,
           (double)sdKdop_Volume(&f->kdop));
    if (f->concave != NULL) {
        sdConcaveInfo info = sdConcave_GetInfo(f->concave);
        printf(", \"field\": {\"isField\": %s, \"wall\": %.9g, \"bytes\": %zu}",
               f->hasField ? "true" : "false", (double)info.wall, info.byteCount);
    }
    if (f->parts != NULL) {
        printf(", \"parts\": %d, \"concavity\": %.9g", countParts(f), (double)f->concavity);
    }
    printf("}\n");
}

// ---- files ---------------------------------------------------------------------------------

/// Faces of a hull as triangles.
static sdMeshData triangulate(const sdHull* hull, int32_t* triangles) {
    int vertices, edges, faces;
    sdMeshData data = {.vertices = sdHull_GetVertices(hull, &vertices), .triangles = triangles};
    const sdHalfEdge* edge = sdHull_GetEdges(hull, &edges);
    const int32_t* first = sdHull_GetFaceEdges(hull);
    sdHull_GetPlanes(hull, &faces);
    data.vertexCount = vertices;
    for (int i = 0; i < faces; ++i) {
        int e = edge[first[i]].next;
        for (; edge[e].next != first[i]; e = edge[e].next) {
            int32_t* t = &triangles[3 * data.triangleCount++];
            t[0] = edge[first[i]].origin;
            t[1] = edge[e].origin;
            t[2] = edge[edge[e].next].origin;
        }
    }
    return data;
}

static CliExit writeParts(const MeshFacts* f, const char* path) {
    int count;
    const sdCompoundChild* children = sdCompound_GetChildren(f->parts, &count);
    sdMeshData* parts = calloc((size_t)count, sizeof *parts);
    int32_t** lists = calloc((size_t)count, sizeof *lists);
    CliExit code = parts != NULL && lists != NULL
                       ? CLI_OK
                       : Cli_Fail(CLI_FAILED, "mesh", "there is no memory for the parts");
    for (int i = 0; i < count && code == CLI_OK; ++i) {
        int edges;
        sdHull_GetEdges(children[i].shape.hull, &edges);
        lists[i] = malloc((size_t)edges * 3 * sizeof *lists[i]);
        code = lists[i] != NULL ? CLI_OK
                                : Cli_Fail(CLI_FAILED, "mesh", "there is no memory for the parts");
        if (code == CLI_OK) {
            parts[i] = triangulate(children[i].shape.hull, lists[i]);
        }
    }
    code = code == CLI_OK ? CliMeshFile_Write("mesh", path, parts, count) : code;
    for (int i = 0; i < count && lists != NULL; ++i) {
        free(lists[i]);
    }
    free(lists);
    free(parts);
    return code;
}

static CliExit writeOut(const MeshFacts* f, const MeshOptions* o) {
    size_t length = strlen(o->out);
    if (length > 4 && strcmp(o->out + length - 4, ".sdf") == 0) {
        if (!f->hasField) {
            return Cli_Fail(CLI_USAGE, "mesh", "--out %s: there is no field; add --field", o->out);
        }
        sdContext quiet = quietContext();
        return sdField_Save(&quiet, sdConcave_GetField(f->concave), o->out) == SD_OK
                   ? CLI_OK
                   : Cli_Fail(CLI_FAILED, "mesh", "cannot write %s", o->out);
    }
    if (f->parts != NULL) {
        return writeParts(f, o->out);
    }
    sdMeshData data = sdMesh_GetData(f->mesh);
    return CliMeshFile_Write("mesh", o->out, &data, 1);
}

CliExit Cli_Mesh(int argc, char** argv) {
    MeshOptions o = {.scale = 1.0, .density = 1000.0};
    MeshFacts f = {.path = NULL};
    CliExit code;
    if (!parse(argc, argv, &o, &f.path, &code)) {
        return code;
    }
    if (f.path == NULL) {
        return Cli_Fail(CLI_USAGE, "mesh", "which file? See 'sudar mesh --help'");
    }
    code = readMesh(&f, &o);
    if (code == CLI_OK) {
        measure(&f, &o);
        code = o.field ? makeField(&f, &o) : CLI_OK;
    }
    if (code == CLI_OK && o.decompose) {
        code = decompose(&f, &o);
    }
    if (code == CLI_OK) {
        if (o.asJson) {
            printJson(&f);
        } else {
            printText(&f);
        }
        code = o.out != NULL ? writeOut(&f, &o) : CLI_OK;
    }
    if (code == CLI_OK && !f.report.isSolid) {
        code = CLI_NOT_SO;
    }
    sdCompound_Release(f.parts);
    sdConcave_Release(f.concave);
    sdHull_Release(f.hull);
    sdMesh_Release(f.mesh);
    return code;
}
