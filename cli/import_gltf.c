// SPDX-License-Identifier: MIT
// import_gltf.c - glTF with KHR_physics_rigid_bodies as scene files.
//
// In:   nodes with motions, colliders, triggers and joints; shapes of KHR_implicit_shapes and
// meshes. Out:  a body for each node with a motion, with the colliders below it; a static one for
// each other
//       collider; joints of six axes.
// Ref:  github.com/eoineoineoin/glTF_Physics, extensions/2.0/Khronos/KHR_physics_rigid_bodies
// Note: meshes are read by gltf_mesh.c; poses of nodes are taken without animation.

#include "import.h"

#include "gltf_mesh.h"

#include <stdlib.h>
#include <string.h>

#define PHYSICS "KHR_physics_rigid_bodies"
#define SHAPES "KHR_implicit_shapes"
#define MAX_NODES 100000

typedef struct Node {
    int json; ///< its place in the document
    int parent;
    bool isPlaced;
    sdTransform xf; ///< in the world
    float scale;    ///< of x
    int physics;    ///< its extension; SD_NULL_INDEX: none
    int body;       ///< that it belongs to, by place in the scene file; -1: none
} Node;

typedef struct Gltf {
    CliImport* import;
    CliGltf file;
    const sdJson* json;
    Node* nodes;
    int nodeCount, bodyCount;
    sdTransform* bodyPoses;
    int world; ///< a body for what hangs on nothing; -1: none yet
    int shapes, materials, joints;
} Gltf;

static int lineOf(const Gltf* g, int node) {
    return node != SD_NULL_INDEX ? g->json->nodes[node].line : 0;
}

// ---- values --------------------------------------------------------------------------------

static double numberOf(const Gltf* g, int object, const char* key, double usual) {
    int value = object != SD_NULL_INDEX ? sdJson_Find(g->json, object, key) : SD_NULL_INDEX;
    return value != SD_NULL_INDEX && g->json->nodes[value].type == SD_JSON_NUMBER
               ? g->json->nodes[value].number
               : usual;
}

static int indexOf(const Gltf* g, int object, const char* key) {
    double number = numberOf(g, object, key, -1.0);
    return number >= 0.0 && number < 1e9 ? (int)number : -1;
}

static bool isTrue(const Gltf* g, int object, const char* key) {
    int value = sdJson_Find(g->json, object, key);
    return value != SD_NULL_INDEX && g->json->nodes[value].boolean;
}

/// @return how many numbers there are
static int numbersOf(const Gltf* g, int object, const char* key, float* out, int capacity) {
    int list = object != SD_NULL_INDEX ? sdJson_Find(g->json, object, key) : SD_NULL_INDEX;
    int count = 0;
    for (int i = list != SD_NULL_INDEX ? g->json->nodes[list].firstChild : SD_NULL_INDEX;
         i != SD_NULL_INDEX && count < capacity; i = g->json->nodes[i].next) {
        out[count++] = (float)g->json->nodes[i].number;
    }
    return count;
}

/// The i-th of a list; SD_NULL_INDEX: there is none.
static int itemOf(const Gltf* g, int list, int i) {
    int item = list != SD_NULL_INDEX && i >= 0 ? g->json->nodes[list].firstChild : SD_NULL_INDEX;
    for (int k = 0; k < i && item != SD_NULL_INDEX; ++k) {
        item = g->json->nodes[item].next;
    }
    return item;
}

static int extensionOf(const Gltf* g, int object, const char* name) {
    int extensions = sdJson_Find(g->json, object, "extensions");
    return extensions != SD_NULL_INDEX ? sdJson_Find(g->json, extensions, name) : SD_NULL_INDEX;
}

/// Note keys that are not in a list.
static void noteOthers(Gltf* g, int object, const char* what, const char* const* known) {
    if (object == SD_NULL_INDEX || g->json->nodes[object].type != SD_JSON_OBJECT) {
        return;
    }
    for (int i = g->json->nodes[object].firstChild; i != SD_NULL_INDEX;
         i = g->json->nodes[i].next) {
        const char* key = sdJson_Key(g->json, i);
        bool isKnown = false;
        for (const char* const* k = known; *k != NULL && !isKnown; ++k) {
            isKnown = strcmp(*k, key) == 0;
        }
        if (!isKnown) {
            CliImport_Note(g->import, lineOf(g, i), "ignored: %s of %s", key, what);
        }
    }
}

// ---- nodes ---------------------------------------------------------------------------------

/// A matrix without shear as a pose and a scale.
static sdTransform readMatrix(const float* m, sdVec3* scale) {
    sdVec3 x = {m[0], m[1], m[2]}, y = {m[4], m[5], m[6]}, z = {m[8], m[9], m[10]};
    *scale = sdV3(sdLength(x), sdLength(y), sdLength(z));
    sdMat33 turn = {sdNormalize(x), sdNormalize(y), sdNormalize(z)};
    return (sdTransform){sdV3(m[12], m[13], m[14]), sdNormalizeQ(sdQuat_FromMatrix(turn))};
}

static sdTransform readPose(Gltf* g, int object, float* outScale) {
    float m[16], t[3] = {0.0f}, r[4] = {0.0f, 0.0f, 0.0f, 1.0f}, s[3] = {1.0f, 1.0f, 1.0f};
    sdVec3 scale = {1.0f, 1.0f, 1.0f};
    sdTransform xf = sdTransform_Identity();
    if (numbersOf(g, object, "matrix", m, 16) == 16) {
        xf = readMatrix(m, &scale);
    } else {
        numbersOf(g, object, "translation", t, 3);
        numbersOf(g, object, "scale", s, 3);
        if (numbersOf(g, object, "rotation", r, 4) == 4) {
            sdQuat q = {{r[0], r[1], r[2]}, r[3]};
            xf.q = sdDotQ(q, q) > 0.0f ? sdNormalizeQ(q) : xf.q;
        }
        xf.p = sdV3(t[0], t[1], t[2]);
        scale = sdV3(s[0], s[1], s[2]);
    }
    if (sdAbsF(scale.x - scale.y) > 1e-4f * sdAbsF(scale.x) ||
        sdAbsF(scale.x - scale.z) > 1e-4f * sdAbsF(scale.x) || scale.x <= 0.0f) {
        CliImport_Note(g->import, lineOf(g, object),
                       "approximated: a node that is scaled unevenly is scaled by its x");
    }
    *outScale = sdAbsF(scale.x);
    return xf;
}

static bool readNodes(Gltf* g) {
    int list = sdJson_Find(g->json, 0, "nodes");
    g->nodeCount = list != SD_NULL_INDEX ? g->json->nodes[list].childCount : 0;
    if (g->nodeCount == 0 || g->nodeCount > MAX_NODES) {
        return CliImport_Fail(g->import, 0, "there are no nodes, or more than %d", MAX_NODES);
    }
    g->nodes = calloc((size_t)g->nodeCount, sizeof *g->nodes);
    g->bodyPoses = calloc((size_t)g->nodeCount + 1, sizeof *g->bodyPoses);
    if (g->nodes == NULL || g->bodyPoses == NULL) {
        return CliImport_Fail(g->import, 0, "there is no memory for it");
    }
    int i = 0;
    for (int item = g->json->nodes[list].firstChild; item != SD_NULL_INDEX;
         item = g->json->nodes[item].next, ++i) {
        Node* node = &g->nodes[i];
        *node = (Node){.json = item, .parent = node->parent, .body = -1};
        node->xf = readPose(g, item, &node->scale);
        node->physics = extensionOf(g, item, PHYSICS);
    }
    return true;
}

static bool linkNodes(Gltf* g) {
    for (int i = 0; i < g->nodeCount; ++i) {
        g->nodes[i].parent = -1;
    }
    for (int i = 0; i < g->nodeCount; ++i) {
        int list = sdJson_Find(g->json, g->nodes[i].json, "children");
        for (int item = list != SD_NULL_INDEX ? g->json->nodes[list].firstChild : SD_NULL_INDEX;
             item != SD_NULL_INDEX; item = g->json->nodes[item].next) {
            double child = g->json->nodes[item].number;
            if (!(child >= 0.0 && child < (double)g->nodeCount) ||
                g->nodes[(int)child].parent >= 0) {
                return CliImport_Fail(g->import, lineOf(g, item),
                                      "a child is not there, or has two parents");
            }
            g->nodes[(int)child].parent = i;
        }
    }
    // from the roots down; a round places at least one, or they go in a circle
    int placed = 0, before = -1;
    while (placed < g->nodeCount && placed != before) {
        before = placed;
        for (int i = 0; i < g->nodeCount; ++i) {
            Node* node = &g->nodes[i];
            const Node* parent = node->parent >= 0 ? &g->nodes[node->parent] : NULL;
            if (node->isPlaced || (parent != NULL && !parent->isPlaced)) {
                continue;
            }
            if (parent != NULL) {
                node->xf.p = sdScale(parent->scale, node->xf.p);
                node->xf = sdMulXf(parent->xf, node->xf);
                node->scale *= parent->scale;
            }
            node->isPlaced = true;
            ++placed;
        }
    }
    return placed == g->nodeCount || CliImport_Fail(g->import, 0, "nodes go round in a circle");
}

/// Nodes with motion are bodies, and so are colliders that have none above them.
static void findBodies(Gltf* g) {
    for (int i = 0; i < g->nodeCount; ++i) {
        Node* node = &g->nodes[i];
        bool hasMotion = node->physics != SD_NULL_INDEX &&
                         sdJson_Find(g->json, node->physics, "motion") != SD_NULL_INDEX;
        if (hasMotion) {
            g->bodyPoses[g->bodyCount] = node->xf;
            node->body = g->bodyCount++;
        }
    }
    for (int i = 0; i < g->nodeCount; ++i) {
        Node* node = &g->nodes[i];
        for (int up = i; node->body < 0 && up >= 0; up = g->nodes[up].parent) {
            int physics = g->nodes[up].physics;
            bool hasMotion = physics != SD_NULL_INDEX &&
                             sdJson_Find(g->json, physics, "motion") != SD_NULL_INDEX;
            node->body = hasMotion ? g->nodes[up].body : -1;
        }
    }
    for (int i = 0; i < g->nodeCount; ++i) {
        Node* node = &g->nodes[i];
        bool hasShape = node->physics != SD_NULL_INDEX &&
                        (sdJson_Find(g->json, node->physics, "collider") != SD_NULL_INDEX ||
                         sdJson_Find(g->json, node->physics, "trigger") != SD_NULL_INDEX);
        if (node->body < 0 && hasShape) {
            g->bodyPoses[g->bodyCount] = node->xf;
            node->body = g->bodyCount++;
        }
    }
}

// ---- shapes --------------------------------------------------------------------------------

static bool printImplicit(Gltf* g, int shape, float scale, CliBuffer* out) {
    int tag = sdJson_Find(g->json, shape, "type");
    const char* type = tag != SD_NULL_INDEX ? sdJson_Text(g->json, tag) : "";
    int value = sdJson_Find(g->json, shape, type);
    double s = (double)scale;
    if (strcmp(type, "sphere") == 0) {
        CliBuffer_Print(out, "{\"type\": \"sphere\", \"radius\": %.9g}",
                        s * numberOf(g, value, "radius", 0.5));
    } else if (strcmp(type, "box") == 0) {
        float size[3] = {1.0f, 1.0f, 1.0f};
        numbersOf(g, value, "size", size, 3);
        CliBuffer_Print(out, "{\"type\": \"box\", \"halfExtents\": [%.9g, %.9g, %.9g]}",
                        0.5 * s * (double)size[0], 0.5 * s * (double)size[1],
                        0.5 * s * (double)size[2]);
    } else if (strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0) {
        double height = numberOf(g, value, "height", 0.5);
        double bottom = numberOf(g, value, "radiusBottom", 0.25);
        double top = numberOf(g, value, "radiusTop", 0.25);
        if (bottom != top) {
            CliImport_Note(g->import, lineOf(g, shape),
                           "approximated: a %s with two radii has the larger one", type);
        }
        CliBuffer_Print(out, "{\"type\": \"%s\", \"%s\": %.9g, \"radius\": %.9g}", type,
                        type[1] == 'a' ? "halfLength" : "halfHeight", 0.5 * s * height,
                        s * (bottom > top ? bottom : top));
    } else if (strcmp(type, "plane") == 0) {
        CliImport_Note(g->import, lineOf(g, shape), "approximated: a plane has no end");
        CliBuffer_Print(out, "{\"type\": \"half-space\"}");
    } else {
        return CliImport_Fail(g->import, lineOf(g, shape), "a shape of type '%s' is not known",
                              type);
    }
    return true;
}

static bool printMesh(Gltf* g, int mesh, bool isHull, bool isDynamic, float scale, int line) {
    CliBuffer* out = &g->import->out;
    CliGltfMesh data;
    char reason[200];
    if (!CliGltf_ReadMesh(&g->file, mesh, &data, reason, sizeof reason)) {
        return CliImport_Fail(g->import, line, "mesh %d: %s", mesh, reason);
    }
    CliBuffer_Print(out, "{\"type\": \"%s\", \"%s\": %s[",
                    isHull ? "hull" : (isDynamic ? "concave" : "mesh"), isHull ? "points" : "mesh",
                    isHull ? ""
                           : "{\"repairs\": [\"weld\", \"drop-degenerate\", "
                             "\"drop-duplicate\"], \"vertices\": ");
    for (int i = 0; i < 3 * data.vertexCount; ++i) {
        CliBuffer_Print(out, "%s%.9g", i > 0 ? ", " : "", (double)(scale * data.vertices[i]));
    }
    CliBuffer_Print(out, isHull ? "]}" : "], \"triangles\": [");
    for (int i = 0; i < 3 * data.triangleCount && !isHull; ++i) {
        CliBuffer_Print(out, "%s%u", i > 0 ? ", " : "", (unsigned)data.triangles[i]);
    }
    CliBuffer_Print(out, isHull ? "" : "]}}");
    CliGltfMesh_Free(&data);
    return true;
}

/// @param collider or trigger
static bool printGeometry(Gltf* g, int collider, const Node* node, bool isDynamic) {
    static const char* const known[] = {"shape", "mesh", "node", "convexHull", NULL};
    int geometry = sdJson_Find(g->json, collider, "geometry");
    int line = lineOf(g, collider);
    if (geometry == SD_NULL_INDEX) {
        return CliImport_Fail(g->import, line, "a collider wants a geometry");
    }
    noteOthers(g, geometry, "geometry", known);
    int shape = itemOf(g, g->shapes, indexOf(g, geometry, "shape"));
    if (shape != SD_NULL_INDEX) {
        return printImplicit(g, shape, node->scale, &g->import->out);
    }
    int mesh = indexOf(g, geometry, "mesh"), other = indexOf(g, geometry, "node");
    if (mesh < 0 && other >= 0 && other < g->nodeCount) {
        mesh = indexOf(g, g->nodes[other].json, "mesh");
    }
    return mesh >= 0
               ? printMesh(g, mesh, isTrue(g, geometry, "convexHull"), isDynamic, node->scale, line)
               : CliImport_Fail(g->import, line,
                                "a geometry wants a shape or a mesh that is "
                                "there");
}

static void printMaterial(Gltf* g, int collider) {
    static const char* const known[] = {"staticFriction", "dynamicFriction", "restitution", NULL};
    int material = itemOf(g, g->materials, indexOf(g, collider, "physicsMaterial"));
    if (material == SD_NULL_INDEX) {
        return;
    }
    noteOthers(g, material, "a physicsMaterial", known);
    double still = numberOf(g, material, "staticFriction", 0.6);
    double sliding = numberOf(g, material, "dynamicFriction", 0.6);
    if (sliding > still) {
        CliImport_Note(g->import, lineOf(g, material),
                       "approximated: static friction is not less "
                       "than dynamic friction");
        still = sliding;
    }
    CliBuffer_Print(&g->import->out,
                    ", \"material\": {\"staticFriction\": %.9g, "
                    "\"slidingFriction\": %.9g, \"restitution\": %.9g}",
                    still, sliding, numberOf(g, material, "restitution", 0.0));
}

/// All colliders and triggers that belong to a body.
static bool printShapes(Gltf* g, int body, bool isDynamic) {
    static const char* const known[] = {"geometry", "physicsMaterial", NULL};
    CliBuffer* out = &g->import->out;
    bool ok = true;
    int count = 0;
    CliBuffer_Print(out, ", \"shapes\": [");
    for (int i = 0; i < g->nodeCount && ok; ++i) {
        const Node* node = &g->nodes[i];
        if (node->body != body || node->physics == SD_NULL_INDEX) {
            continue;
        }
        for (int k = 0; k < 2 && ok; ++k) {
            int collider = sdJson_Find(g->json, node->physics, k == 0 ? "collider" : "trigger");
            if (collider == SD_NULL_INDEX) {
                continue;
            }
            noteOthers(g, collider, k == 0 ? "a collider" : "a trigger", known);
            CliBuffer_Print(out, "%s\n      {\"shape\": ", count++ > 0 ? "," : "");
            ok = printGeometry(g, collider, node, isDynamic);
            CliImport_Pose(out, sdInvMulXf(g->bodyPoses[body], node->xf));
            printMaterial(g, collider);
            CliBuffer_Print(out, k == 0 ? "}" : ", \"isSensor\": true}");
        }
    }
    CliBuffer_Print(out, "]}");
    return ok;
}

// ---- bodies --------------------------------------------------------------------------------

static void printVector(Gltf* g, int object, const char* from, const char* to) {
    float v[3];
    if (numbersOf(g, object, from, v, 3) == 3) {
        CliBuffer_Print(&g->import->out, ", \"%s\": [%.9g, %.9g, %.9g]", to, (double)v[0],
                        (double)v[1], (double)v[2]);
    }
}

/// Velocities stand in the node's frame there.
static void printVelocity(Gltf* g, int motion, const char* from, const char* to, sdQuat turn) {
    float v[3];
    if (numbersOf(g, motion, from, v, 3) == 3) {
        sdVec3 w = sdRotate(turn, sdV3(v[0], v[1], v[2]));
        CliBuffer_Print(&g->import->out, ", \"%s\": [%.9g, %.9g, %.9g]", to, (double)w.x,
                        (double)w.y, (double)w.z);
    }
}

static void printMotion(Gltf* g, int motion, const Node* node) {
    static const char* const known[] = {"isKinematic",    "mass",
                                        "centerOfMass",   "inertiaDiagonal",
                                        "linearVelocity", "angularVelocity",
                                        "gravityFactor",  NULL};
    CliBuffer* out = &g->import->out;
    noteOthers(g, motion, "a motion", known);
    printVelocity(g, motion, "linearVelocity", "velocity", node->xf.q);
    printVelocity(g, motion, "angularVelocity", "angularVelocity", node->xf.q);
    double gravity = numberOf(g, motion, "gravityFactor", 1.0),
           mass = numberOf(g, motion, "mass", 0.0);
    if (gravity != 1.0) {
        CliBuffer_Print(out, ", \"gravityScale\": %.9g", gravity);
    }
    float inertia[3];
    bool hasInertia = numbersOf(g, motion, "inertiaDiagonal", inertia, 3) == 3 &&
                      inertia[0] > 0.0f && inertia[1] > 0.0f && inertia[2] > 0.0f;
    if (mass > 0.0 && hasInertia) {
        CliBuffer_Print(out, ", \"mass\": {\"mass\": %.9g", mass);
        printVector(g, motion, "centerOfMass", "center");
        CliBuffer_Print(out, ", \"inertia\": [%.9g, %.9g, %.9g]}", (double)inertia[0],
                        (double)inertia[1], (double)inertia[2]);
    } else if (mass > 0.0) {
        CliImport_Note(g->import, lineOf(g, motion),
                       "approximated: a mass without "
                       "inertiaDiagonal is that of 1000 kg/m3");
    }
}

static bool printBody(Gltf* g, int body) {
    static const char* const known[] = {"motion", "collider", "trigger", "joint", NULL};
    CliBuffer* out = &g->import->out;
    for (int i = 0; i < g->nodeCount; ++i) {
        const Node* node = &g->nodes[i];
        int motion = node->physics != SD_NULL_INDEX ? sdJson_Find(g->json, node->physics, "motion")
                                                    : SD_NULL_INDEX;
        bool isOwn = node->body == body && (motion != SD_NULL_INDEX || node->parent < 0 ||
                                            g->nodes[node->parent].body != body);
        if (!isOwn || node->physics == SD_NULL_INDEX) {
            continue;
        }
        noteOthers(g, node->physics, "a node's " PHYSICS, known);
        bool isKinematic = motion != SD_NULL_INDEX && isTrue(g, motion, "isKinematic");
        bool isDynamic = motion != SD_NULL_INDEX && !isKinematic;
        CliBuffer_Print(out, "%s\n    {\"name\": ", body > 0 ? "," : "");
        int name = sdJson_Find(g->json, node->json, "name");
        char text[160];
        // names may stand twice there
        snprintf(text, sizeof text, "%.120s#%d",
                 name != SD_NULL_INDEX ? sdJson_Text(g->json, name) : "node", i);
        CliBuffer_Text(out, text);
        CliBuffer_Print(out, ", \"type\": \"%s\"",
                        isDynamic ? "dynamic" : (isKinematic ? "kinematic" : "static"));
        CliImport_Pose(out, node->xf);
        if (motion != SD_NULL_INDEX) {
            printMotion(g, motion, node);
        }
        return printShapes(g, body, isDynamic);
    }
    return true;
}

// ---- joints --------------------------------------------------------------------------------

/// Limits of one kind of axes.
static void readLimit(Gltf* g, int limit, const char* key, int first, char modes[6][96]) {
    int axes = sdJson_Find(g->json, limit, key);
    int hasMin = sdJson_Find(g->json, limit, "min"), hasMax = sdJson_Find(g->json, limit, "max");
    double min = numberOf(g, limit, "min", -1e30), max = numberOf(g, limit, "max", 1e30);
    if (sdJson_Find(g->json, limit, "stiffness") != SD_NULL_INDEX) {
        CliImport_Note(g->import, lineOf(g, limit), "approximated: soft limits are hard");
    }
    for (int item = axes != SD_NULL_INDEX ? g->json->nodes[axes].firstChild : SD_NULL_INDEX;
         item != SD_NULL_INDEX; item = g->json->nodes[item].next) {
        int axis = (int)g->json->nodes[item].number;
        if (axis < 0 || axis > 2 || (hasMin == SD_NULL_INDEX && hasMax == SD_NULL_INDEX)) {
            continue;
        }
        if (min >= max) {
            snprintf(modes[first + axis], 96, "\"mode\": \"locked\"");
            if (min != 0.0) {
                CliImport_Note(g->import, lineOf(g, limit),
                               "approximated: an axis that is locked "
                               "is locked at 0");
            }
        } else {
            double most = first == 3 ? 3.14159 : 1e30;
            snprintf(modes[first + axis], 96,
                     "\"mode\": \"limited\", \"lower\": %.9g, \"upper\": %.9g",
                     min < -most ? -most : min, max > most ? most : max);
        }
    }
}

static void printFrame(Gltf* g, const char* key, int body, const Node* node) {
    sdTransform xf = sdInvMulXf(g->bodyPoses[body], node->xf);
    sdQuat q = sdNormalizeQ(xf.q);
    CliBuffer_Print(&g->import->out,
                    ", \"%s\": {\"position\": [%.9g, %.9g, %.9g], \"rotation\": "
                    "[%.9g, %.9g, %.9g, %.9g]}",
                    key, (double)xf.p.x, (double)xf.p.y, (double)xf.p.z, (double)q.v.x,
                    (double)q.v.y, (double)q.v.z, (double)q.s);
}

static bool printJoint(Gltf* g, const Node* node, int joint, bool isFirst) {
    static const char* const names[6] = {"moveX", "moveY", "moveZ", "turnX", "turnY", "turnZ"};
    static const char* const known[] = {"limits", NULL};
    CliBuffer* out = &g->import->out;
    int other = indexOf(g, joint, "connectedNode");
    int description = itemOf(g, g->joints, indexOf(g, joint, "joint"));
    if (other < 0 || other >= g->nodeCount || description == SD_NULL_INDEX) {
        return CliImport_Fail(g->import, lineOf(g, joint),
                              "a joint wants a connectedNode and a "
                              "joint that are there");
    }
    noteOthers(g, description, "a physicsJoint", known);
    char modes[6][96] = {{0}};
    int limits = sdJson_Find(g->json, description, "limits");
    for (int limit = limits != SD_NULL_INDEX ? g->json->nodes[limits].firstChild : SD_NULL_INDEX;
         limit != SD_NULL_INDEX; limit = g->json->nodes[limit].next) {
        readLimit(g, limit, "linearAxes", 0, modes);
        readLimit(g, limit, "angularAxes", 3, modes);
    }
    int a = node->body >= 0 ? node->body : g->world;
    int b = g->nodes[other].body >= 0 ? g->nodes[other].body : g->world;
    CliBuffer_Print(out, "%s\n    {\"type\": \"six\", \"bodyA\": %d, \"bodyB\": %d",
                    isFirst ? "" : ",", a, b);
    printFrame(g, "frameA", a, node);
    printFrame(g, "frameB", b, &g->nodes[other]);
    CliBuffer_Print(out, ", \"axes\": {");
    bool isFirstAxis = true;
    for (int i = 0; i < 6; ++i) {
        if (modes[i][0] != '\0') {
            CliBuffer_Print(out, "%s\"%s\": {%s}", isFirstAxis ? "" : ", ", names[i], modes[i]);
            isFirstAxis = false;
        }
    }
    CliBuffer_Print(out, "}%s}",
                    isTrue(g, joint, "enableCollision") ? ", \"collideConnected\": true" : "");
    return true;
}

static int jointOf(const Gltf* g, const Node* node) {
    return node->physics != SD_NULL_INDEX ? sdJson_Find(g->json, node->physics, "joint")
                                          : SD_NULL_INDEX;
}

/// A static body for ends of joints that belong to none.
static void addWorld(Gltf* g) {
    bool isNeeded = false;
    for (int i = 0; i < g->nodeCount; ++i) {
        int joint = jointOf(g, &g->nodes[i]);
        int other = joint != SD_NULL_INDEX ? indexOf(g, joint, "connectedNode") : -1;
        isNeeded = isNeeded || (joint != SD_NULL_INDEX &&
                                (g->nodes[i].body < 0 ||
                                 (other >= 0 && other < g->nodeCount && g->nodes[other].body < 0)));
    }
    if (isNeeded) {
        g->world = g->bodyCount++;
        g->bodyPoses[g->world] = sdTransform_Identity();
        CliBuffer_Print(&g->import->out, "%s\n    {\"name\": \"world\"}", g->world > 0 ? "," : "");
    }
}

static bool printAll(Gltf* g) {
    CliBuffer* out = &g->import->out;
    CliBuffer_Print(out, "{\n  \"sudar\": 1,\n  \"bodies\": [");
    bool ok = true, isFirst = true;
    for (int i = 0; i < g->bodyCount && ok; ++i) {
        ok = printBody(g, i);
    }
    addWorld(g);
    CliBuffer_Print(out, "\n  ],\n  \"joints\": [");
    for (int i = 0; i < g->nodeCount && ok; ++i) {
        int joint = jointOf(g, &g->nodes[i]);
        if (joint != SD_NULL_INDEX) {
            ok = printJoint(g, &g->nodes[i], joint, isFirst);
            isFirst = false;
        }
    }
    CliBuffer_Print(out, "\n  ]\n}\n");
    return ok;
}

bool CliImport_Gltf(CliImport* import) {
    Gltf g = {.import = import, .world = -1};
    char reason[300];
    int line = 0;
    if (!CliGltf_Open(&g.file, import->path, &line, reason, sizeof reason)) {
        return CliImport_Fail(import, line, "%s", reason);
    }
    g.json = &g.file.json;
    int physics = extensionOf(&g, 0, PHYSICS), shapes = extensionOf(&g, 0, SHAPES);
    g.shapes = shapes != SD_NULL_INDEX ? sdJson_Find(g.json, shapes, "shapes") : SD_NULL_INDEX;
    g.materials =
        physics != SD_NULL_INDEX ? sdJson_Find(g.json, physics, "physicsMaterials") : SD_NULL_INDEX;
    g.joints =
        physics != SD_NULL_INDEX ? sdJson_Find(g.json, physics, "physicsJoints") : SD_NULL_INDEX;
    static const char* const known[] = {"physicsMaterials", "physicsJoints", NULL};
    noteOthers(&g, physics, PHYSICS, known);
    if (sdJson_Find(g.json, 0, "animations") != SD_NULL_INDEX) {
        CliImport_Note(import, 0, "ignored: animations");
    }
    bool ok = readNodes(&g) && linkNodes(&g);
    if (ok) {
        findBodies(&g);
        ok = g.bodyCount > 0 ? printAll(&g)
                             : CliImport_Fail(import, 0,
                                              "no node has " PHYSICS "; 'sudar mesh' "
                                              "looks at its meshes");
    }
    free(g.nodes);
    free(g.bodyPoses);
    CliGltf_Close(&g.file);
    return ok && !import->hasFailed;
}
