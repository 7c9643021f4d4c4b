// SPDX-License-Identifier: MIT
// keys.h - what may stand in a scene file: one table of keys for each kind of object.
//
// Everything is made of these tables: what the reader accepts, what the writer writes, and the JSON
// Schema. A key knows where its value goes in a C struct, in which unit, and from where to where.

#ifndef SD_SCENEFILE_KEYS_H
#define SD_SCENEFILE_KEYS_H

#include "sudar/sudar.h"

typedef enum sdKeyKind {
    SD_KEY_BOOL,
    SD_KEY_INT,
    SD_KEY_BITS,     ///< uint32_t
    SD_KEY_ID,       ///< uint64_t
    SD_KEY_FLOAT,    ///< float
    SD_KEY_VECTOR,   ///< sdVec3: three numbers
    SD_KEY_POSITION, ///< sdPos: three numbers
    SD_KEY_ROTATION, ///< sdQuat: four numbers x, y, z, w, or an axis and an angle
    SD_KEY_TENSOR,   ///< sdMat33: nine numbers by columns, or the three of the diagonal
    SD_KEY_TEXT,     ///< const char*
    SD_KEY_WORD,     ///< an enumeration: one of `words`
    SD_KEY_WORDS,    ///< uint32_t flags: a list of `words`, each with its bit
    SD_KEY_OBJECT,   ///< a struct with a table of its own
    SD_KEY_TAG,      ///< the word that chose this table; read before
    SD_KEY_IGNORED,  ///< for other programs
    SD_KEY_NODE      ///< int: the place of the value in the document, for what needs code
} sdKeyKind;

/// What a value of SD_KEY_NODE looks like.
typedef enum sdKeyForm {
    SD_FORM_OBJECTS,        ///< a list of objects
    SD_FORM_NAMED,          ///< an object of objects, by name
    SD_FORM_NAME_OR_OBJECT, ///< a name from above, or the object itself
    SD_FORM_NAME,           ///< a name from above
    SD_FORM_NAME_OR_INDEX,  ///< a name, or a place in a list, from 0
    SD_FORM_NUMBERS,        ///< a flat list of numbers
    SD_FORM_INTEGERS        ///< a flat list of whole numbers
} sdKeyForm;

typedef enum sdUnit {
    SD_UNIT_NONE,
    SD_UNIT_LENGTH,
    SD_UNIT_ANGLE,
    SD_UNIT_TIME,
    SD_UNIT_MASS,
    SD_UNIT_SPEED,
    SD_UNIT_ANGULAR_SPEED,
    SD_UNIT_ACCELERATION,
    SD_UNIT_DENSITY,
    SD_UNIT_FREQUENCY,
    SD_UNIT_RATE,
    SD_UNIT_FORCE,
    SD_UNIT_TORQUE,
    SD_UNIT_INERTIA,
    SD_UNIT_DRIVE, ///< of the axes of joints: metres or radians, with newtons or newton metres
    SD_UNIT_COUNT
} sdUnit;

/// "a length", and the units that it may be given in: "m, km, cm, mm, um, in, ft".
const char* sdUnit_Name(sdUnit unit);
const char* sdUnit_Words(sdUnit unit);
/// Find a unit by its word.
/// @return false when there is no such word
bool sdUnit_Find(const char* word, sdUnit* unit, double* factor);

typedef struct sdWord {
    const char* word;
    int value;
} sdWord;

typedef struct sdTable sdTable;

typedef struct sdKey {
    const char* name;
    sdKeyKind kind;
    size_t offset;
    double min, max; ///< of numbers; both 0: any
    sdUnit unit;
    const sdWord* words; ///< up to one without a word
    const sdTable* table;
    sdKeyForm form;
    bool isRequired;
    const char* text; ///< one clause, for the schema
} sdKey;

struct sdTable {
    const char* name; ///< "a sphere": begins sentences in messages
    const char* id;   ///< "sphere": of a definition in the schema, and the tag of a variant
    const char* text;
    const sdKey* keys;
    int keyCount;
    /// Instead of keys: tables of which one fits, chosen by the key "type", or, if `isTagged` is
    /// false, by the first key of each.
    const sdTable* const* variants;
    int variantCount;
    bool isTagged;
};

// ---- what objects are read into ------------------------------------------------------------

/// Values of SD_KEY_NODE are SD_NULL_INDEX when they are not given.
typedef struct sdSceneDoc {
    int version;
    const char *name, *title, *text;
    sdWorldDef settings;
    int materials, meshes, shapes, bodies, joints;
    struct {
        float dt;
        int steps;
    } recording;
    struct {
        sdVec3 eye, target;
    } camera;
} sdSceneDoc;

typedef struct sdMeshDoc {
    int model; ///< sdModelKind
    float size;
    const char* path;
    float scale;
    float weldDistance;
    uint32_t repairs;
    int vertices, triangles;
} sdMeshDoc;

typedef struct sdShapeDoc {
    sdShape shape;
    int vertices, points, mesh, children;
    sdHullMethod method;
    int maxVertexCount;
    sdConcaveDef concave;
    sdDecomposeDef decompose;
} sdShapeDoc;

typedef struct sdChildDoc {
    int shape;
    sdTransform xf;
} sdChildDoc;

typedef struct sdFixtureDoc {
    int shape, material;
    sdShapeDef def;
} sdFixtureDoc;

typedef struct sdBodyDoc {
    const char* name;
    sdBodyDef def;
    bool isEnabled;
    sdMassProps mass;
    int shapes;
} sdBodyDoc;

typedef struct sdJointDoc {
    const char* name;
    sdJointDef def;
    int bodyA, bodyB;
    sdPos anchor;
    sdVec3 axis;
} sdJointDoc;

extern const sdTable sdSceneTable, sdSettingsTable, sdMaterialTable, sdMeshTable, sdShapeTable,
    sdChildTable, sdFixtureTable, sdBodyTable, sdJointTable;

/// Index of a key in a table, whose bit tells that it was given.
int sdTable_Find(const sdTable* table, const char* key);

#endif
