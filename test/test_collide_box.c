// SPDX-License-Identifier: MIT
// test_collide_box.c - two boxes by all axes at once: overlap, depth and contact points against the
// readable test of axes, GJK and EPA.

#include "narrow/collide_box_choose.h"
#include "narrow/collide_box_faces.h"
#include "narrow/collide_boxes.h"
#include "narrow/sat.h"
#include "narrow/sat_box.h"
#include "polyhedra.h"
#include "shape_zoo.h"

#define PAIR_COUNT 100000

/// Single precision, for boxes of up to 2 m.
#define ROUNDING 1e-5
#define QUARTER 1.57079633f

typedef struct Faults {
    int overlap, status, depth, normal, witness, surface, swap, gaps;
} Faults;

static void checkFaults(const char* name, int count, const Faults* f) {
    sdTest_Print("%s: %d pairs; overlap %d status %d depth %d normal %d witness %d surface %d swap "
                 "%d gaps %d",
                 name, count, f->overlap, f->status, f->depth, f->normal, f->witness, f->surface,
                 f->swap, f->gaps);
    CHECK_INT(f->overlap + f->status + f->depth + f->normal + f->witness + f->surface + f->swap +
                  f->gaps,
              0);
}

static void checkDepth(const sdShape* a, const sdShape* b, sdTransform xf, const sdSatResult* sat,
                       Faults* faults) {
    sdSeparation s = sdPenetration(a, b, xf, NULL), t = sdEpa_Penetration(a, b, xf, NULL);
    sdSeparation mirror = sdPenetration(b, a, sdInvertXf(xf), NULL);
    double error = (double)s.error + (double)t.error + ROUNDING;
    faults->status += s.status == SD_STATUS_INVALID || s.error > 1e-5f ? 1 : 0;
    faults->depth += fabs((double)(s.separation - t.separation)) > error ? 1 : 0;
    // SAT gives a lower bound of the distance only
    double bySat = (double)(s.separation - sat->separation);
    faults->depth += bySat < -error || (s.separation < 0.0f && bySat > error) ? 1 : 0;
    faults->normal += fabs((double)sdLength(s.normal) - 1.0) > 1e-6 ? 1 : 0;
    faults->normal += fabs(ExitDepth(a, b, xf, s.normal) + (double)s.separation) > error ? 1 : 0;
    sdVec3 reached = sdMulAdd(s.pointA, s.separation, s.normal);
    faults->witness += (double)sdLength(sdSub(reached, s.pointB)) > 2.0 * ROUNDING ? 1 : 0;
    faults->surface += TestOffSurface(a, s.pointA) > error ? 1 : 0;
    faults->surface += TestOffSurface(b, sdInvTransformPoint(xf, s.pointB)) > error ? 1 : 0;
    faults->swap += fabs((double)(s.separation - mirror.separation)) > error ? 1 : 0;
}

/// Both levels of the kernel give the same manifold, from nothing and by what they remember.
static bool areManifoldsEqual(const sdShape* a, const sdShape* b, sdTransform xf) {
    sdPairCache baseCache = {.count = 0}, bestCache = baseCache;
    bool isEqual = true;
    for (int step = 0; step < 2; ++step) {
        sdManifold base = {.pointCount = 0}, best = base;
        sdBoxAnswer baseAnswer = sdBoxes_Collide_base(a, b, &xf, 0.02f, &baseCache, &base);
        sdBoxAnswer bestAnswer = SD_DISPATCH(sdBoxes_Collide)(a, b, &xf, 0.02f, &bestCache, &best);
        bool hasPoints = baseAnswer == SD_BOX_CONTACT || baseAnswer == SD_BOX_KEPT;
        isEqual = isEqual && baseAnswer == bestAnswer &&
                  (!hasPoints || memcmp(&base, &best, sizeof base) == 0);
        xf.p = sdMulAdd(xf.p, 1e-4f, a->box.halfExtents);
    }
    return isEqual;
}

/// Both levels of the kernel give the same bits.
static bool areLevelsEqual(const sdShape* a, const sdShape* b, sdTransform xf) {
    sdBoxPair base = {.r = {{0.0}}}, best = base;
    sdBoxGaps baseGaps = {.isApart = false}, bestGaps = baseGaps;
    sdSatBox_Gaps_base(a->box.halfExtents, b->box.halfExtents, &xf, 0.0, &base, &baseGaps);
    SD_DISPATCH(sdSatBox_Gaps)
    (a->box.halfExtents, b->box.halfExtents, &xf, 0.0, &best, &bestGaps);
    return memcmp(&base, &best, sizeof base) == 0 &&
           memcmp(baseGaps.faceA, bestGaps.faceA, 3 * sizeof(double)) == 0 &&
           memcmp(baseGaps.faceB, bestGaps.faceB, 3 * sizeof(double)) == 0 &&
           memcmp(baseGaps.cross[0], bestGaps.cross[0], 3 * sizeof(double)) == 0 &&
           memcmp(baseGaps.cross[1], bestGaps.cross[1], 3 * sizeof(double)) == 0 &&
           memcmp(baseGaps.cross[2], bestGaps.cross[2], 3 * sizeof(double)) == 0 &&
           baseGaps.isApart == bestGaps.isApart;
}

SD_TEST(boxes_agree_with_the_readable_axes_and_with_epa) {
    TestRandom random = TestRandom_Make(1);
    Faults faults = {0};
    int overlapping = 0, exact = 0;
    for (int i = 0; i < TestRounds(PAIR_COUNT); ++i) {
        sdShape a = Polyhedra_Box(&random), b = Polyhedra_Box(&random);
        sdTransform xf = Polyhedra_Pose(&random, (PoseClass)(i % POSE_CLASS_COUNT), &a, &b);
        sdSatResult sat = sdSatBox_Readable(a.box, b.box, xf);
        sdOverlapResult overlap = sdOverlap(&a, &b, xf, NULL);
        bool isClear = fabs((double)sat.separation) > 1e-6;
        faults.status += overlap.status == SD_STATUS_INVALID ? 1 : 0;
        faults.overlap += isClear && overlap.isOverlapping != (sat.separation < 0.0f) ? 1 : 0;
        faults.gaps += areLevelsEqual(&a, &b, xf) && areManifoldsEqual(&a, &b, xf) ? 0 : 1;
        checkDepth(&a, &b, xf, &sat, &faults);
        overlapping += overlap.isOverlapping ? 1 : 0;
        exact += sdPenetration(&a, &b, xf, NULL).status == SD_STATUS_EXACT ? 1 : 0;
    }
    sdTest_Print("%d overlap, %d by axes", overlapping, exact);
    checkFaults("boxes", TestRounds(PAIR_COUNT), &faults);
    CHECK(exact > overlapping / 2);
}

static uint64_t hashManifold(uint64_t hash, const sdManifold* m) {
    hash = TestHash(hash, &m->normal, sizeof m->normal);
    hash = TestHash(hash, &m->pointCount, sizeof m->pointCount);
    return TestHash(hash, m->points, (size_t)m->pointCount * sizeof m->points[0]);
}

SD_TEST(boxes_have_the_same_bits_everywhere) {
    TestRandom random = TestRandom_Make(2);
    uint64_t hash = TEST_HASH_START;
    sdShape plane = sdShape_HalfSpace();
    int pointCount = 0;
    for (int i = 0; i < 5000; ++i) {
        sdVec3 h = TestRandom_InBox(&random, 0.5f), k = TestRandom_InBox(&random, 0.5f);
        sdShape a = sdShape_Box(0.6f + h.x, 0.6f + h.y, 0.6f + h.z);
        sdShape b = sdShape_Box(0.6f + k.x, 0.6f + k.y, 0.6f + k.z);
        sdVec3 place = TestRandom_InBox(&random, 1.0f);
        sdTransform xf = sdTransform_Make(place, TestRandom_Rotation(&random));
        sdPairCache cache = {.count = 0};
        sdManifold m;
        for (int step = 0; step < 3; ++step) {
            pointCount += sdCollide(&a, &b, xf, 0.0f, &cache, &m);
            hash = hashManifold(hash, &m);
            xf.p = sdAdd(xf.p, TestRandom_InBox(&random, 1e-3f));
        }
        if (sdOverlap(&a, &b, xf, NULL).isOverlapping) {
            sdSeparation s = sdPenetration(&a, &b, xf, NULL);
            hash = TestHash(hash, &s.pointA, sizeof s.pointA);
            hash = TestHash(hash, &s.pointB, sizeof s.pointB);
        }
        sdCollide(&plane, &b, xf, 0.0f, NULL, &m);
        hash = hashManifold(hash, &m);
    }
    sdTest_Print("%d points, hash %016llx", pointCount, (unsigned long long)hash);
    CHECK(hash == 0x4c89234cc41f0eb2ull);
}

// ---- one point ------------------------------------------------------------------------------

static double greatestOf(sdVec3d d) {
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

/// All points that faces have in common, and the axis, found step by step.
static int clipFaces(const sdShape* a, const sdShape* b, const sdTransform* xf, double limit,
                     double size, sdFlatPoint points[SD_BOX_CANDIDATES],
                     sdVec3d places[SD_BOX_CANDIDATES], sdVec3* normal) {
    sdBoxPair pair;
    sdBoxGaps gaps;
    sdBoxFaces faces;
    double gap;
    sdSatBox_Gaps_base(a->box.halfExtents, b->box.halfExtents, xf, limit, &pair, &gaps);
    sdVec3d n = sdBoxPair_Normal(&pair, sdBoxGaps_Best(&gaps, SD_SAT_TIE * size, &gap));
    *normal = sdVec3d_Round(n);
    sdVec3d inB = sdBoxPair_InB(&pair, n);
    double facing = greatestOf(n) * greatestOf(inB);
    sdBoxFaces_Set(&faces, &pair, n, inB);
    int count = sdBoxFaces_Intersect_base(&faces, SD_MANIFOLD_RIM * size * facing * facing,
                                          gap - SD_MANIFOLD_DEEPEST * size, limit, points);
    for (int i = 0; i < count; ++i) {
        places[i] = sdBoxFaces_Place(&faces, &pair, &points[i]);
    }
    return count;
}

SD_TEST(boxes_with_one_point_have_that_of_clipping) {
    TestRandom random = TestRandom_Make(4);
    int oneCount = 0, others = 0, ids = 0, places = 0, count = TestRounds(PAIR_COUNT / 2);
    for (int i = 0; i < count; ++i) {
        sdShape a = Polyhedra_Box(&random), b = Polyhedra_Box(&random);
        sdTransform xf = Polyhedra_Pose(&random, (PoseClass)(i % POSE_CLASS_COUNT), &a, &b);
        float margin = TestRandom_Float(&random, 0.0f, 0.05f);
        double sizeA = (double)sdLength(a.box.halfExtents),
               sizeB = (double)sdLength(b.box.halfExtents);
        sdFlatPoint points[SD_BOX_CANDIDATES];
        sdVec3d on[SD_BOX_CANDIDATES];
        sdVec3 normal;
        sdManifold m;
        int pointCount = sdCollide(&a, &b, xf, margin, NULL, &m);
        double size = sizeA < sizeB ? sizeA : sizeB;
        int clipped = clipFaces(&a, &b, &xf, (double)margin, size, points, on, &normal);
        // between corners the normal is none of the axes; plates, needles and points go another way
        sdVec3 thin = sdMin(a.box.halfExtents, b.box.halfExtents);
        bool isSame = sdDot(m.normal, normal) > 1.0f - 1e-6f;
        if (pointCount != 1 || !isSame || sdMinF(thin.x, sdMinF(thin.y, thin.z)) <= 0.0f) {
            continue;
        }
        bool hasId = false, hasPlace = false;
        for (int k = 0; k < clipped; ++k) {
            hasId = hasId || points[k].id == m.points[0].id;
            sdVec3d off = sdSubD(on[k], sdVec3d_From(m.points[0].pointA));
            hasPlace = hasPlace || sdLengthD(off) <= 1e-5;
            others += sdLengthD(off) > 3.0 * SD_MANIFOLD_MERGE * size + 1e-5 ? 1 : 0;
        }
        oneCount += 1;
        ids += hasId ? 0 : 1;
        places += hasPlace ? 0 : 1;
    }
    sdTest_Print("%d with one point: not alone %d, another id %d, elsewhere %d", oneCount, others,
                 ids, places);
    CHECK(oneCount > count / 20);
    CHECK_INT(others + ids + places, 0);
}

// ---- single precision where it is enough -----------------------------------------------------

/// 10 to the power of lower, lower + 1, ... upper - 1, times 1 .. 10.
static float randomPower(TestRandom* random, int lower, int upper) {
    float r = TestRandom_Float(random, 1.0f, 10.0f);
    int power = lower + TestRandom_Int(random, upper - lower);
    for (int k = power < 0 ? -power : power; k > 0; --k) {
        r *= power < 0 ? 0.1f : 10.0f;
    }
    return r;
}

/// Boxes from 1e-3 to 1e3, some of them plates and needles.
static sdShape randomBox(TestRandom* random) {
    float size = randomPower(random, -3, 3);
    sdVec3 h = TestRandom_InBox(random, 0.5f);
    float thin = TestRandom_Int(random, 4) == 0 ? 1e-3f : 1.0f;
    return sdShape_Box(size * (0.6f + h.x), size * (0.6f + h.y), thin * size * (0.6f + h.z));
}

/// B's place once it has been moved along the axis of the greatest gap until that is `wanted`. Not
/// inlined: clang 14 mixes up the parts of the axis when it is (with -O2 and without any
/// vectorising, while the library's own answer is right).
__attribute__((noinline)) static sdVec3 placeWithGap(const sdShape* a, const sdShape* b,
                                                     const sdTransform* xf, float wanted) {
    sdSatResult sat = sdSatBox_Readable(a->box, b->box, *xf);
    return sdMulAdd(xf->p, wanted - sat.separation, sat.axis);
}

/// Bodies that are apart (or overlap) by a fraction of their size on the axis of the greatest gap.
static sdTransform nearlyTouching(TestRandom* random, const sdShape* a, const sdShape* b,
                                  float fraction) {
    float size = sdLength(a->box.halfExtents) + sdLength(b->box.halfExtents);
    sdVec3 place = sdScale(size, TestRandom_InBox(random, 1.0f));
    sdTransform xf = sdTransform_Make(place, TestRandom_Rotation(random));
    // twice, because another axis may have the greatest gap after the first move
    for (int i = 0; i < 2; ++i) {
        xf.p = placeWithGap(a, b, &xf, fraction * size);
    }
    return xf;
}

/// Edge on edge, turned against each other by a little.
static sdTransform nearlyParallel(TestRandom* random, const sdShape* a, const sdShape* b) {
    const sdVec3 along = {0.0f, 0.0f, 1.0f};
    sdQuat roll = sdQuat_FromRotationVector(sdScale(TestRandom_Float(random, -1.6f, 1.6f), along));
    sdVec3 turn = sdScale(randomPower(random, -7, -1), TestRandom_InBox(random, 1.0f));
    float size = sdLength(a->box.halfExtents) + sdLength(b->box.halfExtents);
    sdVec3 place = sdScale(size, TestRandom_InBox(random, 1.0f));
    sdTransform xf =
        sdTransform_Make(place, sdNormalizeQ(sdMulQ(sdQuat_FromRotationVector(turn), roll)));
    float fraction = randomPower(random, -7, -2);
    fraction = TestRandom_Int(random, 2) == 0 ? fraction : -fraction;
    for (int i = 0; i < 2; ++i) {
        xf.p = placeWithGap(a, b, &xf, fraction * size);
    }
    return xf;
}

SD_TEST(boxes_with_nearly_parallel_edges_have_points_on_both) {
    TestRandom random = TestRandom_Make(5);
    int count = TestRounds(PAIR_COUNT / 2), pairs = 0, off = 0, deepest = 0;
    double worst = 0.0;
    for (int i = 0; i < count; ++i) {
        sdVec3 h = TestRandom_InBox(&random, 0.5f), k = TestRandom_InBox(&random, 0.5f);
        sdShape a = sdShape_Box(0.6f + h.x, 0.6f + h.y, 0.6f + h.z);
        sdShape b = sdShape_Box(0.6f + k.x, 0.6f + k.y, 0.6f + k.z);
        sdTransform xf = nearlyParallel(&random, &a, &b);
        sdManifold m;
        sdCollide(&a, &b, xf, 0.01f, NULL, &m);
        pairs += m.pointCount > 0 ? 1 : 0;
        float least = FLT_MAX, separation = sdPenetration(&a, &b, xf, NULL).separation;
        for (int p = 0; p < m.pointCount; ++p) {
            double offA = TestOffSurface(&a, m.points[p].pointA);
            double offB = TestOffSurface(&b, sdInvTransformPoint(xf, m.points[p].pointB));
            worst = offA > worst ? offA : worst;
            worst = offB > worst ? offB : worst;
            least = sdMinF(least, m.points[p].separation);
        }
        deepest += m.pointCount > 0 && sdAbsF(least - separation) > 3e-5f ? 1 : 0;
    }
    off = worst > 3e-5 ? 1 : 0;
    sdTest_Print("%d of %d pairs touch; off a surface by %.1e m at the most, deepest missed %d",
                 pairs, count, worst, deepest);
    CHECK(pairs > count / 4);
    CHECK_INT(off + deepest, 0);
}

SD_TEST(boxes_are_decided_in_floats_only_where_doubles_agree) {
    TestRandom random = TestRandom_Make(3);
    int wrong = 0, levels = 0, onAxis = 0, known[3] = {0}, count = TestRounds(PAIR_COUNT);
    for (int i = 0; i < count; ++i) {
        sdShape a = randomBox(&random), b = randomBox(&random);
        float fraction = randomPower(&random, -6, -4);
        fraction = TestRandom_Int(&random, 2) == 0 ? fraction : -fraction;
        sdTransform xf = nearlyTouching(&random, &a, &b, fraction);
        bool isOverlapping =
            sdSatBox_AreOverlapping_base(a.box.halfExtents, b.box.halfExtents, &xf);
        sdBoxVerdict verdict = SD_DISPATCH(sdSatBox_Quick)(&a, &b, &xf, 0.0f);
        levels += verdict != sdSatBox_Quick_base(&a, &b, &xf, 0.0f) ? 1 : 0;
        wrong += verdict == (isOverlapping ? SD_BOXES_APART : SD_BOXES_OVERLAPPING) ? 1 : 0;
        wrong += sdOverlap(&a, &b, xf, NULL).isOverlapping != isOverlapping ? 1 : 0;
        // with a limit: the gap of doubles, which is that of the readable axes, must be above it
        float gap = sdSatBox_Readable(a.box, b.box, xf).separation;
        float limit = 0.5f * sdMaxF(gap, 0.0f), above = sdMaxF(gap, 0.0f);
        verdict = SD_DISPATCH(sdSatBox_Quick)(&a, &b, &xf, above);
        wrong += verdict == SD_BOXES_APART ? 1 : 0;
        verdict = SD_DISPATCH(sdSatBox_Quick)(&a, &b, &xf, limit);
        wrong += verdict == SD_BOXES_APART && !(gap > limit) ? 1 : 0;
        known[verdict] += 1;
        // on one axis: the best one, or any
        sdVec3 axis = sdSatBox_Readable(a.box, b.box, xf).axis;
        bool isApart = SD_DISPATCH(sdSatBox_IsApartOn)(&a, &b, &xf, limit, axis);
        levels += isApart != sdSatBox_IsApartOn_base(&a, &b, &xf, limit, axis) ? 1 : 0;
        wrong += isApart && !(gap > limit) ? 1 : 0;
        axis = sdNormalize(TestRandom_InBox(&random, 1.0f));
        wrong += SD_DISPATCH(sdSatBox_IsApartOn)(&a, &b, &xf, above, axis) &&
                         !(sdDistance(&a, &b, xf, NULL).separation > above)
                     ? 1
                     : 0;
        onAxis += isApart ? 1 : 0;
    }
    sdTest_Print("%d pairs: %d apart, %d overlapping, %d left to doubles; wrong %d, levels %d",
                 count, known[SD_BOXES_APART], known[SD_BOXES_OVERLAPPING], known[SD_BOXES_UNSURE],
                 wrong, levels);
    CHECK_INT(wrong, 0);
    CHECK_INT(levels, 0);
    CHECK(onAxis > count / 10);
    CHECK(known[SD_BOXES_APART] > count / 10 && known[SD_BOXES_OVERLAPPING] > count / 10);
}

/// Depths that differ by less of the boxes' sizes and distance are the same to floats: twice the
/// error of a gap, of edges that cross at a small angle, see sdSatBox_QuickAxis.
#define TIED 1.2e-5

static double sizesOf(const sdShape* a, const sdShape* b, sdTransform xf) {
    return (double)(sdLength(a->box.halfExtents) + sdLength(b->box.halfExtents) + sdLength(xf.p));
}

/// The gap on an axis.
static double gapOn(const sdBoxGaps* gaps, int axis) {
    if (axis < SD_BOX_FACE_AXES) {
        return axis < 3 ? gaps->faceA[axis] : gaps->faceB[axis - 3];
    }
    int i = (axis - SD_BOX_FACE_AXES) / 3, j = (axis - SD_BOX_FACE_AXES) % 3;
    return sdSignedRoot(gaps->cross[(j - i + 3) % 3][i]);
}

SD_TEST(boxes_with_quaternions_that_are_a_little_off_are_decided_as_by_doubles) {
    TestRandom random = TestRandom_Make(6);
    int wrong = 0, levels = 0, known = 0, axisCount = 0, count = TestRounds(PAIR_COUNT);
    for (int i = 0; i < count; ++i) {
        sdShape a = randomBox(&random), b = randomBox(&random);
        float fraction = randomPower(&random, -6, -4);
        fraction = TestRandom_Int(&random, 2) == 0 ? fraction : -fraction;
        sdTransform xf = nearlyTouching(&random, &a, &b, fraction);
        // some are deep, where lengths of axes count more
        float away = TestRandom_Int(&random, 2) == 0 ? TestRandom_Float(&random, 0.0f, 1.0f) : 1.0f;
        xf.p = sdScale(away, xf.p);
        // up to what single precision takes: the square of the length is 1 to 1e-4
        float length = 1.0f + TestRandom_Float(&random, -4.9e-5f, 4.9e-5f);
        xf.q = (sdQuat){sdScale(length, xf.q.v), length * xf.q.s};
        sdBoxPair pair;
        sdBoxGaps gaps;
        double gap, size = (double)sdMinF(sdLength(a.box.halfExtents), sdLength(b.box.halfExtents));
        sdSatBox_Gaps_base(a.box.halfExtents, b.box.halfExtents, &xf, 0.0, &pair, &gaps);
        sdBoxGaps_Best(&gaps, SD_SAT_TIE * size, &gap);
        // limits about as large as the gap, and none
        float limit = TestRandom_Int(&random, 2) == 0 ? sdMaxF((float)gap, 0.0f) : 0.0f;
        limit *= TestRandom_Float(&random, 1.0f - 1e-6f, 1.0f + 1e-6f);
        sdBoxVerdict verdict = SD_DISPATCH(sdSatBox_Quick)(&a, &b, &xf, limit);
        int axis = SD_DISPATCH(sdSatBox_QuickAxis)(&a, &b, &xf, limit);
        levels += verdict != sdSatBox_Quick_base(&a, &b, &xf, limit) ? 1 : 0;
        levels += axis != sdSatBox_QuickAxis_base(&a, &b, &xf, limit) ? 1 : 0;
        wrong += verdict == SD_BOXES_APART && !(gap > (double)limit) ? 1 : 0;
        wrong += verdict == SD_BOXES_OVERLAPPING && !(gap < 0.0) ? 1 : 0;
        wrong += axis == SD_NULL_INDEX && !(gap > (double)limit) ? 1 : 0;
        known += verdict != SD_BOXES_UNSURE ? 1 : 0;
        if (axis != SD_NULL_INDEX && axis != SD_BOX_AXIS_COUNT) {
            wrong += gapOn(&gaps, axis) < gap - TIED * sizesOf(&a, &b, xf) ? 1 : 0;
            axisCount += 1;
        }
    }
    sdTest_Print("%d pairs: %d decided, axis of %d known; wrong %d, levels %d", count, known,
                 axisCount, wrong, levels);
    CHECK_INT(wrong + levels, 0);
    CHECK(known > count / 4 && axisCount > count / 10);
}

/// Boxes that touch, nearly face to face or not, or are deep in each other.
static sdTransform anyOverlap(TestRandom* random, const sdShape* a, const sdShape* b) {
    float depth = -randomPower(random, -5, 0);
    switch (TestRandom_Int(random, 3)) {
        case 0:
            return nearlyTouching(random, a, b, depth);
        case 1:
            return nearlyParallel(random, a, b);
        default: {
            sdTransform xf = nearlyTouching(random, a, b, 0.0f);
            xf.p = sdScale(TestRandom_Float(random, 0.0f, 1.0f), xf.p);
            return xf;
        }
    }
}

SD_TEST(boxes_have_an_axis_by_floats_that_is_as_good_as_any) {
    TestRandom random = TestRandom_Make(4);
    int wrong = 0, levels = 0, knownCount = 0, apartCount = 0, sameCount = 0;
    int count = TestRounds(PAIR_COUNT);
    for (int i = 0; i < count; ++i) {
        sdShape a = randomBox(&random), b = randomBox(&random);
        sdTransform xf = anyOverlap(&random, &a, &b);
        int axis = SD_DISPATCH(sdSatBox_QuickAxis)(&a, &b, &xf, 0.0f);
        levels += axis != sdSatBox_QuickAxis_base(&a, &b, &xf, 0.0f) ? 1 : 0;
        sdBoxPair pair;
        sdBoxGaps gaps;
        double gap, size = (double)sdMinF(sdLength(a.box.halfExtents), sdLength(b.box.halfExtents));
        sdSatBox_Gaps_base(a.box.halfExtents, b.box.halfExtents, &xf, 0.0, &pair, &gaps);
        int best = sdBoxGaps_Best(&gaps, SD_SAT_TIE * size, &gap);
        if (axis == SD_NULL_INDEX) {
            wrong += gap > 0.0 ? 0 : 1;
            apartCount += 1;
        } else if (axis != SD_BOX_AXIS_COUNT) {
            wrong += gapOn(&gaps, axis) < gap - TIED * sizesOf(&a, &b, xf) ? 1 : 0;
            knownCount += 1;
            sameCount += axis == best ? 1 : 0;
        }
    }
    sdTest_Print("%d pairs: %d apart, axis of %d known, of %d that of doubles; wrong %d, levels %d",
                 count, apartCount, knownCount, sameCount, wrong, levels);
    CHECK_INT(wrong, 0);
    CHECK_INT(levels, 0);
    CHECK(knownCount > count / 5 && sameCount > 99 * knownCount / 100);
}

/// What single and double precision make of two boxes.
typedef struct Difference {
    int levels, wrong; ///< answers that differ from level to level, and otherwise
    int surface;       ///< points that are not on their boxes
    int turned;        ///< manifolds on another axis
    int ones, named;   ///< points that are alone, and of another name or kind
    int more, same;    ///< manifolds of several points, and those with the same ones
    double furthest;   ///< between points, as a fraction of sizes and distance
} Difference;

/// The point of a manifold that is nearest to another one.
static const sdManifoldPoint* nearestOf(const sdManifold* manifold, const sdManifoldPoint* to) {
    const sdManifoldPoint* nearest = &manifold->points[0];
    for (int p = 1; p < manifold->pointCount; ++p) {
        const sdManifoldPoint* point = &manifold->points[p];
        if (sdLength(sdSub(point->pointA, to->pointA)) <
            sdLength(sdSub(nearest->pointA, to->pointA))) {
            nearest = point;
        }
    }
    return nearest;
}

static double offOf(const sdManifoldPoint* a, const sdManifoldPoint* b) {
    return (double)(sdLength(sdSub(a->pointA, b->pointA)) + sdLength(sdSub(a->pointB, b->pointB)) +
                    sdAbsF(a->separation - b->separation));
}

static double deepestOf(const sdManifold* manifold) {
    float least = FLT_MAX;
    for (int p = 0; p < manifold->pointCount; ++p) {
        least = sdMinF(least, manifold->points[p].separation);
    }
    return (double)least;
}

/// A point that is alone; another may stand for the same where they are merged.
static void compareOne(const sdManifold* quick, const sdManifold* all, double size,
                       Difference* out) {
    const sdManifoldPoint* one = &quick->points[0];
    const sdManifoldPoint* other = nearestOf(all, one);
    for (int p = 0; p < all->pointCount; ++p) {
        double off = (double)sdLength(sdSub(all->points[p].pointA, one->pointA));
        out->wrong += off > SD_MANIFOLD_MERGE * size ? 1 : 0;
    }
    double most = (one->id == other->id ? TIED : SD_MANIFOLD_DEEPEST) * size;
    double off = offOf(one, other) / size;
    out->wrong += (double)sdAbsF(one->separation - other->separation) > most ? 1 : 0;
    out->ones += 1;
    out->named += one->id != other->id || quick->kind != all->kind ? 1 : 0;
    out->furthest = off > out->furthest ? off : out->furthest;
}

/// Several points: most are the same; of corners at the rim of a face one side may have two where
/// the other has one.
static void compareMore(const sdManifold* quick, const sdManifold* all, double size,
                        Difference* out) {
    bool isSame = quick->pointCount == all->pointCount && quick->kind == all->kind;
    for (int p = 0; isSame && p < quick->pointCount; ++p) {
        const sdManifoldPoint* other = nearestOf(all, &quick->points[p]);
        isSame = other->id == quick->points[p].id && offOf(other, &quick->points[p]) < 1e-5 * size;
    }
    out->more += 1;
    out->same += isSame ? 1 : 0;
}

static void compareQuickly(const sdShape* a, const sdShape* b, sdTransform xf, float margin,
                           Difference* out) {
    sdPairCache cache = {.count = 0};
    sdManifold quick = {.pointCount = 0}, base = quick, all = quick;
    int count = SD_DISPATCH(sdBoxes_CollideQuickly)(a, b, &xf, margin, NULL, &quick);
    int countBase = sdBoxes_CollideQuickly_base(a, b, &xf, margin, NULL, &base);
    sdBoxAnswer answer = SD_DISPATCH(sdBoxes_Collide)(a, b, &xf, margin, &cache, &all);
    out->levels += count != countBase || memcmp(&quick, &base, sizeof quick) != 0 ? 1 : 0;
    if (count < 1 || answer != SD_BOX_CONTACT) {
        return;
    }
    double size = sizesOf(a, b, xf), rim = 2.0 * SD_MANIFOLD_DEEPEST * size;
    for (int p = 0; p < count; ++p) {
        sdVec3 onB = sdInvTransformPoint(xf, quick.points[p].pointB);
        out->surface += TestOffSurface(a, quick.points[p].pointA) > rim ? 1 : 0;
        out->surface += TestOffSurface(b, onB) > rim ? 1 : 0;
    }
    out->wrong += fabs(deepestOf(&quick) - deepestOf(&all)) > SD_MANIFOLD_DEEPEST * size ? 1 : 0;
    // of two axes that are as good either may be it
    bool isTurned = !(sdDot(all.normal, quick.normal) > 1.0f - 1e-5f);
    if (isTurned) {
        out->turned += 1;
    } else if (count == 1) {
        compareOne(&quick, &all, size, out);
    } else {
        compareMore(&quick, &all, size, out);
    }
}

SD_TEST(boxes_have_points_by_floats_as_by_doubles) {
    TestRandom random = TestRandom_Make(11);
    Difference d = {.levels = 0};
    int count = TestRounds(PAIR_COUNT);
    for (int i = 0; i < count; ++i) {
        sdShape a = randomBox(&random), b = randomBox(&random);
        sdTransform xf = anyOverlap(&random, &a, &b);
        float size = sdMinF(sdLength(a.box.halfExtents), sdLength(b.box.halfExtents));
        float margin = TestRandom_Int(&random, 2) == 0 ? 0.0f : size * randomPower(&random, -5, -1);
        compareQuickly(&a, &b, xf, margin, &d);
    }
    sdTest_Print(
        "%d pairs: wrong %d, off surfaces %d, levels %d; %d on another axis; %d with one "
        "point, %d of another name or kind, off by %.1e of sizes at most; %d with more, %d the "
        "same",
        count, d.wrong, d.surface, d.levels, d.turned, d.ones, d.named, d.furthest, d.more, d.same);
    CHECK_INT(d.wrong + d.surface + d.levels, 0);
    CHECK(d.ones > count / 20 && d.more > count / 4 && d.turned < count / 20);
    CHECK(d.same > 98 * d.more / 100 && d.named < d.ones / 1000 + 1);
}

/// Points on a circle or the sides of a rectangle, some of them about as good as others.
static void randomPoints(TestRandom* random, sdBoxPoints* points, int count) {
    *points = (sdBoxPoints){.bits = 0};
    double noise = (double)randomPower(random, -7, 0), tilt = (double)randomPower(random, -7, 0);
    while (__builtin_popcount(points->bits) < count) {
        int at = TestRandom_Int(random, SD_BOX_CANDIDATES);
        double turn = 0.25 * (double)TestRandom_Int(random, 8);
        points->u[at] = (double)sdCos((float)turn * SD_PI) +
                        noise * (double)TestRandom_Float(random, -1.0f, 1.0f);
        points->v[at] = (double)sdSin((float)turn * SD_PI) +
                        noise * (double)TestRandom_Float(random, -1.0f, 1.0f);
        points->separation[at] = tilt * (double)TestRandom_Float(random, -1.0f, 0.01f);
        points->ids[at] = (uint32_t)at + 1;
        points->bits |= 1u << at;
    }
}

SD_TEST(boxes_choose_the_same_four_points_in_lanes) {
    TestRandom random = TestRandom_Make(5);
    int wrong = 0, known = 0, count = TestRounds(PAIR_COUNT);
    for (int i = 0; i < count; ++i) {
        sdBoxPoints points;
        int number = 5 + TestRandom_Int(&random, 4), chosen[SD_MANIFOLD_MAX_POINTS], flatCount = 0;
        randomPoints(&random, &points, number);
        sdFlatPoint flat[SD_BOX_CANDIDATES];
        bool isAnyNear = false;
        for (int k = 0; k < SD_BOX_CANDIDATES; ++k) {
            if ((points.bits >> k & 1u) != 0) {
                isAnyNear = isAnyNear || sdFlatPoints_Find(flat, flatCount, points.u[k],
                                                           points.v[k], 1.0) != flatCount;
                flat[flatCount++] =
                    (sdFlatPoint){points.u[k], points.v[k], points.separation[k], points.ids[k]};
            }
        }
        unsigned bits = sdBoxPoints_ChooseFour(&points, number, 1.0), expected = 0;
        int chosenCount = sdFlatPoints_Choose(flat, flatCount, 1.0, NULL, chosen);
        for (int k = 0; k < chosenCount; ++k) {
            expected |= 1u << (flat[chosen[k]].id - 1);
        }
        known += bits != 0 ? 1 : 0;
        wrong += bits != 0 && (bits != expected || isAnyNear) ? 1 : 0;
    }
    sdTest_Print("%d of %d known, %d wrong", known, count, wrong);
    CHECK_INT(wrong, 0);
    CHECK(known > count / 20);
}

SD_TEST(boxes_that_are_not_valid_are_never_clear) {
    const float bad[] = {NAN, INFINITY, -INFINITY, -1.0f, 1e30f};
    sdTransform xf = sdTransform_Make(sdV3(1.0f, 0.5f, 0.25f), sdQuat_Identity());
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 13; ++k) {
            sdShape a = sdShape_Box(1.0f, 2.0f, 3.0f), b = sdShape_Box(3.0f, 2.0f, 1.0f);
            sdTransform turned = xf;
            float* numbers[13] = {
                &a.box.halfExtents.x, &a.box.halfExtents.y, &a.box.halfExtents.z,
                &b.box.halfExtents.x, &b.box.halfExtents.y, &b.box.halfExtents.z,
                &turned.p.x,          &turned.p.y,          &turned.p.z,
                &turned.q.v.x,        &turned.q.v.y,        &turned.q.v.z,
                &turned.q.s,
            };
            *numbers[k] = bad[i];
            // a place of -1 and the quaternion of a turn by a half of it are fine
            bool isFine = bad[i] == -1.0f && ((k >= 6 && k < 9) || k == 12);
            bool isClear = SD_DISPATCH(sdSatBox_Quick)(&a, &b, &turned, 0.0f) != SD_BOXES_UNSURE;
            int axis = SD_DISPATCH(sdSatBox_QuickAxis)(&a, &b, &turned, 0.0f);
            CHECK(axis == SD_BOX_AXIS_COUNT || isFine);
            sdManifold m;
            sdCollide(&a, &b, turned, 0.0f, NULL, &m);
            CHECK(!isClear || isFine);
            const sdVec3 far = {0.0f, 1.0f, 0.0f};
            turned.p.y = k == 7 ? turned.p.y : 20.0f;
            CHECK(!SD_DISPATCH(sdSatBox_IsApartOn)(&a, &b, &turned, 0.0f, far) || isFine);
            turned.p.y = k == 7 ? turned.p.y : 0.5f;
            CHECK((sdOverlap(&a, &b, turned, NULL).status != SD_STATUS_INVALID) == isFine);
            CHECK((m.status != SD_STATUS_INVALID) == isFine);
        }
    }
}

/// How far boxes are apart whose axes are parallel, whichever is along which, along the axis on
/// which they are most.
static double gapOfAligned(sdVec3 halfA, sdVec3 halfB, sdTransform xf) {
    sdVec3 x = sdAbs(sdRotate(xf.q, sdV3(halfB.x, 0.0f, 0.0f)));
    sdVec3 y = sdAbs(sdRotate(xf.q, sdV3(0.0f, halfB.y, 0.0f)));
    sdVec3 z = sdAbs(sdRotate(xf.q, sdV3(0.0f, 0.0f, halfB.z)));
    sdVec3 gap = sdSub(sdAbs(xf.p), sdAdd(halfA, sdAdd(x, sdAdd(y, z))));
    return (double)sdMaxF(gap.x, sdMaxF(gap.y, gap.z));
}

/// Quaternions of turns by 90 and 120 degrees, as they come of such turns, are not of length 1 by
/// some 1e-7, and all edges are parallel: no cross product may pass for an axis.
SD_TEST(boxes_turned_by_quarters_have_points_where_they_overlap) {
    TestRandom random = TestRandom_Make(77);
    const sdVec3 axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    int overlapping = 0, wrong = 0, rounds = TestRounds(20000);
    for (int i = 0; i < rounds; ++i) {
        sdVec3 halves[2];
        sdQuat turns[2];
        for (int k = 0; k < 2; ++k) {
            halves[k] =
                sdV3(TestRandom_Float(&random, 0.1f, 1.0f), TestRandom_Float(&random, 0.1f, 1.0f),
                     TestRandom_Float(&random, 0.1f, 1.0f));
            int first = TestRandom_Int(&random, 3), second = TestRandom_Int(&random, 3);
            turns[k] = sdMulQ(
                sdQuat_FromAxisAngle(axes[first], QUARTER * (float)TestRandom_Int(&random, 4)),
                sdQuat_FromAxisAngle(axes[second], QUARTER * (float)TestRandom_Int(&random, 4)));
        }
        sdVec3 between =
            sdV3(TestRandom_Float(&random, -1.5f, 1.5f), TestRandom_Float(&random, -1.5f, 1.5f),
                 TestRandom_Float(&random, -1.5f, 1.5f));
        sdTransform xf = sdTransform_Make(sdInvRotate(turns[0], between),
                                          sdMulQ(sdConjugate(turns[0]), turns[1]));
        sdShape a = sdShape_Box(halves[0].x, halves[0].y, halves[0].z);
        sdShape b = sdShape_Box(halves[1].x, halves[1].y, halves[1].z);
        double gap = gapOfAligned(halves[0], halves[1], xf);
        sdManifold manifold;
        int count = sdCollide(&a, &b, xf, 0.0f, NULL, &manifold);
        bool isClear = fabs(gap) > 2e-6, overlaps = gap < 0.0;
        overlapping += overlaps ? 1 : 0;
        wrong += isClear && (count > 0) != overlaps ? 1 : 0;
        wrong += isClear && sdOverlap(&a, &b, xf, NULL).isOverlapping != overlaps ? 1 : 0;
        double depth = (double)sdPenetration(&a, &b, xf, NULL).separation;
        wrong += overlaps && fabs(depth - gap) > ROUNDING ? 1 : 0;
        wrong += !overlaps && isClear && depth < gap - ROUNDING ? 1 : 0;
    }
    sdTest_Print("%d pairs, %d overlapping: %d wrong", rounds, overlapping, wrong);
    CHECK_INT(wrong, 0);
    CHECK(overlapping > rounds / 10);
}
