// SPDX-License-Identifier: MIT
// test_planar_agree.c - the queries in the plane by class, of all sizes and distances: against
// brute force, against each other, with the pair swapped and moved.

#include "planar_support.h"

/// Pairs of a class under `make soak`.
#define FULL_COUNT 1000000
/// Single precision of points, poses and normals, as a part of sizes and distances.
#define ROUNDING (8.0 * (double)FLT_EPSILON)

typedef enum PairClass {
    CLASS_GENERIC,
    CLASS_NEAR,
    CLASS_DEEP,
    CLASS_DEGENERATE,
    CLASS_SIZES, ///< from 1e-6 to 1e6 m, both of about the same
    CLASS_FAR    ///< a million metres apart
} PairClass;

// ---- bodies --------------------------------------------------------------------------------

/// Points, segments, needles of 1:1e5, and polygons of points that are nearly or wholly on a line.
static sdPolygon2 pickDegenerate(TestRandom* random) {
    sdVec2 a = TestRandom_InBox2(random, 1.0f), b = TestRandom_InBox2(random, 1.0f);
    sdVec2 points[6];
    float width = TestRandom_Int(random, 2) == 0 ? 0.0f : 1e-5f;
    sdPolygon2 out;
    switch (TestRandom_Int(random, 7)) {
        case 0:
            return sdPolygon2_Circle(a, 0.0f);
        case 1:
            return sdPolygon2_Segment(a, b);
        case 2:
            return sdPolygon2_Segment(a, a);
        case 3:
            return sdPolygon2_Capsule(a, b, 1e-5f);
        case 4:
            return sdPolygon2_Box(sdV2(1.0f, width));
        case 5:
            return sdPolygon2_Capsule(a, sdMulAdd2(a, 1e-6f, b), sdAbsF(b.x));
        default:
            for (int i = 0; i < 6; ++i) {
                sdVec2 along = sdMulAdd2(a, TestRandom_Float(random, 0.0f, 1.0f), sdSub2(b, a));
                points[i] = sdMulAdd2(along, width, TestRandom_InBox2(random, 1.0f));
            }
            CHECK_INT(sdPolygon2_Make(NULL, points, 6, 0.0f, &out), SD_OK);
            return out;
    }
}

static sdPolygon2 scaled(const sdPolygon2* shape, float scale) {
    sdPolygon2 out = *shape;
    for (int i = 0; i < shape->count; ++i) {
        out.vertices[i] = sdScale2(scale, shape->vertices[i]);
    }
    out.radius = scale * shape->radius;
    return out;
}

/// The same body described in a frame of its own.
/// @param frame its place in the old one
static sdPolygon2 describeAnew(const sdPolygon2* shape, sdTransform2 frame) {
    sdVec2 points[SD_POLYGON2_MAX_VERTICES];
    sdTransform2 inverse = sdTransform2_Inverse(frame);
    for (int i = 0; i < shape->count; ++i) {
        points[i] = sdTransform2_Point(inverse, shape->vertices[i]);
    }
    sdPolygon2 out;
    CHECK_INT(sdPolygon2_Make(NULL, points, shape->count, shape->radius, &out), SD_OK);
    return out;
}

static double reachOf(const sdPolygon2* shape) {
    double most = 0.0;
    for (int i = 0; i < shape->count; ++i) {
        most = fmax(most, (double)sdLength2(shape->vertices[i]));
    }
    return most + (double)shape->radius;
}

static sdTransform2 pickPose(TestRandom* random, PairClass pairClass, const sdPolygon2* a,
                             const sdPolygon2* b, float scale) {
    static const float gaps[5] = {0.0f, 1e-6f, -1e-6f, 1e-3f, -1e-3f};
    sdTransform2 xf = Planar_Pose(random, pairClass == CLASS_DEEP ? 0.2f : 2.0f);
    bool isNear = pairClass == CLASS_NEAR ||
                  (pairClass >= CLASS_DEGENERATE && TestRandom_Int(random, 2) == 0);
    xf.p = sdScale2(scale, xf.p);
    if (isNear) {
        sdSeparation2 s = sdPenetration2(a, b, xf);
        float gap = scale * gaps[TestRandom_Int(random, 5)];
        xf.p = sdMulAdd2(xf.p, gap - s.separation, s.normal);
    }
    if (pairClass == CLASS_FAR) {
        sdVec2 d = TestRandom_InBox2(random, 1e6f);
        xf.p = sdAdd2(d, xf.p);
    }
    int same = TestRandom_Int(random, 50);
    return same == 0 && pairClass != CLASS_FAR ? sdTransform2_Identity() : xf;
}

// ---- one pair ------------------------------------------------------------------------------

/// Pairs with something wrong, by what it is.
typedef struct Tally {
    int pairs, overlapping, wrong;
    int separation, witness, query, swap, motion;
} Tally;

typedef struct Trial {
    sdPolygon2 a, b;
    sdTransform2 xf;
    double size, rounding; ///< m
    sdSeparation2 found;
    Tally faults; ///< of this pair
} Trial;

static void checkSeparation(Trial* trial) {
    const sdSeparation2* s = &trial->found;
    const sdPolygon2 *a = &trial->a, *b = &trial->b;
    double error = (double)s->error + trial->rounding, separation = (double)s->separation;
    bool isUnit = fabs((double)sdLength2(s->normal) - 1.0) < 1e-6;
    trial->faults.separation += s->status != SD_STATUS_EXACT || !isUnit;
    trial->faults.separation += fabs(separation - Planar_Separation(a, b, trial->xf)) > error;
    double gap = Planar_GapAlong(a, b, trial->xf, s->normal);
    trial->faults.separation += fabs(separation - gap) > error;
    sdVec2 end = sdMulAdd2(s->pointA, s->separation, s->normal);
    trial->faults.witness += (double)sdLength2(sdSub2(end, s->pointB)) > error;
    double outA = Planar_GapOf(a, sdTransform2_Identity(), s->pointA);
    double outB = Planar_GapOf(b, trial->xf, s->pointB);
    trial->faults.witness += outA > error || outB > error;
    // on the planes across the normal, not only inside
    sdPolygon2 pointA = sdPolygon2_Circle(s->pointA, 0.0f);
    sdPolygon2 pointB = sdPolygon2_Circle(s->pointB, 0.0f);
    double above = Planar_GapAlong(a, &pointA, sdTransform2_Identity(), s->normal);
    double below = Planar_GapAlong(&pointB, b, trial->xf, s->normal);
    trial->faults.witness += fabs(above) > error || fabs(below) > error;
}

static void checkQueries(Trial* trial) {
    const sdSeparation2* s = &trial->found;
    const sdPolygon2 *a = &trial->a, *b = &trial->b;
    double error = (double)s->error + trial->rounding, separation = (double)s->separation;
    sdSeparation2 d = sdDistance2(a, b, trial->xf);
    sdOverlapResult overlap = sdOverlap2(a, b, trial->xf);
    trial->faults.query += fabs((double)d.separation - fmax(separation, 0.0)) > error;
    trial->faults.query += fabs(separation) > error && overlap.isOverlapping != (separation < 0.0);
    trial->faults.query += Planar_GapOf(a, sdTransform2_Identity(), d.pointA) > error;
    trial->faults.query += Planar_GapOf(b, trial->xf, d.pointB) > error;
    if (a->count > 2 && b->count > 2 && a->radius == 0.0f && b->radius == 0.0f) {
        double sat = (double)sdSat2_Test(a, b, trial->xf, true).separation;
        trial->faults.query +=
            separation < 0.0 ? fabs(sat - separation) > error : sat > separation + error;
    }
}

static void checkSwap(Trial* trial) {
    double rounding = 3.0 * trial->rounding;
    sdSeparation2 t = sdPenetration2(&trial->b, &trial->a, sdTransform2_Inverse(trial->xf));
    double error = (double)trial->found.error + (double)t.error + rounding;
    trial->faults.swap += fabs((double)(trial->found.separation - t.separation)) > error;
    sdVec2 n = sdScale2(-1.0f, sdTransform2_Vector(trial->xf, t.normal));
    double gap = Planar_GapAlong(&trial->a, &trial->b, trial->xf, n);
    trial->faults.swap += fabs(gap - (double)t.separation) > error;
}

static void checkMotion(Trial* trial, TestRandom* random) {
    float size = (float)(reachOf(&trial->a) + reachOf(&trial->b));
    sdTransform2 fa = Planar_Pose(random, size), fb = Planar_Pose(random, size);
    sdPolygon2 a = describeAnew(&trial->a, fa), b = describeAnew(&trial->b, fb);
    sdTransform2 xf = sdTransform2_Mul(sdTransform2_Inverse(fa), sdTransform2_Mul(trial->xf, fb));
    double rounding = 3.0 * ROUNDING * (trial->size + 3.0 * (double)size);
    sdSeparation2 t = sdPenetration2(&a, &b, xf);
    double error = (double)trial->found.error + (double)t.error + rounding;
    trial->faults.motion += fabs((double)(trial->found.separation - t.separation)) > error;
    sdVec2 n = sdTransform2_Vector(fa, t.normal);
    double gap = Planar_GapAlong(&trial->a, &trial->b, trial->xf, n);
    trial->faults.motion += fabs(gap - (double)t.separation) > error;
}

static void tryPair(Trial* trial, TestRandom* random) {
    trial->faults = (Tally){0};
    trial->size = reachOf(&trial->a) + reachOf(&trial->b) + (double)sdLength2(trial->xf.p);
    trial->rounding = ROUNDING * trial->size;
    trial->found = sdPenetration2(&trial->a, &trial->b, trial->xf);
    checkSeparation(trial);
    checkQueries(trial);
    checkSwap(trial);
    checkMotion(trial, random);
}

// ---- classes -------------------------------------------------------------------------------

static void printShape(const sdPolygon2* shape) {
    sdTest_Print("    radius %.9g", (double)shape->radius);
    for (int i = 0; i < shape->count; ++i) {
        sdTest_Print("        %.9g %.9g", (double)shape->vertices[i].x,
                     (double)shape->vertices[i].y);
    }
}

static void printTrial(const Trial* trial) {
    const Tally* f = &trial->faults;
    sdTransform2 xf = trial->xf;
    sdTest_Print("  separation %d, witness %d, query %d, swap %d, motion %d:", f->separation,
                 f->witness, f->query, f->swap, f->motion);
    printShape(&trial->a);
    printShape(&trial->b);
    sdTest_Print("    p %.9g %.9g c %.9g s %.9g: %.9g within %.3g, by force %.9g", (double)xf.p.x,
                 (double)xf.p.y, (double)xf.c, (double)xf.s, (double)trial->found.separation,
                 (double)trial->found.error, Planar_Separation(&trial->a, &trial->b, xf));
}

static void runClass(const char* name, PairClass pairClass) {
    TestRandom random = TestRandom_Make(90 + (uint64_t)pairClass);
    Tally tally = {0};
    Trial trial;
    int count = TestCount(FULL_COUNT);
    for (int i = 0; i < count; ++i) {
        float scale = 1.0f;
        for (int k = pairClass == CLASS_SIZES ? i % 13 - 6 : 0; k != 0; k += k < 0 ? 1 : -1) {
            scale *= k < 0 ? 0.1f : 10.0f;
        }
        bool isOdd = pairClass == CLASS_DEGENERATE;
        sdPolygon2 a = isOdd && i % 3 != 0 ? pickDegenerate(&random) : Planar_Shape(&random);
        sdPolygon2 b = isOdd && i % 3 != 1 ? pickDegenerate(&random) : Planar_Shape(&random);
        trial.a = scaled(&a, scale);
        trial.b = scaled(&b, scale);
        trial.xf = pickPose(&random, pairClass, &trial.a, &trial.b, scale);
        tryPair(&trial, &random);
        const Tally* f = &trial.faults;
        bool isWrong = f->separation + f->witness + f->query + f->swap + f->motion > 0;
        tally.overlapping += trial.found.separation < 0.0f;
        tally.wrong += isWrong;
        tally.separation += f->separation > 0;
        tally.witness += f->witness > 0;
        tally.query += f->query > 0;
        tally.swap += f->swap > 0;
        tally.motion += f->motion > 0;
        if (isWrong && tally.wrong <= 3) {
            printTrial(&trial);
        }
    }
    sdTest_Print("plane, %s: %d pairs, %d disagreements (%d overlapping; separation %d, witness "
                 "%d, query %d, swap %d, motion %d)",
                 name, count, tally.wrong, tally.overlapping, tally.separation, tally.witness,
                 tally.query, tally.swap, tally.motion);
    CHECK_INT(tally.wrong, 0);
}

SD_TEST(planar_agree_generic) {
    runClass("generic", CLASS_GENERIC);
}

SD_TEST(planar_agree_near_touching) {
    runClass("near touching", CLASS_NEAR);
}

SD_TEST(planar_agree_deep) {
    runClass("deep", CLASS_DEEP);
}

SD_TEST(planar_agree_degenerate) {
    runClass("degenerate", CLASS_DEGENERATE);
}

SD_TEST(planar_agree_sizes_from_1e_6_to_1e6) {
    runClass("sizes", CLASS_SIZES);
}

SD_TEST(planar_agree_a_million_metres_apart) {
    runClass("far", CLASS_FAR);
}
