// SPDX-License-Identifier: MIT
// import_urdf.c - robots in URDF as scene files.
//
// In:   links with collision and inertial, joints of all kinds but mimic.
// Out:  bodies at the poses of all joints at zero; gravity along -z, as is usual there.
// Ref:  http://wiki.ros.org/urdf/XML
// Note: visual elements do not collide and are left out without a note. A root link without
//       inertial stands still.

#include "import_xml.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAME 128
#define MAX_PATH 4096

typedef struct Link {
    xmlNode* node;
    char name[MAX_NAME];
    int parentJoint; ///< -1: a root
    bool isPlaced;
    sdTransform xf; ///< in the world
} Link;

typedef struct Joint {
    xmlNode* node;
    char name[MAX_NAME], type[MAX_NAME];
    int parent, child;
    sdTransform xf; ///< in the parent's frame
    sdVec3 axis;
} Joint;

#define MAX_LINKS 4096

typedef struct Robot {
    CliImport* import;
    Link* links;
    Joint* joints;
    int linkCount, jointCount;
} Robot;

static int lineOf(const xmlNode* node) {
    return (int)xmlGetLineNo(node);
}

static int findLink(const Robot* robot, const char* name) {
    for (int i = 0; i < robot->linkCount; ++i) {
        if (strcmp(robot->links[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// <origin xyz="" rpy=""> inside of an element.
static sdTransform readOrigin(CliImport* import, const xmlNode* node) {
    const xmlNode* origin = CliXml_Child(node, "origin");
    double xyz[3] = {0.0}, rpy[3] = {0.0};
    if (origin != NULL) {
        CliXml_Exact(import, origin, "xyz", xyz, 3);
        CliXml_Exact(import, origin, "rpy", rpy, 3);
    }
    return (sdTransform){sdV3((float)xyz[0], (float)xyz[1], (float)xyz[2]),
                         CliImport_Rpy(rpy[0], rpy[1], rpy[2])};
}

// ---- links ---------------------------------------------------------------------------------

static bool printMeshShape(CliImport* import, const xmlNode* mesh, CliBuffer* out) {
    char name[MAX_PATH], path[MAX_PATH];
    double scale[3] = {1.0, 1.0, 1.0};
    if (!CliXml_Word(mesh, "filename", name, sizeof name)) {
        return CliImport_Fail(import, lineOf(mesh), "<mesh> wants a filename");
    }
    CliXml_Exact(import, mesh, "scale", scale, 3);
    if (scale[0] != scale[1] || scale[1] != scale[2]) {
        CliImport_Note(import, lineOf(mesh),
                       "approximated: a mesh that is scaled unevenly is "
                       "scaled by its x");
    }
    const char* file = name;
    if (strncmp(file, "file://", 7) == 0) {
        file += 7;
    } else if (strncmp(file, "package://", 10) == 0) {
        // packages are not known here: the folder of the file stands for that of the package
        const char* slash = strchr(file + 10, '/');
        file = slash != NULL ? slash + 1 : file + 10;
        CliImport_Note(import, lineOf(mesh),
                       "approximated: package:// is taken for the folder of "
                       "the file");
    }
    CliImport_Join(import, file, path, sizeof path);
    CliBuffer_Print(out, "{\"type\": \"concave\", \"mesh\": {\"path\": ");
    CliBuffer_Text(out, path);
    CliBuffer_Print(out, ", \"scale\": %.9g}}", scale[0]);
    return true;
}

/// @param xf turned where the axis of a shape is another
static bool printShape(CliImport* import, const xmlNode* geometry, CliBuffer* out,
                       sdTransform* xf) {
    const xmlNode* shape = geometry != NULL ? geometry->children : NULL;
    while (shape != NULL && shape->type != XML_ELEMENT_NODE) {
        shape = shape->next;
    }
    double v[3] = {0.0};
    if (shape != NULL && CliXml_Is(shape, "box")) {
        CliXml_Exact(import, shape, "size", v, 3);
        CliBuffer_Print(out, "{\"type\": \"box\", \"halfExtents\": [%.9g, %.9g, %.9g]}", 0.5 * v[0],
                        0.5 * v[1], 0.5 * v[2]);
        return true;
    }
    if (shape != NULL && CliXml_Is(shape, "sphere")) {
        CliXml_Exact(import, shape, "radius", v, 1);
        CliBuffer_Print(out, "{\"type\": \"sphere\", \"radius\": %.9g}", v[0]);
        return true;
    }
    if (shape != NULL && (CliXml_Is(shape, "cylinder") || CliXml_Is(shape, "capsule"))) {
        CliXml_Exact(import, shape, "radius", v, 1);
        CliXml_Exact(import, shape, "length", v + 1, 1);
        CliBuffer_Print(
            out, "{\"type\": \"%s\", \"%s\": %.9g, \"radius\": %.9g}", (const char*)shape->name,
            CliXml_Is(shape, "capsule") ? "halfLength" : "halfHeight", 0.5 * v[1], v[0]);
        xf->q = sdMulQ(xf->q, CliImport_YToZ());
        return true;
    }
    if (shape != NULL && CliXml_Is(shape, "mesh")) {
        return printMeshShape(import, shape, out);
    }
    return CliImport_Fail(import, shape != NULL ? lineOf(shape) : 0,
                          "<geometry> wants a box, sphere, cylinder, capsule or mesh");
}

static bool printMass(CliImport* import, const xmlNode* inertial, CliBuffer* out) {
    const xmlNode *mass = CliXml_Child(inertial, "mass"),
                  *inertia = CliXml_Child(inertial, "inertia");
    double kg[1] = {0.0};
    static const char* const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    double i[6] = {0.0};
    if (mass == NULL || !CliXml_Exact(import, mass, "value", kg, 1)) {
        return CliImport_Fail(import, lineOf(inertial), "<inertial> wants <mass value=\"\"/>");
    }
    for (int k = 0; k < 6 && inertia != NULL; ++k) {
        if (!CliXml_Exact(import, inertia, names[k], &i[k], 1)) {
            return false;
        }
    }
    if (!(kg[0] > 0.0) || !(i[0] > 0.0 && i[1] > 0.0 && i[2] > 0.0)) {
        CliImport_Note(import, lineOf(inertial),
                       "approximated: a mass or moment that is not "
                       "positive is taken from the shapes instead");
        return true;
    }
    sdTransform xf = readOrigin(import, inertial);
    sdMassProps props = {.mass = (float)kg[0],
                         .inertia = {{(float)i[0], (float)i[3], (float)i[4]},
                                     {(float)i[3], (float)i[1], (float)i[5]},
                                     {(float)i[4], (float)i[5], (float)i[2]}}};
    props = sdMassProps_Transform(props, xf);
    const float* m = &props.inertia.cx.x;
    // turning leaves rounding on both sides of the diagonal
    CliBuffer_Print(out, ", \"mass\": {\"mass\": %.9g, \"center\": [%.9g, %.9g, %.9g]", kg[0],
                    (double)props.center.x, (double)props.center.y, (double)props.center.z);
    CliBuffer_Print(out, ", \"inertia\": [%.9g, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g]}",
                    (double)m[0], (double)m[1], (double)m[2], (double)m[1], (double)m[4],
                    (double)m[5], (double)m[2], (double)m[5], (double)m[8]);
    return true;
}

static bool printLink(Robot* robot, const Link* link, bool isFirst) {
    static const char* const elements[] = {"inertial", "visual", "collision", NULL};
    static const char* const attributes[] = {"name", NULL};
    CliImport* import = robot->import;
    CliBuffer* out = &import->out;
    CliXml_NoteOthers(import, link->node, elements, attributes);
    const xmlNode* inertial = CliXml_Child(link->node, "inertial");
    bool isStatic = link->parentJoint < 0 && inertial == NULL;
    if (isStatic) {
        CliImport_Note(import, lineOf(link->node),
                       "approximated: the root link '%s' has no "
                       "inertial and stands still",
                       link->name);
    }
    CliBuffer_Print(out, "%s\n    {\"name\": ", isFirst ? "" : ",");
    CliBuffer_Text(out, link->name);
    CliBuffer_Print(out, ", \"type\": \"%s\"", isStatic ? "static" : "dynamic");
    CliImport_Pose(out, link->xf);
    if (inertial != NULL && !isStatic && !printMass(import, inertial, out)) {
        return false;
    }
    CliBuffer_Print(out, ", \"shapes\": [");
    int count = 0;
    for (const xmlNode* node = link->node->children; node != NULL; node = node->next) {
        if (CliXml_Is(node, "collision")) {
            sdTransform xf = readOrigin(import, node);
            CliBuffer_Print(out, "%s\n      {\"shape\": ", count++ > 0 ? "," : "");
            if (!printShape(import, CliXml_Child(node, "geometry"), out, &xf)) {
                return false;
            }
            CliImport_Pose(out, xf);
            CliBuffer_Print(out, "}");
        }
    }
    CliBuffer_Print(out, "]}");
    if (count == 0 && inertial == NULL && !isStatic) {
        CliImport_Note(import, lineOf(link->node),
                       "approximated: link '%s' has neither inertial "
                       "nor collision: 1 kg that cannot turn",
                       link->name);
    }
    return !import->hasFailed;
}

// ---- joints --------------------------------------------------------------------------------

static void printAxis(Robot* robot, const Joint* joint, bool isLimited, const char* axis) {
    CliImport* import = robot->import;
    const xmlNode *limit = CliXml_Child(joint->node, "limit"),
                  *dynamics = CliXml_Child(joint->node, "dynamics");
    double lower[1] = {0.0}, upper[1] = {0.0}, other[1] = {0.0}, friction[1] = {0.0};
    CliBuffer* out = &import->out;
    if (limit != NULL) {
        CliXml_Exact(import, limit, "lower", lower, 1);
        CliXml_Exact(import, limit, "upper", upper, 1);
        if (CliXml_Numbers(import, limit, "velocity", other, 1) > 0) {
            CliImport_Note(import, lineOf(limit), "ignored: velocity of <limit>");
        }
        if (CliXml_Numbers(import, limit, "effort", other, 1) > 0) {
            CliImport_Note(import, lineOf(limit),
                           "ignored: effort of <limit>; joints are not "
                           "driven");
        }
    }
    if (dynamics != NULL) {
        CliXml_Exact(import, dynamics, "friction", friction, 1);
        if (CliXml_Numbers(import, dynamics, "damping", other, 1) > 0 && other[0] != 0.0) {
            CliImport_Note(import, lineOf(dynamics), "ignored: damping of <dynamics>");
        }
    }
    if (isLimited || friction[0] > 0.0) {
        CliBuffer_Print(out, ", \"axes\": {\"%s\": {", axis);
        if (isLimited) {
            CliBuffer_Print(out, "\"mode\": \"limited\", \"lower\": %.9g, \"upper\": %.9g%s",
                            lower[0], upper[0], friction[0] > 0.0 ? ", " : "");
        }
        if (friction[0] > 0.0) {
            CliBuffer_Print(out, "\"drive\": \"friction\", \"maxForce\": %.9g", friction[0]);
        }
        CliBuffer_Print(out, "}}");
    }
}

static bool printJoint(Robot* robot, const Joint* joint, bool* isFirst) {
    static const char* const elements[] = {"parent", "child",    "origin", "axis",
                                           "limit",  "dynamics", NULL};
    static const char* const attributes[] = {"name", "type", NULL};
    static const struct {
        const char *urdf, *type, *axis;
        bool isLimited;
    } kinds[] = {{"revolute", "hinge", "turnX", true},
                 {"continuous", "hinge", "turnX", false},
                 {"prismatic", "slider", "moveX", true},
                 {"fixed", "fixed", NULL, false},
                 {"planar", "six", NULL, false}};
    CliImport* import = robot->import;
    CliXml_NoteOthers(import, joint->node, elements, attributes);
    if (strcmp(joint->type, "floating") == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        if (strcmp(kinds[i].urdf, joint->type) != 0) {
            continue;
        }
        CliBuffer* out = &import->out;
        sdQuat turn = CliImport_TurnX(joint->axis);
        CliBuffer_Print(out, "%s\n    {\"name\": ", *isFirst ? "" : ",");
        CliBuffer_Text(out, joint->name);
        CliBuffer_Print(out, ", \"type\": \"%s\", \"bodyA\": %d, \"bodyB\": %d, \"frameA\": {",
                        kinds[i].type, joint->parent, joint->child);
        sdVec3 p = joint->xf.p;
        sdQuat q = sdNormalizeQ(sdMulQ(joint->xf.q, turn));
        CliBuffer_Print(out,
                        "\"position\": [%.9g, %.9g, %.9g], \"rotation\": [%.9g, %.9g, %.9g, "
                        "%.9g]}",
                        (double)p.x, (double)p.y, (double)p.z, (double)q.v.x, (double)q.v.y,
                        (double)q.v.z, (double)q.s);
        CliBuffer_Print(out, ", \"frameB\": {\"rotation\": [%.9g, %.9g, %.9g, %.9g]}",
                        (double)turn.v.x, (double)turn.v.y, (double)turn.v.z, (double)turn.s);
        if (strcmp(joint->type, "planar") == 0) {
            CliBuffer_Print(out, ", \"axes\": {\"moveX\": {\"mode\": \"locked\"}, \"turnY\": "
                                 "{\"mode\": \"locked\"}, \"turnZ\": {\"mode\": \"locked\"}}");
        } else if (kinds[i].axis != NULL) {
            printAxis(robot, joint, kinds[i].isLimited, kinds[i].axis);
        }
        CliBuffer_Print(out, "}");
        *isFirst = false;
        return !import->hasFailed;
    }
    return CliImport_Fail(import, lineOf(joint->node),
                          "joint '%s' cannot be of type '%s'; it is one of: revolute, continuous, "
                          "prismatic, fixed, floating, planar",
                          joint->name, joint->type);
}

// ---- the robot -----------------------------------------------------------------------------

static bool readLink(Robot* robot, xmlNode* node) {
    Link* link = &robot->links[robot->linkCount];
    *link = (Link){.node = node, .parentJoint = -1, .xf = sdTransform_Identity()};
    if (!CliXml_Word(node, "name", link->name, sizeof link->name)) {
        return CliImport_Fail(robot->import, lineOf(node), "<link> wants a name");
    }
    if (findLink(robot, link->name) >= 0) {
        return CliImport_Fail(robot->import, lineOf(node), "two links have the name '%s'",
                              link->name);
    }
    ++robot->linkCount;
    return true;
}

static bool readEnd(Robot* robot, const xmlNode* node, const char* which, int* out) {
    char name[MAX_NAME];
    const xmlNode* end = CliXml_Child(node, which);
    if (end == NULL || !CliXml_Word(end, "link", name, sizeof name)) {
        return CliImport_Fail(robot->import, lineOf(node), "<joint> wants <%s link=\"\"/>", which);
    }
    *out = findLink(robot, name);
    return *out >= 0 || CliImport_Fail(robot->import, lineOf(end), "there is no link '%s'", name);
}

static bool readJoint(Robot* robot, xmlNode* node) {
    Joint* joint = &robot->joints[robot->jointCount];
    *joint = (Joint){.node = node, .xf = readOrigin(robot->import, node)};
    CliXml_Word(node, "name", joint->name, sizeof joint->name);
    CliXml_Word(node, "type", joint->type, sizeof joint->type);
    if (!readEnd(robot, node, "parent", &joint->parent) ||
        !readEnd(robot, node, "child", &joint->child)) {
        return false;
    }
    double axis[3] = {1.0, 0.0, 0.0};
    const xmlNode* direction = CliXml_Child(node, "axis");
    if (direction != NULL && !CliXml_Exact(robot->import, direction, "xyz", axis, 3)) {
        return false;
    }
    joint->axis = sdV3((float)axis[0], (float)axis[1], (float)axis[2]);
    Link* child = &robot->links[joint->child];
    if (child->parentJoint >= 0) {
        return CliImport_Fail(robot->import, lineOf(node), "link '%s' has two parents",
                              child->name);
    }
    child->parentJoint = robot->jointCount++;
    return true;
}

/// Poses from the roots down, at most as often as there are links.
static bool placeLinks(Robot* robot) {
    int placed = 0;
    for (int round = 0; round < robot->linkCount && placed < robot->linkCount; ++round) {
        for (int i = 0; i < robot->linkCount; ++i) {
            Link* link = &robot->links[i];
            if (link->isPlaced) {
                continue;
            }
            if (link->parentJoint < 0) {
                link->isPlaced = true;
            } else {
                const Joint* joint = &robot->joints[link->parentJoint];
                const Link* parent = &robot->links[joint->parent];
                link->isPlaced = parent->isPlaced;
                link->xf = sdMulXf(parent->xf, joint->xf);
            }
            placed += link->isPlaced ? 1 : 0;
        }
    }
    return placed == robot->linkCount ||
           CliImport_Fail(robot->import, 0, "links and joints go round in a circle");
}

static bool printAll(Robot* robot, const char* name) {
    CliBuffer* out = &robot->import->out;
    CliBuffer_Print(out, "{\n  \"sudar\": 1,\n  \"name\": ");
    CliBuffer_Text(out, name);
    CliBuffer_Print(out, ",\n  \"settings\": {\"gravity\": [0, 0, -9.81]},\n  \"bodies\": [");
    bool ok = true, isFirst = true;
    for (int i = 0; i < robot->linkCount && ok; ++i) {
        ok = printLink(robot, &robot->links[i], i == 0);
    }
    CliBuffer_Print(out, "\n  ],\n  \"joints\": [");
    for (int i = 0; i < robot->jointCount && ok; ++i) {
        ok = printJoint(robot, &robot->joints[i], &isFirst);
    }
    CliBuffer_Print(out, "\n  ]\n}\n");
    return ok;
}

bool CliImport_Urdf(CliImport* import) {
    static const char* const elements[] = {"link", "joint", "material", NULL};
    static const char* const attributes[] = {"name", "version", NULL};
    xmlDoc* doc = CliXml_Read(import, "robot");
    if (doc == NULL) {
        return false;
    }
    xmlNode* root = xmlDocGetRootElement(doc);
    char name[MAX_NAME];
    CliXml_Word(root, "name", name, sizeof name);
    CliXml_NoteOthers(import, root, elements, attributes);
    int count = (int)xmlChildElementCount(root);
    Robot robot = {.import = import,
                   .links = calloc((size_t)count + 1, sizeof(Link)),
                   .joints = calloc((size_t)count + 1, sizeof(Joint))};
    bool ok = count <= MAX_LINKS
                  ? robot.links != NULL && robot.joints != NULL
                  : CliImport_Fail(import, 0, "more than %d links and joints", MAX_LINKS);
    for (xmlNode* node = root->children; node != NULL && ok; node = node->next) {
        ok = !CliXml_Is(node, "link") || readLink(&robot, node);
    }
    for (xmlNode* node = root->children; node != NULL && ok; node = node->next) {
        ok = !CliXml_Is(node, "joint") || readJoint(&robot, node);
    }
    ok = ok && !import->hasFailed && placeLinks(&robot) && printAll(&robot, name);
    free(robot.links);
    free(robot.joints);
    xmlFreeDoc(doc);
    return ok && !import->hasFailed;
}
