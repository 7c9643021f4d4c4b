// SPDX-License-Identifier: MIT
// model_thread.c - bolt and nut.
//
// Out:  triangles about y; the bolt stands on its head.
// Note: The thread has two starts. So both models look the same after half a turn, and their
//       centres of mass lie on their axes. Vertices follow the helix, which keeps crests and
//       roots smooth however coarse the mesh is; the ends are cut flat.

#include "geometry/model.h"

#define THREAD_STARTS 2
/// Vertices around; also even and a multiple of the six sides.
#define THREAD_COLUMNS 36
/// Vertices of one pitch along a column: both ends of the crest, both ends of the root.
#define THREAD_STEPS 4
/// From a column to itself, once around.
#define TURN_STEPS (THREAD_STARTS * THREAD_STEPS)

// proportions, in lengths of the bolt
#define PITCH 0.1f
#define BOLT_ROOT 0.105f
#define BOLT_CREST 0.15f
/// Between bolt and nut, measured radially; the chords of the polygons take 0.4 % of the radius
/// and the flanks, steeper than 45 degrees, halve what is left.
#define CLEARANCE 0.008f
#define HEX_RADIUS 0.25f
/// The corners of head and nut are turned off: a circle a little inside the sides, so much below.
#define BEVEL_RADIUS 0.2f
#define BEVEL 0.03f
#define HEAD_HEIGHT 0.17f
#define NUT_HEIGHT 0.2f

typedef struct Thread {
    float bottom, top;  ///< heights of the flat ends
    float ridge;        ///< radius between -1/10 and 1/10 of a pitch about the phase's zero
    float groove;       ///< radius from 4/10 to 6/10
    float bottomRadius; ///< of the ends; the thread runs out towards them under 45 degrees
    float topRadius;
    bool isInternal; ///< the solid is outside
} Thread;

typedef struct ThreadColumn {
    int first;    ///< vertex
    int firstKey; ///< step along the helix of that vertex
    int count;
} ThreadColumn;

/// Where one walks up a column: bottom end, steps, top end.
typedef struct ThreadCursor {
    ThreadColumn column;
    int bottom, top; ///< end vertices
    int shift;       ///< between this column's keys and its neighbour's
    int position;    ///< -1: bottom end; count: top end
} ThreadCursor;

static float threadHeight(int column, int key) {
    static const float phases[THREAD_STEPS] = {-0.1f, 0.1f, 0.4f, 0.6f};
    // floor division: keys may be negative
    int turn = (key >= 0 ? key : key - (THREAD_STEPS - 1)) / THREAD_STEPS;
    float along = (float)(turn * THREAD_COLUMNS + THREAD_STARTS * column) / THREAD_COLUMNS;
    return PITCH * (along + phases[key - turn * THREAD_STEPS]);
}

static float threadRadius(const Thread* thread, int key, float y) {
    int step = ((key % THREAD_STEPS) + THREAD_STEPS) % THREAD_STEPS;
    float radius = step < 2 ? thread->ridge : thread->groove;
    float toBottom = y - thread->bottom, toTop = thread->top - y;
    if (thread->isInternal) {
        float limit = sdMaxF(thread->bottomRadius - toBottom, thread->topRadius - toTop);
        return sdMaxF(radius, limit);
    }
    return sdMinF(radius, sdMinF(thread->bottomRadius + toBottom, thread->topRadius + toTop));
}

static ThreadColumn addColumn(sdModelBuilder* builder, const Thread* thread, int index) {
    // nearer to an end than this, a step would make slivers
    const float margin = 0.08f * PITCH;
    float angle = 2.0f * SD_PI * (float)index / THREAD_COLUMNS;
    float c = sdCos(angle), s = sdSin(angle);
    ThreadColumn column = {builder->vertices.count, 0, 0};
    int key = (int)(thread->bottom / PITCH - 4.0f) * THREAD_STEPS;
    while (threadHeight(index, key) < thread->bottom + margin) {
        ++key;
    }
    column.firstKey = key;
    for (float y; (y = threadHeight(index, key)) <= thread->top - margin; ++key) {
        float radius = threadRadius(thread, key, y);
        sdModelBuilder_AddVertex(builder, sdV3(radius * c, y, -radius * s));
        ++column.count;
    }
    return column;
}

static int cursorVertex(const ThreadCursor* cursor, int position) {
    if (position < 0) {
        return cursor->bottom;
    }
    return position < cursor->column.count ? cursor->column.first + position : cursor->top;
}

static int cursorKey(const ThreadCursor* cursor, int position) {
    return position < cursor->column.count ? cursor->column.firstKey + position - cursor->shift
                                           : INT_MAX;
}

static void addThreadTriangle(sdModelBuilder* builder, bool isInternal, int a, int b, int c) {
    sdModelBuilder_AddTriangle(builder, a, isInternal ? c : b, isInternal ? b : c);
}

/// The strip between two neighbouring columns: vertices of the same key belong together.
static void bridgeColumns(sdModelBuilder* builder, ThreadCursor left, ThreadCursor right,
                          bool isInternal) {
    const sdVec3* p = builder->vertices.data;
    while (left.position < left.column.count || right.position < right.column.count) {
        int a = cursorVertex(&left, left.position), b = cursorVertex(&right, right.position);
        int c = cursorVertex(&left, left.position + 1);
        int d = cursorVertex(&right, right.position + 1);
        int leftKey = cursorKey(&left, left.position + 1);
        int rightKey = cursorKey(&right, right.position + 1);
        bool isShorter = sdDistanceSquared(p[b], p[c]) <= sdDistanceSquared(p[a], p[d]);
        bool isLeft = leftKey < rightKey || (leftKey == rightKey && isShorter);
        if (right.position == right.column.count || (left.position < left.column.count && isLeft)) {
            addThreadTriangle(builder, isInternal, a, b, c);
            ++left.position;
        } else {
            addThreadTriangle(builder, isInternal, a, b, d);
            ++right.position;
        }
    }
}

static void addThread(sdModelBuilder* builder, const Thread* thread, sdModelRing* bottom,
                      sdModelRing* top) {
    ThreadColumn columns[THREAD_COLUMNS];
    sdModelProfile lowEnd = {thread->bottomRadius, thread->bottom, THREAD_COLUMNS};
    sdModelProfile highEnd = {thread->topRadius, thread->top, THREAD_COLUMNS};
    *bottom = sdModelBuilder_AddRing(builder, lowEnd);
    *top = sdModelBuilder_AddRing(builder, highEnd);
    for (int i = 0; i < THREAD_COLUMNS; ++i) {
        columns[i] = addColumn(builder, thread, i);
    }
    for (int i = 0; i < THREAD_COLUMNS && !builder->isOutOfMemory; ++i) {
        int j = (i + 1) % THREAD_COLUMNS;
        ThreadCursor left = {columns[i], bottom->first + i, top->first + i, 0, -1};
        ThreadCursor right = {columns[j], bottom->first + j, top->first + j,
                              j == 0 ? TURN_STEPS : 0, -1};
        bridgeColumns(builder, left, right, thread->isInternal);
    }
}

/// Rings one after the other, from `first` on; bands between all of them.
static sdModelRing addBands(sdModelBuilder* builder, sdModelRing first,
                            const sdModelProfile* profile, int count) {
    sdModelRing last = first;
    for (int k = 0; k < count; ++k) {
        sdModelRing ring = sdModelBuilder_AddRing(builder, profile[k]);
        sdModelBuilder_Bridge(builder, last, ring);
        last = ring;
    }
    return last;
}

void sdModel_AddBolt(sdModelBuilder* builder) {
    Thread thread = {.bottom = HEAD_HEIGHT,
                     .top = 1.0f,
                     .ridge = BOLT_CREST,
                     .groove = BOLT_ROOT,
                     .bottomRadius = BOLT_ROOT,
                     .topRadius = 0.8f * BOLT_ROOT};
    sdModelRing base, tip;
    addThread(builder, &thread, &base, &tip);
    static const sdModelProfile head[] = {
        {HEX_RADIUS, BEVEL, 6}, {HEX_RADIUS, HEAD_HEIGHT, 6}, {0.18f, HEAD_HEIGHT, 18}};
    sdModelRing foot = sdModelBuilder_AddRing(builder, (sdModelProfile){BEVEL_RADIUS, 0.0f, 12});
    sdModelBuilder_Cap(builder, foot, false);
    sdModelBuilder_Bridge(builder, addBands(builder, foot, head, 3), base);
    static const sdModelProfile end[] = {{0.04f, 1.0f, 12}};
    sdModelBuilder_Cap(builder, addBands(builder, tip, end, 1), true);
}

void sdModel_AddNut(sdModelBuilder* builder) {
    const float half = 0.5f * NUT_HEIGHT;
    // the bolt's ridge runs in the nut's groove, so both have the same phase
    Thread thread = {.bottom = -half,
                     .top = half,
                     .ridge = BOLT_CREST + CLEARANCE,
                     .groove = BOLT_ROOT + CLEARANCE,
                     .bottomRadius = BOLT_CREST + CLEARANCE,
                     .topRadius = BOLT_CREST + CLEARANCE,
                     .isInternal = true};
    sdModelRing low, high;
    addThread(builder, &thread, &low, &high);
    const sdModelProfile outside[] = {{BEVEL_RADIUS, -half, THREAD_COLUMNS},
                                      {HEX_RADIUS, -half + BEVEL, 6},
                                      {HEX_RADIUS, half - BEVEL, 6},
                                      {BEVEL_RADIUS, half, THREAD_COLUMNS}};
    sdModelBuilder_Bridge(builder, addBands(builder, low, outside, 4), high);
}
