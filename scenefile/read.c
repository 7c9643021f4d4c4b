// SPDX-License-Identifier: MIT
// read.c - see read.h.

#include "read.h"

#include "names.h"
#include "number.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// How far the square of a quaternion's length may be from 1, as sdQuat_IsUnit has it.
#define UNIT_TOLERANCE 1e-3

// ---- faults --------------------------------------------------------------------------------

bool sdSceneReader_Fail(sdSceneReader* r, int node, const char* format, ...) {
    if (r->result == SD_OK) {
        r->result = SD_ERROR_BAD_FILE;
        r->fault->line = node != SD_NULL_INDEX ? r->json->nodes[node].line : 0;
        r->fault->column = node != SD_NULL_INDEX ? r->json->nodes[node].column : 0;
        va_list args;
        va_start(args, format);
        vsnprintf(r->fault->text, sizeof r->fault->text, format, args);
        va_end(args);
    }
    return false;
}

bool sdSceneReader_FailMemory(sdSceneReader* r) {
    sdSceneReader_Fail(r, SD_NULL_INDEX, "there is no memory for it");
    r->result = SD_ERROR_OUT_OF_MEMORY;
    return false;
}

static const sdJsonNode* at(const sdSceneReader* r, int node) {
    return &r->json->nodes[node];
}

static sdJsonType typeOf(const sdSceneReader* r, int node) {
    return (sdJsonType)at(r, node)->type;
}

bool sdSceneReader_Expect(sdSceneReader* r, int node, sdJsonType type, const char* what) {
    return typeOf(r, node) == type ||
           sdSceneReader_Fail(r, node, "'%s' wants %s, not %s", what, sdJsonType_Name(type),
                              sdJsonType_Name(typeOf(r, node)));
}

// ---- numbers -------------------------------------------------------------------------------

/// Whether a unit is one of moving or turning, which the axes of joints know apart.
static bool isOfDrive(sdUnit unit) {
    return unit == SD_UNIT_LENGTH || unit == SD_UNIT_ANGLE || unit == SD_UNIT_SPEED ||
           unit == SD_UNIT_ANGULAR_SPEED || unit == SD_UNIT_FORCE || unit == SD_UNIT_TORQUE;
}

/// "12 cm"
static bool readUnit(sdSceneReader* r, int node, const sdKey* key, double* out) {
    const char* text = sdJson_Text(r->json, node);
    size_t length = sdNumber_Scan(text, strlen(text));
    if (length == 0 || !sdNumber_Read(text, length, out)) {
        return sdSceneReader_Fail(r, node,
                                  "'%s' wants a number, not the text '%s'; write it "
                                  "without quotes, or with a unit: \"12 cm\"",
                                  key->name, text);
    }
    const char* word = text + length;
    word += strspn(word, " ");
    sdUnit unit;
    double factor;
    if (*word == '\0') {
        return sdSceneReader_Fail(r, node,
                                  "'%s' wants a number, not a text; write %.*s without "
                                  "quotes",
                                  key->name, (int)length, text);
    }
    if (!sdUnit_Find(word, &unit, &factor)) {
        return sdSceneReader_Fail(r, node, "'%s' is not a unit; '%s' is %s, in %s", word, key->name,
                                  sdUnit_Name(key->unit), sdUnit_Words(key->unit));
    }
    if (unit != key->unit && !(key->unit == SD_UNIT_DRIVE && isOfDrive(unit))) {
        return sdSceneReader_Fail(r, node, "'%s' is %s, not %s; its units are: %s", key->name,
                                  sdUnit_Name(key->unit), sdUnit_Name(unit),
                                  sdUnit_Words(key->unit));
    }
    *out *= factor;
    return true;
}

bool sdSceneReader_Number(sdSceneReader* r, int node, const sdKey* key, double* out) {
    if (typeOf(r, node) == SD_JSON_TEXT) {
        if (!readUnit(r, node, key, out)) {
            return false;
        }
    } else if (typeOf(r, node) == SD_JSON_NUMBER) {
        *out = at(r, node)->number;
    } else {
        return sdSceneReader_Fail(r, node, "'%s' wants a number, not %s", key->name,
                                  sdJsonType_Name(typeOf(r, node)));
    }
    bool hasRange = key->min != 0.0 || key->max != 0.0;
    if (hasRange && key->max >= (double)FLT_MAX && key->min == 0.0 && *out < 0.0) {
        return sdSceneReader_Fail(r, node, "'%s' must not be negative", key->name);
    }
    if (hasRange && !(*out >= key->min && *out <= key->max)) {
        return sdSceneReader_Fail(r, node, "'%s' must be within %g and %g, not %g", key->name,
                                  key->min, key->max, *out);
    }
    return true;
}

static bool readFloat(sdSceneReader* r, int node, const sdKey* key, float* out) {
    double value;
    if (!sdSceneReader_Number(r, node, key, &value)) {
        return false;
    }
    *out = (float)value;
    return isfinite(*out) ||
           sdSceneReader_Fail(r, node, "'%s' is beyond the largest float, 3.4e38", key->name);
}

/// A flat list of just so many.
static bool readNumbers(sdSceneReader* r, int node, const sdKey* key, int count, double* out) {
    if (!sdSceneReader_Expect(r, node, SD_JSON_LIST, key->name)) {
        return false;
    }
    if (at(r, node)->childCount != count) {
        return sdSceneReader_Fail(r, node, "'%s' wants %d numbers, not %d", key->name, count,
                                  at(r, node)->childCount);
    }
    int i = 0;
    for (int child = at(r, node)->firstChild; child != SD_NULL_INDEX; child = at(r, child)->next) {
        if (!sdSceneReader_Number(r, child, key, &out[i])) {
            return false;
        }
        if (key->kind != SD_KEY_POSITION && !isfinite((float)out[i])) {
            return sdSceneReader_Fail(r, child, "'%s' is beyond the largest float, 3.4e38",
                                      key->name);
        }
        ++i;
    }
    return true;
}

static bool readInteger(sdSceneReader* r, int node, const sdKey* key, double* out) {
    if (typeOf(r, node) != SD_JSON_NUMBER || floor(at(r, node)->number) != at(r, node)->number) {
        return sdSceneReader_Fail(r, node, "'%s' wants a whole number, not %s", key->name,
                                  typeOf(r, node) == SD_JSON_NUMBER
                                      ? sdJson_Text(r->json, node)
                                      : sdJsonType_Name(typeOf(r, node)));
    }
    return sdSceneReader_Number(r, node, key, out);
}

/// All 64 bits, which a double does not have.
static bool readId(sdSceneReader* r, int node, const sdKey* key, uint64_t* out) {
    bool isGood = typeOf(r, node) == SD_JSON_NUMBER;
    uint64_t value = 0;
    for (const char* c = isGood ? sdJson_Text(r->json, node) : ""; *c != '\0' && isGood; ++c) {
        uint64_t digit = (uint64_t)(*c - '0');
        isGood = *c >= '0' && *c <= '9' && value <= (UINT64_MAX - digit) / 10;
        value = 10 * value + digit;
    }
    *out = value;
    return isGood || sdSceneReader_Fail(r, node,
                                        "'%s' wants a whole number from 0 to 2^64 - 1, written "
                                        "with digits only",
                                        key->name);
}

// ---- rotations and words -------------------------------------------------------------------

static const sdKey axisKey = {.name = "axis"};
static const sdKey degreesKey = {.name = "degrees", .min = -3600.0, .max = 3600.0};
static const sdKey radiansKey = {.name = "radians", .min = -63.0, .max = 63.0};

/// {"axis": [0, 1, 0], "degrees": 90}
static bool readAxisAngle(sdSceneReader* r, int node, sdQuat* out) {
    int axis = sdJson_Find(r->json, node, "axis");
    int degrees = sdJson_Find(r->json, node, "degrees");
    int radians = sdJson_Find(r->json, node, "radians");
    if (axis == SD_NULL_INDEX || (degrees == SD_NULL_INDEX) == (radians == SD_NULL_INDEX) ||
        at(r, node)->childCount != 2) {
        return sdSceneReader_Fail(r, node,
                                  "a rotation wants 'axis' and either 'degrees' or "
                                  "'radians', and nothing else");
    }
    double v[3], angle = 0.0;
    bool ok = readNumbers(r, axis, &axisKey, 3, v) &&
              (degrees != SD_NULL_INDEX ? sdSceneReader_Number(r, degrees, &degreesKey, &angle)
                                        : sdSceneReader_Number(r, radians, &radiansKey, &angle));
    sdVec3 direction = ok ? sdV3((float)v[0], (float)v[1], (float)v[2]) : sdV3(0.0f, 0.0f, 0.0f);
    float length = sdLength(direction);
    if (ok && !(length > FLT_MIN && isfinite(length))) {
        return sdSceneReader_Fail(r, axis, "'axis' has no direction");
    }
    if (ok) {
        angle *= degrees != SD_NULL_INDEX ? 0.017453292519943295 : 1.0;
        *out = sdQuat_FromAxisAngle(sdScale(1.0f / length, direction), (float)angle);
    }
    return ok;
}

static bool readRotation(sdSceneReader* r, int node, const sdKey* key, sdQuat* out) {
    if (typeOf(r, node) == SD_JSON_OBJECT) {
        return readAxisAngle(r, node, out);
    }
    double v[4];
    if (!readNumbers(r, node, key, 4, v)) {
        return false;
    }
    double squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
    if (!(fabs(squared - 1.0) < UNIT_TOLERANCE)) {
        return sdSceneReader_Fail(r, node,
                                  "the quaternion x, y, z, w has length %g, not 1; an axis and an "
                                  "angle do as well: {\"axis\": [0, 1, 0], \"degrees\": 90}",
                                  sqrt(squared));
    }
    *out = (sdQuat){{(float)v[0], (float)v[1], (float)v[2]}, (float)v[3]};
    return true;
}

static const char* getWord(const void* user, int i) {
    return ((const sdWord*)user)[i].word;
}

/// "a, b, c"
static const char* listWords(const sdWord* words, char* out, size_t size) {
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; words[i].word != NULL && length < size; ++i) {
        length +=
            (size_t)snprintf(out + length, size - length, "%s%s", i > 0 ? ", " : "", words[i].word);
    }
    return out;
}

static bool readWord(sdSceneReader* r, int node, const sdKey* key, int* out) {
    char list[256];
    if (!sdSceneReader_Expect(r, node, SD_JSON_TEXT, key->name)) {
        return false;
    }
    const char* text = sdJson_Text(r->json, node);
    for (const sdWord* word = key->words; word->word != NULL; ++word) {
        if (strcmp(word->word, text) == 0) {
            *out = word->value;
            return true;
        }
    }
    const char* nearest = sdNearestWord(text, getWord, key->words);
    return nearest != NULL
               ? sdSceneReader_Fail(r, node, "'%s' cannot be '%s'; did you mean '%s'?", key->name,
                                    text, nearest)
               : sdSceneReader_Fail(r, node, "'%s' cannot be '%s'; it is one of: %s", key->name,
                                    text, listWords(key->words, list, sizeof list));
}

static bool readWords(sdSceneReader* r, int node, const sdKey* key, uint32_t* out) {
    if (!sdSceneReader_Expect(r, node, SD_JSON_LIST, key->name)) {
        return false;
    }
    *out = 0;
    for (int child = at(r, node)->firstChild; child != SD_NULL_INDEX; child = at(r, child)->next) {
        int bit;
        if (!readWord(r, child, key, &bit)) {
            return false;
        }
        *out |= (uint32_t)bit;
    }
    return true;
}

// ---- one value -----------------------------------------------------------------------------

static bool readTensor(sdSceneReader* r, int node, const sdKey* key, sdMat33* out) {
    double v[9];
    if (typeOf(r, node) == SD_JSON_LIST && at(r, node)->childCount == 3) {
        bool ok = readNumbers(r, node, key, 3, v);
        *out = ok ? sdMat33_Diagonal((float)v[0], (float)v[1], (float)v[2]) : *out;
        return ok;
    }
    bool ok = readNumbers(r, node, key, 9, v);
    if (ok) {
        *out = (sdMat33){{(float)v[0], (float)v[1], (float)v[2]},
                         {(float)v[3], (float)v[4], (float)v[5]},
                         {(float)v[6], (float)v[7], (float)v[8]}};
    }
    return ok;
}

static bool checkForm(sdSceneReader* r, int node, const sdKey* key) {
    sdJsonType type = typeOf(r, node);
    switch (key->form) {
        case SD_FORM_OBJECTS:
        case SD_FORM_NUMBERS:
        case SD_FORM_INTEGERS:
            return sdSceneReader_Expect(r, node, SD_JSON_LIST, key->name);
        case SD_FORM_NAMED:
            return sdSceneReader_Expect(r, node, SD_JSON_OBJECT, key->name);
        case SD_FORM_NAME:
            return sdSceneReader_Expect(r, node, SD_JSON_TEXT, key->name);
        case SD_FORM_NAME_OR_OBJECT:
            return type == SD_JSON_TEXT || type == SD_JSON_OBJECT ||
                   sdSceneReader_Fail(r, node, "'%s' wants a name or an object, not %s", key->name,
                                      sdJsonType_Name(type));
        case SD_FORM_NAME_OR_INDEX:
            return type == SD_JSON_TEXT || type == SD_JSON_NUMBER ||
                   sdSceneReader_Fail(r, node, "'%s' wants a name or a number, not %s", key->name,
                                      sdJsonType_Name(type));
    }
    return false;
}

/// Everything but objects, whose reading comes back to values.
static bool readValue(sdSceneReader* r, int node, const sdKey* key, void* out) {
    double v[3];
    bool ok = false;
    switch (key->kind) {
        case SD_KEY_BOOL:
            ok = sdSceneReader_Expect(r, node, SD_JSON_BOOL, key->name);
            *(bool*)out = at(r, node)->boolean;
            return ok;
        case SD_KEY_INT:
            ok = readInteger(r, node, key, v);
            *(int*)out = ok ? (int)v[0] : 0;
            return ok;
        case SD_KEY_BITS:
            ok = readInteger(r, node, key, v);
            *(uint32_t*)out = ok ? (uint32_t)v[0] : 0;
            return ok;
        case SD_KEY_ID:
            return readId(r, node, key, out);
        case SD_KEY_FLOAT:
            return readFloat(r, node, key, out);
        case SD_KEY_VECTOR:
            ok = readNumbers(r, node, key, 3, v);
            *(sdVec3*)out = ok ? sdV3((float)v[0], (float)v[1], (float)v[2]) : *(sdVec3*)out;
            return ok;
        case SD_KEY_POSITION:
            ok = readNumbers(r, node, key, 3, v);
            *(sdPos*)out = ok ? sdPos_Make(v[0], v[1], v[2]) : *(sdPos*)out;
            return ok;
        case SD_KEY_ROTATION:
            return readRotation(r, node, key, out);
        case SD_KEY_TENSOR:
            return readTensor(r, node, key, out);
        case SD_KEY_TEXT:
            ok = sdSceneReader_Expect(r, node, SD_JSON_TEXT, key->name);
            *(const char**)out = ok ? sdJson_Text(r->json, node) : NULL;
            return ok;
        case SD_KEY_WORD:
            return readWord(r, node, key, out);
        case SD_KEY_WORDS:
            return readWords(r, node, key, out);
        case SD_KEY_NODE:
            *(int*)out = node;
            return checkForm(r, node, key);
        case SD_KEY_OBJECT:
        case SD_KEY_TAG:
        case SD_KEY_IGNORED:
            return true;
    }
    return false;
}

// ---- objects -------------------------------------------------------------------------------

static const char* getKeyName(const void* user, int i) {
    const sdTable* table = user;
    return i < table->keyCount ? table->keys[i].name : NULL;
}

static const char* listKeys(const sdTable* table, char* out, size_t size) {
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < table->keyCount && length < size; ++i) {
        length += (size_t)snprintf(out + length, size - length, "%s%s", i > 0 ? ", " : "",
                                   table->keys[i].name);
    }
    return out;
}

static bool failUnknown(sdSceneReader* r, int node, const sdTable* table) {
    char list[256];
    const char* key = sdJson_Key(r->json, node);
    const char* nearest = sdNearestWord(key, getKeyName, table);
    if (nearest != NULL) {
        sdSceneReader_Fail(r, node, "%s has no key '%s'; did you mean '%s'?", table->name, key,
                           nearest);
    } else {
        sdSceneReader_Fail(r, node, "%s has no key '%s'; it has: %s", table->name, key,
                           listKeys(table, list, sizeof list));
    }
    r->fault->line = at(r, node)->keyLine;
    r->fault->column = at(r, node)->keyColumn;
    return false;
}

bool sdSceneReader_Object(sdSceneReader* r, int node, const sdTable* table, void* out,
                          uint64_t* given) {
    if (typeOf(r, node) != SD_JSON_OBJECT) {
        return sdSceneReader_Fail(r, node, "%s is an object, { ... }, not %s", table->name,
                                  sdJsonType_Name(typeOf(r, node)));
    }
    uint64_t seen = 0;
    for (int child = at(r, node)->firstChild; child != SD_NULL_INDEX; child = at(r, child)->next) {
        int index = sdTable_Find(table, sdJson_Key(r->json, child));
        if (index == SD_NULL_INDEX) {
            return failUnknown(r, child, table);
        }
        const sdKey* key = &table->keys[index];
        void* place = (char*)out + key->offset;
        seen |= (uint64_t)1 << index;
        // tables stand in each other three deep at the most
        bool ok = key->kind == SD_KEY_OBJECT
                      ? sdSceneReader_Object(r, child, key->table, place, NULL)
                      : readValue(r, child, key, place);
        if (!ok) {
            return false;
        }
    }
    for (int i = 0; i < table->keyCount; ++i) {
        if (table->keys[i].isRequired && (seen >> i & 1) == 0) {
            return sdSceneReader_Fail(r, node, "%s wants '%s': %s", table->name,
                                      table->keys[i].name, table->keys[i].text);
        }
    }
    if (given != NULL) {
        *given = seen;
    }
    return true;
}

static const char* getVariantName(const void* user, int i) {
    const sdTable* table = user;
    return i >= table->variantCount ? NULL
           : table->isTagged        ? table->variants[i]->id
                                    : table->variants[i]->keys[0].name;
}

static bool failVariant(sdSceneReader* r, int node, const sdTable* table, int tag) {
    char list[256] = "";
    size_t length = 0;
    for (int i = 0; i < table->variantCount && length < sizeof list; ++i) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "",
                                   getVariantName(table, i));
    }
    if (!table->isTagged) {
        return sdSceneReader_Fail(r, node, "%s wants one of the keys: %s", table->name, list);
    }
    if (tag == SD_NULL_INDEX) {
        return sdSceneReader_Fail(r, node, "%s wants 'type', one of: %s", table->name, list);
    }
    const char* text = sdJson_Text(r->json, tag);
    const char* nearest = sdNearestWord(text, getVariantName, table);
    return nearest != NULL
               ? sdSceneReader_Fail(r, tag, "'type' cannot be '%s'; did you mean '%s'?", text,
                                    nearest)
               : sdSceneReader_Fail(r, tag, "'type' cannot be '%s'; it is one of: %s", text, list);
}

bool sdSceneReader_Variant(sdSceneReader* r, int node, const sdTable* table, const sdTable** out) {
    if (typeOf(r, node) != SD_JSON_OBJECT) {
        return sdSceneReader_Fail(r, node, "%s is an object, { ... }, not %s", table->name,
                                  sdJsonType_Name(typeOf(r, node)));
    }
    int tag = table->isTagged ? sdJson_Find(r->json, node, "type") : SD_NULL_INDEX;
    if (tag != SD_NULL_INDEX && !sdSceneReader_Expect(r, tag, SD_JSON_TEXT, "type")) {
        return false;
    }
    for (int i = 0; i < table->variantCount; ++i) {
        const char* name = getVariantName(table, i);
        bool isIt = table->isTagged
                        ? tag != SD_NULL_INDEX && strcmp(sdJson_Text(r->json, tag), name) == 0
                        : sdJson_Find(r->json, node, name) != SD_NULL_INDEX;
        if (isIt) {
            *out = table->variants[i];
            return true;
        }
    }
    return failVariant(r, node, table, tag);
}
