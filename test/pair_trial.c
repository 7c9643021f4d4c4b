// SPDX-License-Identifier: MIT
// pair_trial.c - see pair_trial.h.

#include "pair_trial.h"

#include "shape_zoo.h"

#include <stdio.h>

/// Single precision of points, poses and normals, as a part of sizes and distances.
#define ROUNDING (8.0 * (double)FLT_EPSILON)
/// The same after a pose was inverted or composed of three.
#define MOVED_ROUNDING (24.0 * (double)FLT_EPSILON)

// ---- the same bodies in other frames -------------------------------------------------------

static const sdHull* twinOf(const Trial* trial, const sdHull* hull) {
    for (int i = 0; i < trial->twinCount; ++i) {
        if (trial->twins[i].hull == hull) {
            return trial->twins[i].twin;
        }
    }
    return NULL;
}

/// The same body described in another frame.
/// @param frame receives the place of that frame in the old one
static sdShape describeAnew(const Trial* trial, const sdShape* shape, TestRandom* random,
                            sdTransform* frame) {
    float angle = TestRandom_Float(random, -SD_PI, SD_PI);
    sdQuat aboutY = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), angle);
    sdQuat cycle = {{0.5f, 0.5f, 0.5f}, 0.5f}; // x to y to z to x
    *frame = sdTransform_Identity();
    switch (shape->type) {
        case SD_SHAPE_SPHERE:
            frame->q = TestRandom_Rotation(random);
            return *shape;
        case SD_SHAPE_BOX: {
            sdVec3 h = shape->box.halfExtents;
            frame->q = cycle;
            return sdShape_Box(h.y, h.z, h.x);
        }
        case SD_SHAPE_TRIANGLE: {
            const sdVec3* v = shape->triangle.vertices;
            *frame = TestRandom_Pose(random, 0.5f);
            return sdShape_Triangle(sdInvTransformPoint(*frame, v[1]),
                                    sdInvTransformPoint(*frame, v[2]),
                                    sdInvTransformPoint(*frame, v[0]));
        }
        case SD_SHAPE_HULL: {
            const sdHull* twin = twinOf(trial, shape->hull);
            *frame = twin != NULL ? trial->twinFrame : *frame;
            return twin != NULL ? sdShape_Hull(twin) : *shape;
        }
        default:
            frame->q = aboutY;
            return *shape;
    }
}

// ---- one pair ------------------------------------------------------------------------------

static int sumOf(const Tally* f) {
    return f->status + f->separation + f->sweep + f->witness + f->swap + f->motion;
}

/// Its own normal shows the gap, no direction shows more, and the witnesses are on the surfaces.
static void checkProof(Trial* trial, const sdSeparation* s) {
    const Sweep* sweep = &trial->sweep;
    Tally* faults = &trial->faults;
    double error = (double)s->error + trial->rounding, separation = (double)s->separation;
    bool isUnit = fabs((double)sdLength(s->normal) - 1.0) < 1e-6;
    faults->status += s->status == SD_STATUS_INVALID || !isUnit;
    faults->sweep += fabs(Sweep_GapAlong(sweep, s->normal) - separation) > error;
    faults->sweep += sweep->bestGap > separation + error;
    sdVec3d a = sdVec3d_From(s->pointA), b = sdVec3d_From(s->pointB);
    sdVec3d reached = sdMulAddD(a, separation, sdVec3d_From(s->normal));
    faults->witness += sdLengthD(sdSubD(reached, b)) > error;
    faults->witness += Sweep_OutsideA(sweep, s->pointA) > error;
    faults->witness += Sweep_OutsideB(sweep, s->pointB) > error;
    faults->witness += fabs(Sweep_BelowA(sweep, s->pointA, s->normal)) > error;
    faults->witness += fabs(Sweep_BelowB(sweep, s->pointB, sdNeg(s->normal))) > error;
}

/// Two answers, each within its error.
static bool agree(const sdSeparation* s, const sdSeparation* t, double rounding) {
    return fabs((double)s->separation - (double)t->separation) <=
           (double)s->error + (double)t->error + rounding;
}

static void checkDistance(Trial* trial, const sdSeparation* d, const sdSeparation* s) {
    Tally* faults = &trial->faults;
    double error = (double)s->error + (double)d->error + trial->rounding;
    double expected = fmax((double)s->separation, 0.0);
    faults->separation += fabs((double)d->separation - expected) > error;
    faults->witness += Sweep_OutsideA(&trial->sweep, d->pointA) > error;
    faults->witness += Sweep_OutsideB(&trial->sweep, d->pointB) > error;
}

static void checkOverlap(Trial* trial, sdOverlapResult overlap, const sdSeparation* s) {
    bool isClear = fabs((double)s->separation) > (double)s->error + trial->rounding;
    trial->faults.status += overlap.status == SD_STATUS_INVALID;
    trial->faults.separation += isClear && overlap.isOverlapping != (s->separation < 0.0f);
}

/// Where they overlap, the depth; where they are apart, a gap that is no greater than the distance.
static void checkSat(Trial* trial, const sdSatResult* sat, const sdSeparation* s) {
    Tally* faults = &trial->faults;
    double error = (double)s->error + trial->rounding;
    double separation = (double)s->separation, own = (double)sat->separation;
    faults->status += sat->status != SD_STATUS_EXACT;
    faults->sweep += fabs(Sweep_GapAlong(&trial->sweep, sat->axis) - own) > trial->rounding;
    faults->separation += own > separation + error;
    faults->separation += separation > error && own <= 0.0;
    faults->separation += separation < -error && own < separation - error;
}

static void checkSwap(Trial* trial, const sdSeparation* s) {
    double rounding = MOVED_ROUNDING * trial->sweep.size;
    sdSeparation t = sdPenetration(&trial->b, &trial->a, sdInvertXf(trial->xf), NULL);
    trial->faults.swap += !agree(s, &t, rounding);
    // of equally good normals either may be given
    sdVec3 normal = sdNeg(sdRotate(trial->xf.q, t.normal));
    double gap = Sweep_GapAlong(&trial->sweep, normal);
    trial->faults.swap += fabs(gap - (double)t.separation) > (double)t.error + rounding;
}

static void checkMotion(Trial* trial, const sdSeparation* s, TestRandom* random) {
    sdTransform frameA, frameB;
    sdShape a = describeAnew(trial, &trial->a, random, &frameA);
    sdShape b = describeAnew(trial, &trial->b, random, &frameB);
    sdTransform xf = sdInvMulXf(frameA, sdMulXf(trial->xf, frameB));
    xf.q = sdNormalizeQ(xf.q);
    double away = (double)sdLength(frameA.p) + (double)sdLength(frameB.p);
    double rounding = MOVED_ROUNDING * (trial->sweep.size + away);
    sdSeparation t = sdPenetration(&a, &b, xf, NULL);
    trial->faults.motion += !agree(s, &t, rounding);
    double gap = Sweep_GapAlong(&trial->sweep, sdRotate(frameA.q, t.normal));
    trial->faults.motion += fabs(gap - (double)t.separation) > (double)t.error + rounding;
}

static bool isPolyhedron(const sdShape* shape) {
    return shape->type == SD_SHAPE_BOX || shape->type == SD_SHAPE_TRIANGLE ||
           shape->type == SD_SHAPE_HULL;
}

static bool isPolyhedral(const Trial* trial) {
    return isPolyhedron(&trial->a) && isPolyhedron(&trial->b);
}

bool Trial_Run(Trial* trial, TestRandom* random) {
    const sdShape *a = &trial->a, *b = &trial->b;
    sdTransform xf = trial->xf;
    Sweep_Init(&trial->sweep, a, b, xf);
    Sweep_Run(&trial->sweep);
    trial->rounding = ROUNDING * trial->sweep.size;
    trial->faults = (Tally){0};
    sdSeparation epa = sdEpa_Penetration(a, b, xf, NULL), table = sdPenetration(a, b, xf, NULL);
    sdSeparation gjk = sdGjk_Distance(a, b, xf, NULL), distance = sdDistance(a, b, xf, NULL);
    checkProof(trial, &epa);
    checkProof(trial, &table);
    trial->faults.separation += !agree(&epa, &table, trial->rounding);
    checkDistance(trial, &gjk, &epa);
    checkDistance(trial, &distance, &epa);
    checkOverlap(trial, sdGjk_Overlap(a, b, xf, NULL), &epa);
    checkOverlap(trial, sdOverlap(a, b, xf, NULL), &epa);
    if (isPolyhedral(trial)) {
        sdSeparation vclip = sdVClip_Distance(a, b, xf, NULL);
        checkProof(trial, &vclip);
        trial->faults.separation += !agree(&epa, &vclip, trial->rounding);
        sdSatResult sat = sdSat_Test(a, b, xf, true, NULL);
        checkSat(trial, &sat, &epa);
    }
    checkSwap(trial, &table);
    checkMotion(trial, &table, random);
    trial->found = table;
    trial->faults.overlapping = epa.separation < 0.0f;
    return sumOf(&trial->faults) == 0;
}

// ---- in words ------------------------------------------------------------------------------

static void printShape(const sdShape* shape) {
    const float* f = &shape->sphere.radius;
    int count = shape->type == SD_SHAPE_TRIANGLE ? 9 : shape->type == SD_SHAPE_BOX ? 3 : 2;
    if (shape->type == SD_SHAPE_HULL) {
        sdHull_GetVertices(shape->hull, &count);
        sdTest_Print("    hull of %d vertices", count);
        return;
    }
    char text[256];
    int used = 0;
    for (int i = 0; i < count; ++i) {
        used += snprintf(text + used, sizeof text - (size_t)used, " %.9g", (double)f[i]);
    }
    sdTest_Print("    %s%s", sdShapeType_Name(shape->type), text);
}

static void printSeparation(const char* name, const Trial* trial, const sdSeparation* s) {
    const Sweep* sweep = &trial->sweep;
    sdTest_Print(
        "    %s: %.9g within %.3g, normal %.7f %.7f %.7f; gap along it %.9g; A %.3g outside, "
        "%.3g below, B %.3g, %.3g; status %d",
        name, (double)s->separation, (double)s->error, (double)s->normal.x, (double)s->normal.y,
        (double)s->normal.z, Sweep_GapAlong(sweep, s->normal), Sweep_OutsideA(sweep, s->pointA),
        Sweep_BelowA(sweep, s->pointA, s->normal), Sweep_OutsideB(sweep, s->pointB),
        Sweep_BelowB(sweep, s->pointB, sdNeg(s->normal)), (int)s->status);
}

void Trial_Print(const Trial* trial) {
    const sdShape *a = &trial->a, *b = &trial->b;
    sdTransform xf = trial->xf;
    const Tally* f = &trial->faults;
    sdTest_Print("  status %d, separation %d, sweep %d, witness %d, swap %d, motion %d:", f->status,
                 f->separation, f->sweep, f->witness, f->swap, f->motion);
    printShape(a);
    printShape(b);
    sdTest_Print("    p %.9g %.9g %.9g  q %.9g %.9g %.9g %.9g", (double)xf.p.x, (double)xf.p.y,
                 (double)xf.p.z, (double)xf.q.v.x, (double)xf.q.v.y, (double)xf.q.v.z,
                 (double)xf.q.s);
    sdTest_Print("    best gap of the sweep %.9g, rounding %.3g", trial->sweep.bestGap,
                 trial->rounding);
    sdSeparation epa = sdEpa_Penetration(a, b, xf, NULL), table = sdPenetration(a, b, xf, NULL);
    sdSeparation gjk = sdGjk_Distance(a, b, xf, NULL);
    printSeparation("EPA", trial, &epa);
    printSeparation("table", trial, &table);
    printSeparation("GJK", trial, &gjk);
    if (isPolyhedral(trial)) {
        sdSeparation vclip = sdVClip_Distance(a, b, xf, NULL);
        printSeparation("V-Clip", trial, &vclip);
        sdTest_Print("    SAT: %.9g", (double)sdSat_Test(a, b, xf, true, NULL).separation);
    }
    sdSeparation swapped = sdPenetration(b, a, sdInvertXf(xf), NULL);
    sdTest_Print("    swapped: %.9g within %.3g", (double)swapped.separation,
                 (double)swapped.error);
}

void Tally_Add(Tally* tally, const Tally* pair) {
    tally->pairs += 1;
    tally->overlapping += pair->overlapping;
    tally->wrong += sumOf(pair) > 0;
    tally->status += pair->status > 0;
    tally->separation += pair->separation > 0;
    tally->sweep += pair->sweep > 0;
    tally->witness += pair->witness > 0;
    tally->swap += pair->swap > 0;
    tally->motion += pair->motion > 0;
}

void Tally_Print(const Tally* tally, const char* name) {
    sdTest_Print("%s: %d pairs, %d disagreements (%d overlapping; status %d, separation %d, "
                 "sweep %d, witness %d, swap %d, motion %d)",
                 name, tally->pairs, tally->wrong, tally->overlapping, tally->status,
                 tally->separation, tally->sweep, tally->witness, tally->swap, tally->motion);
}
