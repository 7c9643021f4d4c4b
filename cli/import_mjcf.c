// SPDX-License-Identifier: MIT
// import_mjcf.c - a subset of MuJoCo's XML as scene files.
//
// In:   worldbody with bodies, geoms, joints, freejoints and inertials; option gravity and
// timestep;
//       compiler angle and meshdir; meshes by file; defaults of geoms and joints, with classes.
// Out:  bodies at the poses of all joints at zero; one joint for each body.
// Ref:  https://mujoco.readthedocs.io/en/stable/XMLreference.html
// Note: every element or attribute that is not named here is noted as ignored.

#include "import_xml.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAME 128
#define MAX_PATH 2048
/// Bodies in each other, and of a file.
#define MAX_DEPTH 128
#define MAX_BODIES 10000

typedef struct Model {
    CliImport* import;
    xmlNode* root;
    bool isDegrees;
    char meshFolder[MAX_PATH];
    CliBuffer joints;
    int bodyCount, jointCount;
} Model;

static int lineOf(const xmlNode* node) {
    return (int)xmlGetLineNo(node);
}

static sdVec3 toFloats(const double* v) {
    return sdV3((float)v[0], (float)v[1], (float)v[2]);
}

// ---- defaults ------------------------------------------------------------------------------

/// The element that follows in the order of the text, within `top`.
static xmlNode* nextElement(xmlNode* node, const xmlNode* top) {
    if (node->children != NULL) {
        return node->children;
    }
    while (node != top && node->next == NULL) {
        node = node->parent;
    }
    return node != top ? node->next : NULL;
}

/// <default class="...">, wherever it stands; the outermost one for an empty name.
static xmlNode* findClass(const Model* model, const char* name) {
    xmlNode* top = CliXml_Child(model->root, "default");
    for (xmlNode* node = top; node != NULL && name[0] != '\0'; node = nextElement(node, top)) {
        char own[MAX_NAME];
        if (CliXml_Is(node, "default") && CliXml_Word(node, "class", own, sizeof own) &&
            strcmp(own, name) == 0) {
            return node;
        }
    }
    return name[0] == '\0' || strcmp(name, "main") == 0 ? top : NULL;
}

/// The class of an element: its own, or the childclass of a body that it is in.
static void readClass(const xmlNode* element, char* out, size_t size) {
    bool isFound = CliXml_Word(element, "class", out, size);
    for (const xmlNode* up = element->parent; up != NULL && !isFound; up = up->parent) {
        isFound = up->type == XML_ELEMENT_NODE && CliXml_Word(up, "childclass", out, size);
    }
}

/// Give an element the attributes of its class, and of those around that, that it has not itself.
static void applyClass(Model* model, xmlNode* element) {
    char name[MAX_NAME];
    readClass(element, name, sizeof name);
    const xmlNode* class = findClass(model, name);
    if (class == NULL && name[0] != '\0') {
        CliImport_Fail(model->import, lineOf(element), "there is no <default class=\"%s\">", name);
    }
    for (; class != NULL && CliXml_Is(class, "default"); class = class->parent) {
        const xmlNode* usual = CliXml_Child(class, (const char*)element->name);
        for (const xmlAttr* a = usual != NULL ? usual->properties : NULL; a != NULL; a = a->next) {
            if (xmlHasProp(element, a->name) == NULL) {
                xmlChar* value = xmlGetProp(usual, a->name);
                xmlNewProp(element, a->name, value);
                xmlFree(value);
            }
        }
    }
}

static void applyDefaults(Model* model) {
    xmlNode* world = CliXml_Child(model->root, "worldbody");
    for (xmlNode* node = world; node != NULL; node = nextElement(node, world)) {
        if (CliXml_Is(node, "geom") || CliXml_Is(node, "joint")) {
            applyClass(model, node);
        }
    }
    // of all else that has defaults nothing is used
    static const char* const known[] = {"default", "geom", "joint", NULL};
    static const char* const attributes[] = {"class", NULL};
    xmlNode* top = CliXml_Child(model->root, "default");
    for (xmlNode* node = top; node != NULL; node = nextElement(node, top)) {
        if (CliXml_Is(node, "default")) {
            CliXml_NoteOthers(model->import, node, known, attributes);
        }
    }
}

// ---- poses ---------------------------------------------------------------------------------

static double angleOf(const Model* model, double angle) {
    return model->isDegrees ? angle * 0.017453292519943295 : angle;
}

/// The rotation that turns z into a direction.
static sdQuat turnZ(sdVec3 d) {
    // x to the direction, after z to x
    sdQuat zToX = sdNormalizeQ((sdQuat){{0.0f, 1.0f, 0.0f}, 1.0f});
    return sdNormalizeQ(sdMulQ(CliImport_TurnX(d), zToX));
}

/// pos with one of quat, euler, axisangle, zaxis.
static sdTransform readPose(Model* model, const xmlNode* node) {
    CliImport* import = model->import;
    double p[3] = {0.0}, q[4] = {1.0, 0.0, 0.0, 0.0}, v[4];
    CliXml_Exact(import, node, "pos", p, 3);
    sdTransform xf = {toFloats(p), sdQuat_Identity()};
    if (CliXml_Numbers(import, node, "quat", q, 4) == 4) {
        sdQuat turn = {{(float)q[1], (float)q[2], (float)q[3]}, (float)q[0]};
        xf.q = sdDotQ(turn, turn) > 0.0f ? sdNormalizeQ(turn) : xf.q;
    } else if (CliXml_Numbers(import, node, "euler", v, 3) == 3) {
        // about the axes that turn along, x first
        sdQuat x = sdQuat_FromAxisAngle(sdV3(1.0f, 0.0f, 0.0f), (float)angleOf(model, v[0]));
        sdQuat y = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), (float)angleOf(model, v[1]));
        sdQuat z = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)angleOf(model, v[2]));
        xf.q = sdNormalizeQ(sdMulQ(x, sdMulQ(y, z)));
    } else if (CliXml_Numbers(import, node, "axisangle", v, 4) == 4) {
        sdVec3 axis = toFloats(v);
        if (sdLength(axis) > 0.0f) {
            xf.q = sdQuat_FromAxisAngle(sdNormalize(axis), (float)angleOf(model, v[3]));
        }
    } else if (CliXml_Numbers(import, node, "zaxis", v, 3) == 3) {
        xf.q = turnZ(toFloats(v));
    }
    return xf;
}

// ---- geoms ---------------------------------------------------------------------------------

static bool printMesh(Model* model, const xmlNode* geom, CliBuffer* out) {
    CliImport* import = model->import;
    char wanted[MAX_NAME], name[MAX_NAME], file[MAX_PATH], joined[2 * MAX_PATH], path[4096];
    CliXml_Word(geom, "mesh", wanted, sizeof wanted);
    const xmlNode* assets = CliXml_Child(model->root, "asset");
    for (const xmlNode* mesh = assets != NULL ? assets->children : NULL; mesh != NULL;
         mesh = mesh->next) {
        if (!CliXml_Is(mesh, "mesh") || !CliXml_Word(mesh, "file", file, sizeof file)) {
            continue;
        }
        if (!CliXml_Word(mesh, "name", name, sizeof name)) {
            // the name of the file without its ending
            const char* slash = strrchr(file, '/');
            snprintf(name, sizeof name, "%.100s", slash != NULL ? slash + 1 : file);
            name[strcspn(name, ".")] = '\0';
        }
        if (strcmp(name, wanted) != 0) {
            continue;
        }
        double scale[3] = {1.0, 1.0, 1.0};
        CliXml_Exact(import, mesh, "scale", scale, 3);
        if (scale[0] != scale[1] || scale[1] != scale[2]) {
            CliImport_Note(import, lineOf(mesh),
                           "approximated: a mesh that is scaled unevenly is "
                           "scaled by its x");
        }
        CliImport_Note(import, lineOf(mesh),
                       "approximated: a mesh collides by its hull, as it "
                       "does there");
        snprintf(joined, sizeof joined, "%s%s%s", model->meshFolder,
                 model->meshFolder[0] != '\0' ? "/" : "", file);
        CliImport_Join(import, joined, path, sizeof path);
        CliBuffer_Print(out, "{\"type\": \"hull\", \"mesh\": {\"path\": ");
        CliBuffer_Text(out, path);
        CliBuffer_Print(out, ", \"scale\": %.9g}}", scale[0]);
        return true;
    }
    return CliImport_Fail(import, lineOf(geom), "there is no mesh '%s' with a file in <asset>",
                          wanted);
}

/// Capsules and cylinders may be given by their ends.
static void readEnds(Model* model, const xmlNode* geom, double* size, sdTransform* xf) {
    double ends[6];
    if (CliXml_Numbers(model->import, geom, "fromto", ends, 6) == 6) {
        sdVec3 a = toFloats(ends), b = toFloats(ends + 3), d = sdSub(b, a);
        size[1] = 0.5 * (double)sdLength(d);
        xf->p = sdScale(0.5f, sdAdd(a, b));
        xf->q = turnZ(d);
    }
}

static bool printGeomShape(Model* model, const xmlNode* geom, CliBuffer* out, sdTransform* xf) {
    CliImport* import = model->import;
    char type[MAX_NAME];
    double size[3] = {0.0};
    if (!CliXml_Word(geom, "type", type, sizeof type)) {
        char mesh[MAX_NAME];
        strcpy(type, CliXml_Word(geom, "mesh", mesh, sizeof mesh) ? "mesh" : "sphere");
    }
    CliXml_Numbers(import, geom, "size", size, 3);
    if (strcmp(type, "sphere") == 0) {
        CliBuffer_Print(out, "{\"type\": \"sphere\", \"radius\": %.9g}", size[0]);
    } else if (strcmp(type, "box") == 0) {
        CliBuffer_Print(out, "{\"type\": \"box\", \"halfExtents\": [%.9g, %.9g, %.9g]}", size[0],
                        size[1], size[2]);
    } else if (strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0) {
        readEnds(model, geom, size, xf);
        CliBuffer_Print(out, "{\"type\": \"%s\", \"%s\": %.9g, \"radius\": %.9g}", type,
                        type[1] == 'a' ? "halfLength" : "halfHeight", size[1], size[0]);
        xf->q = sdMulQ(xf->q, CliImport_YToZ());
    } else if (strcmp(type, "plane") == 0) {
        if (size[0] > 0.0 || size[1] > 0.0) {
            CliImport_Note(import, lineOf(geom), "approximated: a plane has no end");
        }
        CliBuffer_Print(out, "{\"type\": \"half-space\"}");
        xf->q = sdMulQ(xf->q, CliImport_YToZ());
    } else if (strcmp(type, "mesh") == 0) {
        return printMesh(model, geom, out);
    } else if (strcmp(type, "ellipsoid") == 0) {
        CliImport_Note(import, lineOf(geom), "approximated: an ellipsoid is a box of its size");
        CliBuffer_Print(out, "{\"type\": \"box\", \"halfExtents\": [%.9g, %.9g, %.9g]}", size[0],
                        size[1], size[2]);
    } else {
        return CliImport_Fail(import, lineOf(geom),
                              "a geom of type '%s' cannot be imported; such are sphere, capsule, "
                              "cylinder, box, ellipsoid, plane and mesh",
                              type);
    }
    return true;
}

/// What a geom of a given mass weighs a cubic metre; 0 when its volume is not known here.
static double densityOf(Model* model, const xmlNode* geom, double mass) {
    char type[MAX_NAME];
    double size[3] = {0.0};
    sdTransform xf = sdTransform_Identity();
    if (!CliXml_Word(geom, "type", type, sizeof type)) {
        strcpy(type, "sphere");
    }
    CliXml_Numbers(model->import, geom, "size", size, 3);
    readEnds(model, geom, size, &xf);
    float a = (float)size[0], b = (float)size[1], c = (float)size[2];
    sdShape shape = strcmp(type, "sphere") == 0     ? sdShape_Sphere(a)
                    : strcmp(type, "box") == 0      ? sdShape_Box(a, b, c)
                    : strcmp(type, "capsule") == 0  ? sdShape_Capsule(b, a)
                    : strcmp(type, "cylinder") == 0 ? sdShape_Cylinder(b, a)
                                                    : sdShape_HalfSpace();
    sdMassProps props;
    bool isKnown = shape.type != SD_SHAPE_HALF_SPACE &&
                   sdShape_GetMass(NULL, &shape, 1.0f, &props) == SD_OK && props.mass > 0.0f;
    return isKnown ? mass / (double)props.mass : 0.0;
}

static bool printGeom(Model* model, const xmlNode* geom, bool isFirst) {
    static const char* const attributes[] = {
        "name",     "type", "size",    "pos",  "quat",      "euler", "zaxis",    "mesh",  "fromto",
        "friction", "mass", "density", "rgba", "axisangle", "group", "material", "class", NULL};
    CliImport* import = model->import;
    CliBuffer* out = &import->out;
    CliXml_NoteOthers(import, geom, NULL, attributes);
    sdTransform xf = readPose(model, geom);
    CliBuffer_Print(out, "%s\n      {\"shape\": ", isFirst ? "" : ",");
    if (!printGeomShape(model, geom, out, &xf)) {
        return false;
    }
    CliImport_Pose(out, xf);
    double friction[3], density[1] = {1000.0}, mass[1];
    int count = CliXml_Numbers(import, geom, "friction", friction, 3);
    if (count > 0) {
        CliBuffer_Print(out, ", \"material\": {\"staticFriction\": %.9g, \"slidingFriction\": %.9g",
                        friction[0], friction[0]);
        if (count > 1) {
            CliBuffer_Print(out, ", \"spinFriction\": %.9g", friction[1]);
        }
        if (count > 2) {
            CliBuffer_Print(out, ", \"rollingFriction\": %.9g", friction[2]);
        }
        CliBuffer_Print(out, "}");
    }
    CliXml_Exact(import, geom, "density", density, 1);
    if (CliXml_Numbers(import, geom, "mass", mass, 1) > 0) {
        double found = densityOf(model, geom, mass[0]);
        if (found > 0.0 || mass[0] == 0.0) {
            density[0] = found;
        } else {
            CliImport_Note(import, lineOf(geom),
                           "ignored: mass of a <geom> whose volume is not "
                           "known; give a density or an <inertial>");
        }
    }
    CliBuffer_Print(out, ", \"density\": %.9g}", density[0]);
    return !import->hasFailed;
}

static bool printGeoms(Model* model, const xmlNode* body) {
    bool ok = true, isFirst = true;
    CliBuffer_Print(&model->import->out, ", \"shapes\": [");
    for (const xmlNode* node = body->children; node != NULL && ok; node = node->next) {
        if (CliXml_Is(node, "geom")) {
            ok = printGeom(model, node, isFirst);
            isFirst = false;
        }
    }
    CliBuffer_Print(&model->import->out, "]}");
    return ok;
}

// ---- joints --------------------------------------------------------------------------------

static void printFrame(CliBuffer* out, const char* key, sdTransform xf) {
    sdQuat q = sdNormalizeQ(xf.q);
    CliBuffer_Print(out,
                    ", \"%s\": {\"position\": [%.9g, %.9g, %.9g], \"rotation\": [%.9g, %.9g, "
                    "%.9g, %.9g]}",
                    key, (double)xf.p.x, (double)xf.p.y, (double)xf.p.z, (double)q.v.x,
                    (double)q.v.y, (double)q.v.z, (double)q.s);
}

/// What is said of the axis that is free.
static void printAxis(Model* model, const xmlNode* joint, const char* axis, bool isTurn) {
    CliImport* import = model->import;
    char limited[MAX_NAME];
    double range[2] = {0.0}, stiffness[1] = {0.0};
    bool hasRange = CliXml_Numbers(import, joint, "range", range, 2) == 2;
    bool isLimited =
        CliXml_Word(joint, "limited", limited, sizeof limited)
            ? strcmp(limited, "true") == 0 || (strcmp(limited, "auto") == 0 && hasRange)
            : hasRange;
    if (CliXml_Numbers(import, joint, "stiffness", stiffness, 1) > 0 && stiffness[0] != 0.0) {
        CliImport_Note(import, lineOf(joint), "ignored: stiffness of <joint>");
    }
    if (isLimited) {
        double lower = isTurn ? angleOf(model, range[0]) : range[0];
        double upper = isTurn ? angleOf(model, range[1]) : range[1];
        CliBuffer_Print(&model->joints,
                        ", \"axes\": {\"%s\": {\"mode\": \"limited\", \"lower\": "
                        "%.9g, \"upper\": %.9g}}",
                        axis, lower, upper);
    }
}

/// @param joint NULL: held fast
static bool printJoint(Model* model, const xmlNode* joint, int parent, int child,
                       sdTransform xfParent) {
    static const char* const attributes[] = {"name",    "type",      "pos",   "axis", "range",
                                             "limited", "stiffness", "class", NULL};
    CliImport* import = model->import;
    char type[MAX_NAME] = "fixed";
    double axis[3] = {0.0, 0.0, 1.0}, pos[3] = {0.0};
    if (joint != NULL) {
        CliXml_NoteOthers(import, joint, NULL, attributes);
        if (!CliXml_Word(joint, "type", type, sizeof type)) {
            strcpy(type, "hinge");
        }
        CliXml_Exact(import, joint, "axis", axis, 3);
        CliXml_Exact(import, joint, "pos", pos, 3);
    }
    if (strcmp(type, "free") == 0) {
        return true;
    }
    bool isHinge = strcmp(type, "hinge") == 0, isSlide = strcmp(type, "slide") == 0;
    if (!isHinge && !isSlide && strcmp(type, "ball") != 0 && strcmp(type, "fixed") != 0) {
        return CliImport_Fail(import, lineOf(joint), "a joint cannot be of type '%s'", type);
    }
    CliBuffer* out = &model->joints;
    sdTransform local = {toFloats(pos), CliImport_TurnX(toFloats(axis))};
    CliBuffer_Print(out, "%s\n    {\"type\": \"%s\", \"bodyA\": %d, \"bodyB\": %d",
                    model->jointCount++ > 0 ? "," : "", isSlide ? "slider" : type, parent, child);
    printFrame(out, "frameA", sdMulXf(xfParent, local));
    printFrame(out, "frameB", local);
    if (isHinge || isSlide) {
        printAxis(model, joint, isHinge ? "turnX" : "moveX", isHinge);
    } else if (joint != NULL && strcmp(type, "ball") == 0) {
        double range[2] = {0.0};
        if (CliXml_Numbers(import, joint, "range", range, 2) == 2 && range[1] > 0.0) {
            CliImport_Note(import, lineOf(joint),
                           "approximated: the range of a ball joint is that "
                           "of its x axis");
            CliBuffer_Print(out, ", \"coneAngle\": %.9g", angleOf(model, range[1]));
        }
    }
    CliBuffer_Print(out, "}");
    return !import->hasFailed;
}

static bool printJoints(Model* model, const xmlNode* body, int parent, int child,
                        sdTransform xfParent) {
    const xmlNode* first = NULL;
    for (const xmlNode* node = body->children; node != NULL; node = node->next) {
        if (CliXml_Is(node, "freejoint")) {
            return true;
        }
        if (CliXml_Is(node, "joint")) {
            if (first != NULL) {
                CliImport_Note(model->import, lineOf(node),
                               "ignored: all joints of a body but the "
                               "first");
            }
            first = first != NULL ? first : node;
        }
    }
    return printJoint(model, first, parent, child, xfParent);
}

// ---- bodies --------------------------------------------------------------------------------

static bool printMass(Model* model, const xmlNode* inertial) {
    static const char* const attributes[] = {
        "pos", "quat", "euler", "axisangle", "zaxis", "mass", "diaginertia", "fullinertia", NULL};
    CliImport* import = model->import;
    CliXml_NoteOthers(import, inertial, NULL, attributes);
    double mass[1] = {0.0}, d[3] = {0.0}, f[6] = {0.0};
    CliXml_Exact(import, inertial, "mass", mass, 1);
    CliXml_Exact(import, inertial, "diaginertia", d, 3);
    bool isFull = CliXml_Numbers(import, inertial, "fullinertia", f, 6) == 6;
    for (int i = 0; i < 3 && !isFull; ++i) {
        f[i] = d[i];
    }
    sdMassProps props = {.mass = (float)mass[0],
                         .inertia = {{(float)f[0], (float)f[3], (float)f[4]},
                                     {(float)f[3], (float)f[1], (float)f[5]},
                                     {(float)f[4], (float)f[5], (float)f[2]}}};
    props = sdMassProps_Transform(props, readPose(model, inertial));
    const float* m = &props.inertia.cx.x;
    CliBuffer* out = &import->out;
    CliBuffer_Print(out, ", \"mass\": {\"mass\": %.9g, \"center\": [%.9g, %.9g, %.9g]", mass[0],
                    (double)props.center.x, (double)props.center.y, (double)props.center.z);
    CliBuffer_Print(out, ", \"inertia\": [%.9g, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g]}",
                    (double)m[0], (double)m[1], (double)m[2], (double)m[1], (double)m[4],
                    (double)m[5], (double)m[2], (double)m[5], (double)m[8]);
    return !import->hasFailed;
}

/// A body and those in it. Recursive, at most MAX_DEPTH deep.
static bool printBody(Model* model, const xmlNode* body, int parent, sdTransform xfParent,
                      int depth) {
    static const char* const elements[] = {"body", "geom",   "joint", "freejoint", "inertial",
                                           "site", "camera", "light", NULL};
    static const char* const attributes[] = {"name",      "pos",   "quat",       "euler",
                                             "axisangle", "zaxis", "childclass", NULL};
    CliImport* import = model->import;
    if (depth > MAX_DEPTH || model->bodyCount == MAX_BODIES) {
        return CliImport_Fail(import, lineOf(body),
                              "more than %d bodies in each other, or %d in "
                              "all",
                              MAX_DEPTH, MAX_BODIES);
    }
    CliXml_NoteOthers(import, body, elements, attributes);
    char name[MAX_NAME];
    int index = model->bodyCount++;
    sdTransform local = readPose(model, body), xf = sdMulXf(xfParent, local);
    CliBuffer_Print(&import->out, ",\n    {");
    if (CliXml_Word(body, "name", name, sizeof name)) {
        CliBuffer_Print(&import->out, "\"name\": ");
        CliBuffer_Text(&import->out, name);
        CliBuffer_Print(&import->out, ", ");
    }
    CliBuffer_Print(&import->out, "\"type\": \"dynamic\"");
    CliImport_Pose(&import->out, xf);
    const xmlNode* inertial = CliXml_Child(body, "inertial");
    bool ok = (inertial == NULL || printMass(model, inertial)) && printGeoms(model, body) &&
              printJoints(model, body, parent, index, local);
    for (const xmlNode* node = body->children; node != NULL && ok; node = node->next) {
        ok = !CliXml_Is(node, "body") || printBody(model, node, index, xf, depth + 1);
    }
    return ok;
}

static bool printAll(Model* model) {
    CliImport* import = model->import;
    CliBuffer* out = &import->out;
    double gravity[3] = {0.0, 0.0, -9.81}, dt[1] = {0.002};
    static const char* const optionAttributes[] = {"gravity", "timestep", NULL};
    const xmlNode *option = CliXml_Child(model->root, "option"),
                  *world = CliXml_Child(model->root, "worldbody");
    if (option != NULL) {
        CliXml_NoteOthers(import, option, NULL, optionAttributes);
        CliXml_Exact(import, option, "gravity", gravity, 3);
        CliXml_Exact(import, option, "timestep", dt, 1);
    }
    if (world == NULL) {
        return CliImport_Fail(import, 0, "there is no <worldbody>");
    }
    char name[MAX_NAME];
    CliXml_Word(model->root, "model", name, sizeof name);
    CliBuffer_Print(out, "{\n  \"sudar\": 1,\n  \"name\": ");
    CliBuffer_Text(out, name);
    CliBuffer_Print(out,
                    ",\n  \"settings\": {\"gravity\": [%.9g, %.9g, %.9g]},\n  \"recording\": "
                    "{\"dt\": %.9g},\n  \"bodies\": [\n    {\"name\": \"world\"",
                    gravity[0], gravity[1], gravity[2], dt[0]);
    model->bodyCount = 1;
    bool ok = printGeoms(model, world);
    for (const xmlNode* node = world->children; node != NULL && ok; node = node->next) {
        ok = !CliXml_Is(node, "body") || printBody(model, node, 0, sdTransform_Identity(), 1);
    }
    CliBuffer_Print(out, "\n  ],\n  \"joints\": [%s\n  ]\n}\n",
                    model->joints.data != NULL ? model->joints.data : "");
    return ok;
}

bool CliImport_Mjcf(CliImport* import) {
    static const char* const elements[] = {"compiler", "option", "asset",     "worldbody", "visual",
                                           "default",  "size",   "statistic", NULL};
    static const char* const attributes[] = {"model", NULL};
    static const char* const compilerAttributes[] = {"angle", "meshdir", NULL};
    xmlDoc* doc = CliXml_Read(import, "mujoco");
    if (doc == NULL) {
        return false;
    }
    Model model = {.import = import, .root = xmlDocGetRootElement(doc), .isDegrees = true};
    CliXml_NoteOthers(import, model.root, elements, attributes);
    const xmlNode* compiler = CliXml_Child(model.root, "compiler");
    if (compiler != NULL) {
        char angle[MAX_NAME];
        CliXml_NoteOthers(import, compiler, NULL, compilerAttributes);
        CliXml_Word(compiler, "angle", angle, sizeof angle);
        model.isDegrees = strcmp(angle, "radian") != 0;
        CliXml_Word(compiler, "meshdir", model.meshFolder, sizeof model.meshFolder);
    }
    applyDefaults(&model);
    bool ok = !import->hasFailed && printAll(&model) && !import->hasFailed;
    CliBuffer_Free(&model.joints);
    xmlFreeDoc(doc);
    return ok;
}
