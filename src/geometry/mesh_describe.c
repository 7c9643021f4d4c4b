// SPDX-License-Identifier: MIT
// mesh_describe.c - a mesh report in words.
//
// In:   an sdMeshReport.
// Out:  text, one finding a line: what is there, what it means, what to do.

#include "base/memory.h"
#include "sudar/mesh.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct TextWriter {
    char* text;
    int capacity;
    int length; ///< of the whole text, whether it fits or not
} TextWriter;

static void addText(TextWriter* writer, const char* format, ...) SD_PRINTF(2, 3);

static void addText(TextWriter* writer, const char* format, ...) {
    int room = writer->capacity - writer->length;
    va_list args;
    va_start(args, format);
    int length = room > 0 ? vsnprintf(writer->text + writer->length, (size_t)room, format, args)
                          : vsnprintf(NULL, 0, format, args);
    va_end(args);
    writer->length += length > 0 ? length : 0;
}

/// "1 edge belongs", "2 edges belong"
static const char* plural(int count, const char* one, const char* many) {
    return count == 1 ? one : many;
}

static void describeHoles(TextWriter* writer, const sdMeshReport* r) {
    if (r->boundaryEdgeCount > 0) {
        addText(writer,
                "%d %s to one triangle only: the surface has holes, the first at vertices %d and "
                "%d. Close them, or use the triangle route. Where vertices lie at the same place, "
                "or nearly, weld them.\n",
                r->boundaryEdgeCount, plural(r->boundaryEdgeCount, "edge belongs", "edges belong"),
                r->firstBoundaryEdge[0], r->firstBoundaryEdge[1]);
    }
    if (r->nonManifoldEdgeCount > 0) {
        addText(writer,
                "%d %s to three or more triangles, the first at vertices %d and %d: %s. Remove "
                "walls inside the body, or give bodies that touch there edges of their own.\n",
                r->nonManifoldEdgeCount,
                plural(r->nonManifoldEdgeCount, "edge belongs", "edges belong"),
                r->firstNonManifoldEdge[0], r->firstNonManifoldEdge[1],
                r->isClosed ? "the surface touches itself along an edge"
                            : "the surface branches there");
    }
    if (r->nonManifoldVertexCount > 0) {
        addText(writer,
                "At %d %s several parts of the surface meet in a point. That is allowed; if it is "
                "not meant, give each part a vertex of its own and do not weld.\n",
                r->nonManifoldVertexCount, plural(r->nonManifoldVertexCount, "vertex", "vertices"));
    }
}

static void describeDirections(TextWriter* writer, const sdMeshReport* r) {
    if (r->misorientedEdgeCount > 0) {
        addText(writer,
                "%d %s triangles that disagree about which side is outside, the first at vertices "
                "%d and %d. Let sdMesh_Create orient them (SD_MESH_ORIENT); if that is what was "
                "done, the surface has one side only, like a Moebius strip, or branches.\n",
                r->misorientedEdgeCount,
                plural(r->misorientedEdgeCount, "edge joins", "edges join"),
                r->firstMisorientedEdge[0], r->firstMisorientedEdge[1]);
    }
    if (r->invertedComponentCount > 0) {
        addText(writer,
                "%d closed %s inside out: its triangles are clockwise seen from outside. Let "
                "sdMesh_Create orient them (SD_MESH_ORIENT).\n",
                r->invertedComponentCount,
                plural(r->invertedComponentCount, "part is", "parts are"));
    }
    if (r->nestedComponentCount > 0) {
        addText(writer,
                "%d closed %s inside another one and face outward as it does: mass counts that "
                "volume twice. Turn their triangles around if they are cavities, or remove them.\n",
                r->nestedComponentCount, plural(r->nestedComponentCount, "part is", "parts are"));
    }
    if (r->isClosed && r->isOriented && r->invertedComponentCount == 0 && !r->isSolid) {
        addText(writer, "The closed surface has no volume: it is flat, or both sides of a sheet. "
                        "Give it thickness, or use the triangle route.\n");
    }
}

static void describeTriangles(TextWriter* writer, const sdMeshReport* r) {
    if (r->degenerateTriangleCount > 0) {
        addText(writer,
                "%d %s no area, the first is triangle %d. Let sdMesh_Create drop them "
                "(SD_MESH_DROP_DEGENERATE); those left after that hold the surface together and do "
                "no harm.\n",
                r->degenerateTriangleCount,
                plural(r->degenerateTriangleCount, "triangle has", "triangles have"),
                r->firstDegenerateTriangle);
    }
    if (r->duplicateTriangleCount > 0) {
        addText(writer,
                "%d %s the vertices of an earlier one. Let sdMesh_Create drop them "
                "(SD_MESH_DROP_DUPLICATE); those left after that are the second sides of sheets or "
                "walls.\n",
                r->duplicateTriangleCount,
                plural(r->duplicateTriangleCount, "triangle repeats", "triangles repeat"));
    }
    if (r->selfIntersectionCount > 0) {
        addText(writer,
                "%d %s of triangles cross each other, the first are triangles %d and %d: volume "
                "that is there twice counts twice. Unite the parts in a modelling program.\n",
                r->selfIntersectionCount, plural(r->selfIntersectionCount, "pair", "pairs"),
                r->firstIntersection[0], r->firstIntersection[1]);
    }
    if (r->unusedVertexCount > 0) {
        addText(writer, "%d %s used by no triangle. Let sdMesh_Create drop them (SD_MESH_WELD).\n",
                r->unusedVertexCount, plural(r->unusedVertexCount, "vertex is", "vertices are"));
    }
}

static void describeRepairs(TextWriter* writer, const sdMeshReport* r) {
    const struct {
        int count;
        const char* one;
        const char* many;
    } repairs[] = {
        {r->weldedVertexCount, "vertex was joined to an earlier one",
         "vertices were joined to earlier ones"},
        {r->droppedVertexCount, "unused vertex was dropped", "unused vertices were dropped"},
        {r->droppedDegenerateCount, "triangle without area was dropped",
         "triangles without area were dropped"},
        {r->droppedDuplicateCount, "repeated triangle was dropped",
         "repeated triangles were dropped"},
        {r->flippedTriangleCount, "triangle was turned around", "triangles were turned around"},
    };
    for (size_t i = 0; i < sizeof repairs / sizeof repairs[0]; ++i) {
        if (repairs[i].count > 0) {
            addText(writer, "%d %s.\n", repairs[i].count,
                    plural(repairs[i].count, repairs[i].one, repairs[i].many));
        }
    }
}

int sdMeshReport_Describe(const sdMeshReport* report, char* text, int capacity) {
    TextWriter writer = {text, text != NULL ? capacity : 0, 0};
    if (writer.capacity > 0) {
        text[0] = 0;
    }
    if (report == NULL) {
        addText(&writer, "There is no report.\n");
        return writer.length;
    }
    addText(&writer, "%d triangles, %d vertices, %d edges in %d %s; area %g m2",
            report->triangleCount, report->vertexCount, report->edgeCount, report->componentCount,
            plural(report->componentCount, "piece", "pieces"), report->area);
    if (report->isSolid) {
        addText(&writer, ", volume %g m3", report->volume);
    }
    addText(&writer, ".\n");
    int before = writer.length;
    describeHoles(&writer, report);
    describeDirections(&writer, report);
    describeTriangles(&writer, report);
    if (writer.length == before) {
        addText(&writer, "no faults found\n");
    }
    describeRepairs(&writer, report);
    return writer.length;
}
