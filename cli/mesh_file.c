// SPDX-License-Identifier: MIT
// mesh_file.c - see mesh_file.h.
//
// Note: assimp reads OBJ leniently and does not say where a file is wrong, so such files are looked
//       through first, line by line. It joins vertices only where all else is equal, too: welding
//       is left to sdMesh_Create.

#include "mesh_file.h"

#include "file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#if defined(SD_ASSIMP)
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#endif

#define MAX_LINE 4096

bool CliMeshFile_IsAvailable(void) {
#if defined(SD_ASSIMP)
    return true;
#else
    return false;
#endif
}

void CliMeshFile_Free(CliMeshFile* file) {
    free(file->vertices);
    free(file->triangles);
    *file = (CliMeshFile){0};
}

static bool endsWith(const char* path, const char* ending) {
    size_t n = strlen(path), m = strlen(ending);
    if (n < m) {
        return false;
    }
    for (size_t i = 0; i < m; ++i) {
        char c = path[n - m + i];
        c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        if (c != ending[i]) {
            return false;
        }
    }
    return true;
}

// ---- OBJ, line by line ---------------------------------------------------------------------

/// @return NULL, or what is wrong with a vertex
static const char* checkVertex(const char* line) {
    for (int i = 0; i < 3; ++i) {
        char* end;
        double value = strtod(line, &end);
        if (end == line) {
            return "a vertex wants three numbers: v x y z";
        }
        if (!isfinite(value)) {
            return "a coordinate is not finite";
        }
        line = end;
    }
    return NULL;
}

/// @return NULL, or what is wrong with a face
static const char* checkFace(const char* line, long vertexCount) {
    int corners = 0;
    while (*(line += strspn(line, " \t\r\n")) != '\0' && *line != '#') {
        char* end;
        long index = strtol(line, &end, 10);
        if (end == line) {
            return "a face wants numbers of vertices: f 1 2 3";
        }
        if (index == 0 || index > vertexCount || index < -vertexCount) {
            return "a face uses a vertex that is not there (they are counted from 1)";
        }
        line = end + strcspn(end, " \t\r\n");
        ++corners;
    }
    return corners < 3 ? "a face wants three corners or more" : NULL;
}

static bool checkObj(FILE* file, char* reason, size_t size) {
    char line[MAX_LINE];
    long vertexCount = 0, faceCount = 0;
    const char* fault = NULL;
    int number = 0;
    while (fault == NULL && fgets(line, sizeof line, file) != NULL) {
        ++number;
        const char* start = line + strspn(line, " \t");
        if (strncmp(start, "v ", 2) == 0 || strncmp(start, "v\t", 2) == 0) {
            fault = checkVertex(start + 2);
            ++vertexCount;
        } else if (strncmp(start, "f ", 2) == 0 || strncmp(start, "f\t", 2) == 0) {
            fault = checkFace(start + 2, vertexCount);
            ++faceCount;
        }
    }
    if (fault != NULL) {
        snprintf(reason, size, "%d: %s", number, fault);
    } else if (faceCount == 0) {
        snprintf(reason, size, "it has no faces");
    }
    return fault == NULL && faceCount > 0;
}

// ---- reading -------------------------------------------------------------------------------

#if defined(SD_ASSIMP)

static bool isKnown(const char* path) {
    static const char* const endings[] = {".obj", ".stl", ".ply", ".off", ".gltf", ".glb", ".dae"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        if (endsWith(path, endings[i])) {
            return true;
        }
    }
    return false;
}

static bool copyScene(const struct aiScene* scene, float scale, CliMeshFile* out, char* reason,
                      size_t size) {
    size_t vertices = 0, triangles = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
        vertices += scene->mMeshes[m]->mNumVertices;
        triangles += scene->mMeshes[m]->mNumFaces;
    }
    if (triangles == 0 || vertices > SD_MESH_MAX_VERTICES || triangles > SD_MESH_MAX_TRIANGLES) {
        snprintf(reason, size,
                 triangles == 0 ? "it has no triangles" : "it has more than 100 million triangles");
        return false;
    }
    out->vertices = malloc(vertices * sizeof *out->vertices);
    out->triangles = malloc(triangles * 3 * sizeof *out->triangles);
    if (out->vertices == NULL || out->triangles == NULL) {
        snprintf(reason, size, "there is no memory for it");
        return false;
    }
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
        const struct aiMesh* mesh = scene->mMeshes[m];
        int base = out->vertexCount;
        for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
            struct aiVector3D p = mesh->mVertices[i];
            out->vertices[out->vertexCount++] = sdV3(scale * p.x, scale * p.y, scale * p.z);
        }
        for (unsigned i = 0; i < mesh->mNumFaces; ++i) {
            const struct aiFace* face = &mesh->mFaces[i];
            for (int k = 0; k < 3 && face->mNumIndices == 3; ++k) {
                out->triangles[3 * out->triangleCount + k] = base + (int)face->mIndices[k];
            }
            out->triangleCount += face->mNumIndices == 3 ? 1 : 0;
        }
    }
    return true;
}

static bool import(const char* path, float scale, CliMeshFile* out, char* reason, size_t size) {
    if (!isKnown(path)) {
        snprintf(reason, size,
                 "not a kind of mesh that is known; such are .obj .stl .ply .off "
                 ".gltf .glb .dae");
        return false;
    }
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    // points and lines are no surface
    aiSetImportPropertyInteger(properties, AI_CONFIG_PP_SBP_REMOVE,
                               aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const struct aiScene* scene = aiImportFileExWithProperties(
        path, aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices, NULL,
        properties);
    bool ok = scene != NULL;
    if (!ok) {
        snprintf(reason, size, "it cannot be read: %s", aiGetErrorString());
    } else {
        ok = copyScene(scene, scale, out, reason, size);
        aiReleaseImport(scene);
    }
    aiReleasePropertyStore(properties);
    return ok;
}

#else

static bool import(const char* path, float scale, CliMeshFile* out, char* reason, size_t size) {
    (void)path;
    (void)scale;
    (void)out;
    snprintf(reason, size,
             "this build cannot read meshes from files; install libassimp-dev and "
             "build again");
    return false;
}

#endif

bool CliMeshFile_Read(const char* path, float scale, CliMeshFile* out, char* reason, size_t size) {
    *out = (CliMeshFile){0};
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        snprintf(reason, size,
                 errno == ENOENT ? "there is no such file" : "it cannot be opened: %s",
                 strerror(errno));
        return false;
    }
    bool ok = !endsWith(path, ".obj") || checkObj(file, reason, size);
    fclose(file);
    ok = ok && import(path, scale, out, reason, size);
    for (int i = 0; i < out->vertexCount && ok; ++i) {
        if (!sdVec3_IsFinite(out->vertices[i])) {
            snprintf(reason, size, "vertex %d is not finite", i);
            ok = false;
        }
    }
    if (!ok) {
        CliMeshFile_Free(out);
    }
    return ok;
}

static void logNothing(void* user, sdLogLevel level, const char* text) {
    (void)user;
    (void)level;
    (void)text;
}

static sdResult readForScene(void* user, const sdContext* context, const char* path,
                             const sdMeshDef* settings, float scale, sdMesh** out, char* reason,
                             size_t size) {
    (void)user;
    CliMeshFile file;
    if (!CliMeshFile_Read(path, scale, &file, reason, size)) {
        return SD_ERROR_BAD_FILE;
    }
    sdMeshDef def = *settings;
    def.data = (sdMeshData){file.vertices, file.vertexCount, file.triangles, file.triangleCount};
    sdContext quiet = context != NULL ? *context : sdContext_Default();
    quiet.logger = (sdLogger){.log = logNothing};
    sdResult result = sdMesh_Create(&quiet, &def, out);
    CliMeshFile_Free(&file);
    return result;
}

sdMeshReader CliMeshFile_GetReader(void) {
    return (sdMeshReader){.read = readForScene};
}

// ---- writing -------------------------------------------------------------------------------

typedef struct Writer {
    sdOutFile file;
    bool hasFailed;
} Writer;

static void put(Writer* w, const void* bytes, size_t size) {
    w->hasFailed = w->hasFailed || sdOutFile_Write(&w->file, bytes, size) != SD_OK;
}

CLI_PRINTF(2, 3)
static void print(Writer* w, const char* format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(w, text, length > 0 ? (size_t)length : 0);
}

static void writeObj(Writer* w, const sdMeshData* parts, int count) {
    int base = 1;
    for (int p = 0; p < count; ++p) {
        print(w, "o part%d\n", p);
        for (int i = 0; i < parts[p].vertexCount; ++i) {
            sdVec3 v = parts[p].vertices[i];
            print(w, "v %.9g %.9g %.9g\n", (double)v.x, (double)v.y, (double)v.z);
        }
        for (int i = 0; i < parts[p].triangleCount; ++i) {
            const int32_t* t = &parts[p].triangles[3 * i];
            print(w, "f %d %d %d\n", base + (int)t[0], base + (int)t[1], base + (int)t[2]);
        }
        base += parts[p].vertexCount;
    }
}

static void countAll(const sdMeshData* parts, int count, int* vertices, int* triangles) {
    *vertices = 0;
    *triangles = 0;
    for (int p = 0; p < count; ++p) {
        *vertices += parts[p].vertexCount;
        *triangles += parts[p].triangleCount;
    }
}

static void writeStl(Writer* w, const sdMeshData* parts, int count) {
    char head[80] = "binary STL by sudar";
    int vertices, triangles;
    countAll(parts, count, &vertices, &triangles);
    put(w, head, sizeof head);
    put(w, &(uint32_t){(uint32_t)triangles}, 4);
    for (int p = 0; p < count; ++p) {
        const sdVec3* v = parts[p].vertices;
        for (int i = 0; i < parts[p].triangleCount; ++i) {
            const int32_t* t = &parts[p].triangles[3 * i];
            sdVec3 cross = sdCross(sdSub(v[t[1]], v[t[0]]), sdSub(v[t[2]], v[t[0]]));
            sdVec3 facet[4] = {sdNormalize(cross), v[t[0]], v[t[1]], v[t[2]]};
            put(w, facet, sizeof facet);
            put(w, &(uint16_t){0}, 2);
        }
    }
}

/// PLY and OFF differ in their heads only.
static void writeIndexed(Writer* w, const sdMeshData* parts, int count, bool isPly) {
    int vertices, triangles, base = 0;
    countAll(parts, count, &vertices, &triangles);
    if (isPly) {
        print(w,
              "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
              "property float z\n",
              vertices);
        print(w, "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
              triangles);
    } else {
        print(w, "OFF\n%d %d 0\n", vertices, triangles);
    }
    for (int p = 0; p < count; ++p) {
        for (int i = 0; i < parts[p].vertexCount; ++i) {
            sdVec3 v = parts[p].vertices[i];
            print(w, "%.9g %.9g %.9g\n", (double)v.x, (double)v.y, (double)v.z);
        }
    }
    for (int p = 0; p < count; ++p) {
        for (int i = 0; i < parts[p].triangleCount; ++i) {
            const int32_t* t = &parts[p].triangles[3 * i];
            print(w, "3 %d %d %d\n", base + (int)t[0], base + (int)t[1], base + (int)t[2]);
        }
        base += parts[p].vertexCount;
    }
}

CliExit CliMeshFile_Write(const char* command, const char* path, const sdMeshData* parts,
                          int count) {
    bool isObj = endsWith(path, ".obj"), isStl = endsWith(path, ".stl");
    bool isPly = endsWith(path, ".ply"), isOff = endsWith(path, ".off");
    if (!isObj && !isStl && !isPly && !isOff) {
        return Cli_Fail(CLI_USAGE, command,
                        "--out %s: a mesh is written as .obj, .stl, .ply or "
                        ".off",
                        path);
    }
    Writer w = {.hasFailed = false};
    if (sdOutFile_Open(NULL, path, &w.file) != SD_OK) {
        return CLI_FAILED;
    }
    if (isObj) {
        writeObj(&w, parts, count);
    } else if (isStl) {
        writeStl(&w, parts, count);
    } else {
        writeIndexed(&w, parts, count, isPly);
    }
    w.hasFailed = w.hasFailed || sdOutFile_Commit(&w.file) != SD_OK;
    sdOutFile_Close(&w.file);
    return w.hasFailed ? CLI_FAILED : CLI_OK;
}
