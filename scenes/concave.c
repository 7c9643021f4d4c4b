// SPDX-License-Identifier: MIT
// concave.c - scenes of many bodies with holes and hollows: rings on posts, skulls in a heap,
// skulls on joints, bones through a funnel.
//
// Lengths are those of scale 1: `at` and the makers of shapes multiply them.

#include "scene_parts.h"

#include "sudar/joint.h"

#define MOST_RATIO 0.02f // of a body's size: depth that is allowed at the end
#define MEAN_SPEED 0.01f // m/s at the end: at rest, or nearly

static sdPos at(const sdSceneBuilder* builder, float x, float y, float z) {
    double s = (double)builder->scale;
    return sdPos_Make(s * (double)x, s * (double)y, s * (double)z);
}

static sdConcave* makeModel(sdSceneBuilder* builder, sdModelKind kind, float size) {
    return sdSceneBuilder_MakeModel(builder, kind, builder->scale * size);
}

static void addBox(sdSceneBuilder* builder, sdVec3 center, sdQuat rotation, sdVec3 half) {
    sdVec3 h = sdScale(builder->scale, half);
    sdSceneBuilder_AddStatic(builder, at(builder, center.x, center.y, center.z), rotation,
                             sdShape_Box(h.x, h.y, h.z));
}

static void addFloor(sdSceneBuilder* builder, float half) {
    addBox(builder, sdV3(0.0f, -1.0f, 0.0f), sdQuat_Identity(), sdV3(half, 1.0f, half));
}

/// How far a model's lowest point is below its origin, at scale 1.
static float depthOf(const sdSceneBuilder* builder, const sdConcave* concave) {
    return concave == NULL ? 0.0f
                           : -sdMesh_GetBounds(sdConcave_GetMesh(concave)).lower.y / builder->scale;
}

/// What all of these scenes end with.
typedef struct Outcome {
    int below;
    float ratio, speed;
    bool isGood;
} Outcome;

static Outcome judge(const sdSceneEnd* end) {
    Outcome r = {.below = sdSceneEnd_CountBelow(end),
                 .ratio = sdSceneEnd_WorstRatio(end),
                 .speed = sdSceneEnd_MeanSpeed(end)};
    // speeds of bodies that are smaller, and fall from less height, are smaller by the root
    r.isGood = r.below == 0 && r.ratio < MOST_RATIO && r.speed < MEAN_SPEED * sqrtf(end->scale);
    return r;
}

// ---- posts ---------------------------------------------------------------------------------

#define RING_SIZE 1.0f
#define RING_HOLE 0.28f     // m, radius
#define RING_RISE 0.5f      // m from ring to ring at the start: no two touch, however tilted
#define RING_TILT 0.2f      // rad
#define POST_SIZE 4.5f      // m: 0.25 m radius at its foot, so that a ring has 3 cm to every side
#define POST_PITCH 2.2f     // m
#define SLIM_POST_SIZE 3.5f // m: 9 to 13 cm to every side, for rings that spin
#define RING_FRICTION 0.4f

static int postsAlong(int count) {
    return count == 3 ? 3 : 5;
}

/// Where a post stands: 3 in a row, or 5 x 5.
static sdVec3 postPlace(int count, int post, float pitch) {
    int side = postsAlong(count);
    float x = (float)(post % side) - 0.5f * (float)(side - 1);
    float z = (float)(post / side) - 0.5f * (float)(count / side - 1);
    return sdV3(pitch * x, 0.0f, pitch * z);
}

static void addPosts(sdSceneBuilder* builder, int count, float pitch, float size) {
    sdConcave* post = makeModel(builder, SD_MODEL_POST, size);
    for (int i = 0; i < count; ++i) {
        sdVec3 p = postPlace(count, i, pitch);
        sdSceneBuilder_AddStatic(builder, at(builder, p.x, depthOf(builder, post), p.z),
                                 sdQuat_Identity(), sdSceneBuilder_ShapeOf(post));
    }
    sdConcave_Release(post);
}

// ---- rings ---------------------------------------------------------------------------------

static sdQuat randomTilt(sdSceneBuilder* builder, float most) {
    float angle = sdSceneBuilder_Random(builder, 0.0f, 6.2831853f);
    return sdQuat_FromAxisAngle(sdV3(sdCos(angle), 0.0f, sdSin(angle)),
                                sdSceneBuilder_Random(builder, 0.0f, most));
}

/// @param jitter m, sideways, of each ring from its post's axis
/// @param spin rad/s at most
static void addRings(sdSceneBuilder* builder, int postCount, float postSize, float jitter,
                     float spin) {
    sdConcave* ring = makeModel(builder, SD_MODEL_RING, RING_SIZE);
    for (int i = 0; i < builder->size; ++i) {
        sdVec3 p = postPlace(postCount, i % postCount, POST_PITCH);
        float x = p.x + sdSceneBuilder_Random(builder, -jitter, jitter);
        float z = p.z + sdSceneBuilder_Random(builder, -jitter, jitter);
        float y = postSize + RING_RISE * (float)(1 + i / postCount);
        sdBodyDef def = sdBodyDef_Default();
        def.type = SD_BODY_DYNAMIC;
        def.position = at(builder, x, y, z);
        def.rotation = randomTilt(builder, RING_TILT);
        def.angularVelocity.x = sdSceneBuilder_Random(builder, -spin, spin);
        def.angularVelocity.z = sdSceneBuilder_Random(builder, -spin, spin);
        sdSceneBuilder_Add(builder, &def, sdSceneBuilder_ShapeOf(ring));
    }
    sdConcave_Release(ring);
}

static void buildRings(sdSceneBuilder* builder) {
    sdSceneBuilder_SetFriction(builder, RING_FRICTION);
    addFloor(builder, 20.0f);
    addPosts(builder, 3, POST_PITCH, POST_SIZE);
    addRings(builder, 3, POST_SIZE, 0.03f, 0.0f);
}

static void buildRings500(sdSceneBuilder* builder) {
    sdSceneBuilder_SetFriction(builder, RING_FRICTION);
    addFloor(builder, 40.0f);
    addPosts(builder, 25, POST_PITCH, SLIM_POST_SIZE);
    addRings(builder, 25, SLIM_POST_SIZE, 0.15f, 0.5f);
}

/// Whether the axis of a post goes through the hole of a ring.
static bool isOnPost(const sdSceneEnd* end, int body, sdVec3 post) {
    sdWorldTransform pose = sdSceneEnd_GetPose(end, body);
    float s = end->scale;
    sdVec3 axis = sdRotate(pose.q, sdV3(0.0f, 1.0f, 0.0f));
    sdVec3 from = sdPos_Sub(pose.p, sdPos_Make((double)(s * post.x), 0.0, (double)(s * post.z)));
    if (sdAbsF(axis.y) < 0.1f) {
        return false;
    }
    // where the vertical through the post meets the ring's plane
    float y = sdDot(axis, from) / axis.y;
    float off = sdLength(sdSub(sdV3(0.0f, y, 0.0f), from));
    return y < s * POST_SIZE && off < s * RING_HOLE;
}

static int countOnPosts(const sdSceneEnd* end, int postCount) {
    int count = 0;
    for (int i = 0; i < end->bodyCount; ++i) {
        bool isOn = false;
        for (int k = 0; k < postCount && sdSceneEnd_IsDynamic(end, i) && !isOn; ++k) {
            isOn = isOnPost(end, i, postPlace(postCount, k, POST_PITCH));
        }
        count += isOn ? 1 : 0;
    }
    return count;
}

static bool checkRingsOn(const sdSceneEnd* end, int postCount, int percent) {
    Outcome outcome = judge(end);
    int count = countOnPosts(end, postCount), least = end->size * percent / 100;
    return sdSceneEnd_Say(
        end, outcome.isGood && count >= least,
        "%d rings on posts (%d), %d below the floor (0), deepest %.2f %% of a ring (2), mean speed "
        "%.2f mm/s (10)",
        count, least, outcome.below, 1e2 * (double)outcome.ratio, 1e3 * (double)outcome.speed);
}

static bool checkRings(const sdSceneEnd* end) {
    return checkRingsOn(end, 3, 90);
}

static bool checkRings500(const sdSceneEnd* end) {
    return checkRingsOn(end, 25, 20);
}

const sdScene sdSceneRings = {
    .name = "rings",
    .title = "Rings on posts",
    .text = "Rings of 216 triangles are dropped over three posts of 84 triangles.",
    .end = "most are on posts, all at rest, and none is in another by 2 % of its size",
    .rows = "F8",
    .sizeName = "rings",
    .size = 60,
    .minSize = 1,
    .maxSize = 500,
    .stepCount = 720,
    .dt = 1.0f / 60.0f,
    .hasScale = true,
    .eye = {3.5f, 4.5f, 8.5f},
    .target = {0.0f, 2.0f, 0.0f},
    .configure = NULL,
    .build = buildRings,
    .check = checkRings,
};

const sdScene sdSceneRings500 = {
    .name = "rings-500",
    .title = "Many rings on posts",
    .text = "Spinning rings fall on 5 x 5 posts; some slip over one, the others lie between them.",
    .end = "one in five or more is on a post, all are at rest, none is in another by 2 %",
    .rows = "F14",
    .sizeName = "rings",
    .size = 500,
    .minSize = 1,
    .maxSize = 5000,
    .stepCount = 900,
    .dt = 1.0f / 60.0f,
    .hasScale = true,
    .eye = {9.0f, 10.0f, 16.0f},
    .target = {0.0f, 1.0f, 0.0f},
    .configure = NULL,
    .build = buildRings500,
    .check = checkRings500,
};

// ---- skulls --------------------------------------------------------------------------------

#define SKULL_PITCH 1.35f // m: none touches another, however turned
#define SKULL_LAYERS 5
#define WALL_HALF 0.5f // m, half its thickness

/// Skulls along a side of the pen.
static int skullsAlong(int size) {
    int side = 1;
    while (side * side * SKULL_LAYERS < size) {
        ++side;
    }
    return side;
}

static float penHalf(int size) {
    return 0.5f * SKULL_PITCH * (float)sdMaxI(skullsAlong(size), 2);
}

static void addPen(sdSceneBuilder* builder, float half, float height) {
    float wall = half + WALL_HALF, wide = half + 2.0f * WALL_HALF, up = 0.5f * height;
    sdQuat q = sdQuat_Identity();
    addFloor(builder, wide);
    for (int side = -1; side <= 1; side += 2) {
        addBox(builder, sdV3((float)side * wall, up, 0.0f), q, sdV3(WALL_HALF, up, wide));
        addBox(builder, sdV3(0.0f, up, (float)side * wall), q, sdV3(half, up, WALL_HALF));
    }
}

/// m, of a skull of 1 m.
#define SKULL_ROLLING 0.005f

static void buildSkulls(sdSceneBuilder* builder) {
    int side = skullsAlong(builder->size);
    addPen(builder, penHalf(builder->size), 4.0f);
    // round as it is, bone does not rock for ever
    builder->material.rollingFriction = SKULL_ROLLING * builder->scale;
    sdConcave* skull = makeModel(builder, SD_MODEL_SKULL, 1.0f);
    float first = -0.5f * SKULL_PITCH * (float)(side - 1);
    for (int i = 0; i < builder->size; ++i) {
        int layer = i / (side * side), cell = i % (side * side);
        float x = first + SKULL_PITCH * (float)(cell % side);
        float z = first + SKULL_PITCH * (float)(cell / side);
        sdPos p = at(builder, x, 0.7f + SKULL_PITCH * (float)layer, z);
        sdQuat q = sdSceneBuilder_RandomRotation(builder);
        sdSceneBuilder_AddDynamic(builder, p, q, sdSceneBuilder_ShapeOf(skull));
    }
    sdConcave_Release(skull);
}

static bool checkSkulls(const sdSceneEnd* end) {
    Outcome outcome = judge(end);
    int outside = 0;
    double half = (double)(end->scale * penHalf(end->size));
    for (int i = 0; i < end->bodyCount; ++i) {
        sdPos p = sdSceneEnd_GetPose(end, i).p;
        bool isInside = p.x > -half && p.x < half && p.z > -half && p.z < half;
        outside += sdSceneEnd_IsDynamic(end, i) && !isInside ? 1 : 0;
    }
    return sdSceneEnd_Say(end, outcome.isGood && outside == 0,
                          "%d skulls outside the pen (0), %d below the floor (0), deepest %.2f %% "
                          "of a skull (2), mean speed %.2f mm/s (10)",
                          outside, outcome.below, 1e2 * (double)outcome.ratio,
                          1e3 * (double)outcome.speed);
}

const sdScene sdSceneSkulls = {
    .name = "skulls",
    .title = "Heap of skulls",
    .text = "Skulls of 2 970 triangles fall into a pen, turned at random.",
    .end = "all are in the pen and at rest, and none is in another by 2 % of its size",
    .rows = "F9",
    .sizeName = "skulls",
    .size = 50,
    .minSize = 1,
    .maxSize = 5000,
    .stepCount = 420,
    .dt = 1.0f / 60.0f,
    .hasScale = true,
    .eye = {4.0f, 7.5f, 7.0f},
    .target = {0.0f, 0.5f, 0.0f},
    .configure = NULL,
    .build = buildSkulls,
    .check = checkSkulls,
};

// ---- skulls on joints ----------------------------------------------------------------------

#define CHAIN_SKULLS 6     // joined to a ring
#define CHAIN_RADIUS 1.15f // m, of that ring: as far from skull to skull
#define CHAIN_RISE 1.25f   // m from ring to ring at the start
#define CHAIN_PITCH 4.2f   // m from post to post
#define CHAIN_POST_SIZE 5.0f
#define CHAIN_ERROR 0.01f // m by which joints may be off

static sdVec3 onCircle(int corner, float radius) {
    float angle = 6.2831853f / (float)CHAIN_SKULLS * (float)corner;
    return sdV3(radius * sdCos(angle), 0.0f, -radius * sdSin(angle));
}

static void addSkullRing(sdSceneBuilder* builder, const sdConcave* skull, sdVec3 center) {
    sdBodyId bodies[CHAIN_SKULLS];
    for (int i = 0; i < CHAIN_SKULLS; ++i) {
        sdVec3 p = sdAdd(center, onCircle(i, CHAIN_RADIUS));
        // faces look outward
        sdQuat q = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f),
                                        6.2831853f / (float)CHAIN_SKULLS * (float)i);
        bodies[i] = sdSceneBuilder_AddDynamic(builder, at(builder, p.x, p.y, p.z), q,
                                              sdSceneBuilder_ShapeOf(skull));
    }
    for (int i = 0; i < CHAIN_SKULLS && builder->result == SD_OK; ++i) {
        int next = (i + 1) % CHAIN_SKULLS;
        sdVec3 middle =
            sdScale(0.5f, sdAdd(onCircle(i, CHAIN_RADIUS), onCircle(next, CHAIN_RADIUS)));
        sdVec3 p = sdAdd(center, middle);
        sdJointDef def = sdJointDef_Make(SD_JOINT_BALL, bodies[i], bodies[next]);
        sdJointId id;
        builder->result = sdJointDef_Place(builder->world, &def, at(builder, p.x, p.y, p.z),
                                           sdV3(0.0f, 1.0f, 0.0f));
        if (builder->result == SD_OK) {
            builder->result = sdJoint_Create(builder->world, &def, &id);
        }
    }
}

static void buildSkullChain(sdSceneBuilder* builder) {
    addFloor(builder, 20.0f);
    addPosts(builder, 3, CHAIN_PITCH, CHAIN_POST_SIZE);
    sdConcave* skull = makeModel(builder, SD_MODEL_SKULL, 1.0f);
    for (int i = 0; i < builder->size; ++i) {
        sdVec3 p = postPlace(3, i % 3, CHAIN_PITCH);
        p.x += sdSceneBuilder_Random(builder, -0.2f, 0.2f);
        p.z += sdSceneBuilder_Random(builder, -0.2f, 0.2f);
        p.y = CHAIN_POST_SIZE - 1.0f + CHAIN_RISE * (float)(i / 3);
        addSkullRing(builder, skull, p);
    }
    sdConcave_Release(skull);
}

static bool checkSkullChain(const sdSceneEnd* end) {
    Outcome outcome = judge(end);
    float error = sdSceneEnd_WorstError(end, NULL);
    // joined in rings that are around posts, they lie or hang; a heap of them may still slide a bit
    bool isGood = outcome.below == 0 && outcome.ratio < MOST_RATIO &&
                  error < CHAIN_ERROR * end->scale && outcome.speed < 0.2f * sqrtf(end->scale);
    return sdSceneEnd_Say(end, isGood,
                          "joints are off by %.2f mm (10), %d skulls below the floor (0), deepest "
                          "%.2f %% of a skull (2), mean speed %.1f mm/s (200)",
                          1e3 * (double)error, outcome.below, 1e2 * (double)outcome.ratio,
                          1e3 * (double)outcome.speed);
}

const sdScene sdSceneSkullChain = {
    .name = "skull-chain",
    .title = "Skulls joined in rings",
    .text = "Skulls, joined by ball joints in rings of six, fall over posts.",
    .end = "joints hold within 1 cm, and no skull is in another by 2 % of its size",
    .rows = "F13",
    .sizeName = "rings of six skulls",
    .size = 18,
    .minSize = 1,
    .maxSize = 300,
    .stepCount = 360,
    .dt = 1.0f / 60.0f,
    .hasScale = true,
    .eye = {4.0f, 7.0f, 13.0f},
    .target = {0.0f, 1.5f, 0.0f},
    .configure = NULL,
    .build = buildSkullChain,
    .check = checkSkullChain,
};

// ---- bones ---------------------------------------------------------------------------------

#define FUNNEL_MOUTH 2.0f  // m, half its width below
#define FUNNEL_RISE 5.0f   // m, by which it gets higher and wider
#define FUNNEL_BOTTOM 4.0f // m above the floor
#define PLANK_HALF 0.25f   // m, half its thickness
#define BONE_PITCH 1.3f    // m
#define BONES_ALONG 7      // along a side of a layer
#define SKULL_SIZE 0.8f
#define BONE_SIZE 1.2f

/// Four planks that lean outward by 45 degrees.
static void addFunnel(sdSceneBuilder* builder) {
    const float root = 0.70710678f; // of 1/2
    float along = root * FUNNEL_RISE, wide = FUNNEL_MOUTH + FUNNEL_RISE;
    for (int i = 0; i < 4; ++i) {
        sdQuat turn = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 1.57079633f * (float)i);
        sdQuat lean = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), 0.785398163f);
        // of the upper face, then down and out by half the thickness
        sdVec3 p = sdV3(FUNNEL_MOUTH + 0.5f * FUNNEL_RISE + root * PLANK_HALF,
                        FUNNEL_BOTTOM + 0.5f * FUNNEL_RISE - root * PLANK_HALF, 0.0f);
        addBox(builder, sdRotate(turn, p), sdMulQ(turn, lean), sdV3(along, PLANK_HALF, wide));
    }
}

static void buildBones(sdSceneBuilder* builder) {
    addFloor(builder, 30.0f);
    addFunnel(builder);
    sdConcave* skull = makeModel(builder, SD_MODEL_SKULL, SKULL_SIZE);
    sdConcave* bone = makeModel(builder, SD_MODEL_BONE, BONE_SIZE);
    float first = -0.5f * BONE_PITCH * (float)(BONES_ALONG - 1);
    for (int i = 0; i < builder->size; ++i) {
        int layer = i / (BONES_ALONG * BONES_ALONG), cell = i % (BONES_ALONG * BONES_ALONG);
        sdPos p = at(builder, first + BONE_PITCH * (float)(cell % BONES_ALONG),
                     FUNNEL_BOTTOM + FUNNEL_RISE + BONE_PITCH * (float)layer,
                     first + BONE_PITCH * (float)(cell / BONES_ALONG));
        sdQuat q = sdSceneBuilder_RandomRotation(builder);
        // three skulls to two bones
        sdSceneBuilder_AddDynamic(builder, p, q,
                                  sdSceneBuilder_ShapeOf(i % 5 % 2 == 0 ? skull : bone));
    }
    sdConcave_Release(skull);
    sdConcave_Release(bone);
}

static bool checkBones(const sdSceneEnd* end) {
    Outcome outcome = judge(end);
    int through = 0;
    for (int i = 0; i < end->bodyCount; ++i) {
        double y = sdSceneEnd_GetPose(end, i).p.y;
        bool isThrough = y < (double)(end->scale * FUNNEL_BOTTOM);
        through += sdSceneEnd_IsDynamic(end, i) && isThrough ? 1 : 0;
    }
    return sdSceneEnd_Say(
        end, outcome.below == 0 && outcome.ratio < MOST_RATIO && through >= end->size / 2,
        "%d fell through the funnel (%d), %d below the floor (0), deepest %.2f "
        "%% of a body (2), mean speed %.1f mm/s",
        through, end->size / 2, outcome.below, 1e2 * (double)outcome.ratio,
        1e3 * (double)outcome.speed);
}

const sdScene sdSceneBones500 = {
    .name = "bones-500",
    .title = "Bones through a funnel",
    .text = "Skulls and bones fall into a funnel of four planks and through it onto the floor.",
    .end = "half of them or more are through, and none is in another by 2 % of its size",
    .rows = "F14",
    .sizeName = "bones and skulls",
    .size = 500,
    .minSize = 1,
    .maxSize = 5000,
    .stepCount = 600,
    .dt = 1.0f / 60.0f,
    .hasScale = true,
    .eye = {11.0f, 10.0f, 18.0f},
    .target = {0.0f, 4.0f, 0.0f},
    .configure = NULL,
    .build = buildBones,
    .check = checkBones,
};
