// SPDX-License-Identifier: MIT
// settings.c - the settings of a world by name, one at a time.
//
// In:   "broadphase.kind" and "sap", as somebody types them.
// Out:  the field changed, or the reason why not.
// Note: a value is made into a scene file of one setting, and read as such: the same keys, units,
//       ranges and words.

#include "names.h"
#include "number.h"
#include "read.h"

#include <stdio.h>
#include <string.h>

/// Bytes of the scene file of one setting.
#define MAX_TEXT 512
/// More than there are.
#define MAX_SETTINGS 80

/// A setting in the tables: the key of an object in it, or none.
typedef struct Place {
    const sdKey *outer, *key;
} Place;

static bool getPlace(int i, Place* out) {
    for (int k = 0; k < sdSettingsTable.keyCount; ++k) {
        const sdKey* key = &sdSettingsTable.keys[k];
        int count = key->kind == SD_KEY_OBJECT ? key->table->keyCount : 1;
        if (i < count) {
            bool isObject = key->kind == SD_KEY_OBJECT;
            *out = (Place){isObject ? key : NULL, isObject ? &key->table->keys[i] : key};
            return true;
        }
        i -= count;
    }
    return false;
}

static void nameOf(const Place* place, char* out, size_t size) {
    snprintf(out, size, "%s%s%s", place->outer != NULL ? place->outer->name : "",
             place->outer != NULL ? "." : "", place->key->name);
}

// ---- describe ------------------------------------------------------------------------------

static void describeWords(const sdWord* words, char* out, size_t size) {
    size_t length = 0;
    for (int i = 0; words[i].word != NULL && length < size; ++i) {
        length +=
            (size_t)snprintf(out + length, size - length, "%s%s", i > 0 ? "|" : "", words[i].word);
    }
}

static void describeRange(const sdKey* key, const char* what, char* out, size_t size) {
    const char* unit = key->unit == SD_UNIT_NONE ? "" : sdUnit_Words(key->unit);
    int length = (int)strcspn(unit, ",");
    if (key->min < key->max) {
        snprintf(out, size, "%s, %g .. %g%s%.*s", what, key->min, key->max, length > 0 ? " " : "",
                 length, unit);
    } else {
        snprintf(out, size, "%s%s%.*s", what, length > 0 ? ", " : "", length, unit);
    }
}

static void describeWanted(const sdKey* key, char* out, size_t size) {
    switch (key->kind) {
        case SD_KEY_BOOL:
            snprintf(out, size, "yes or no");
            break;
        case SD_KEY_WORD:
            describeWords(key->words, out, size);
            break;
        case SD_KEY_VECTOR:
            describeRange(key, "three numbers x,y,z", out, size);
            break;
        case SD_KEY_FLOAT:
            describeRange(key, "a number", out, size);
            break;
        default:
            describeRange(key, "a whole number", out, size);
            break;
    }
}

static sdSettingKind kindOf(const sdKey* key) {
    switch (key->kind) {
        case SD_KEY_BOOL:
            return SD_SETTING_SWITCH;
        case SD_KEY_WORD:
            return SD_SETTING_WORD;
        case SD_KEY_VECTOR:
            return SD_SETTING_VECTOR;
        case SD_KEY_FLOAT:
            return SD_SETTING_NUMBER;
        default:
            return SD_SETTING_WHOLE;
    }
}

static void describeValue(const sdKey* key, const void* value, char* out, size_t size) {
    const sdVec3* v = value;
    char x[SD_NUMBER_SIZE], y[SD_NUMBER_SIZE], z[SD_NUMBER_SIZE];
    switch (key->kind) {
        case SD_KEY_BOOL:
            snprintf(out, size, "%s", *(const bool*)value ? "yes" : "no");
            break;
        case SD_KEY_WORD: {
            int word;
            memcpy(&word, value, sizeof word);
            const sdWord* known = key->words;
            while (known->word != NULL && known->value != word) {
                ++known;
            }
            snprintf(out, size, "%s", known->word != NULL ? known->word : "?");
            break;
        }
        case SD_KEY_VECTOR:
            sdNumber_WriteFloat(v->x, x);
            sdNumber_WriteFloat(v->y, y);
            sdNumber_WriteFloat(v->z, z);
            snprintf(out, size, "%s,%s,%s", x, y, z);
            break;
        case SD_KEY_FLOAT:
            sdNumber_WriteFloat(*(const float*)value, x);
            snprintf(out, size, "%s", x);
            break;
        case SD_KEY_BITS:
            snprintf(out, size, "%u", (unsigned)*(const uint32_t*)value);
            break;
        default:
            snprintf(out, size, "%d", *(const int*)value);
            break;
    }
}

bool sdSetting_Get(const sdWorldDef* def, int i, sdSetting* out) {
    Place place;
    if (i < 0 || !getPlace(i, &place)) {
        return false;
    }
    const char* value = (const char*)def + place.key->offset;
    value += place.outer != NULL ? place.outer->offset : 0;
    *out = (sdSetting){.kind = kindOf(place.key), .text = place.key->text};
    nameOf(&place, out->key, sizeof out->key);
    describeWanted(place.key, out->wanted, sizeof out->wanted);
    describeValue(place.key, value, out->value, sizeof out->value);
    return true;
}

// ---- change --------------------------------------------------------------------------------

static bool isOneOf(const char* value, const char* const words[4]) {
    return strcmp(value, words[0]) == 0 || strcmp(value, words[1]) == 0 ||
           strcmp(value, words[2]) == 0 || strcmp(value, words[3]) == 0;
}

/// As JSON: numbers and lists of them as they are, all else as texts, which may be words or
/// numbers with units. What would end a text is nothing that a setting could be.
static void writeValue(const sdKey* key, const char* value, char* out, size_t size) {
    static const char* const yes[4] = {"yes", "true", "on", "1"};
    static const char* const no[4] = {"no", "false", "off", "0"};
    bool isNumber = value[0] != '\0' && strspn(value, "+-.0123456789eE") == strlen(value);
    if (key->kind == SD_KEY_BOOL && (isOneOf(value, yes) || isOneOf(value, no))) {
        snprintf(out, size, "%s", isOneOf(value, yes) ? "true" : "false");
    } else if (key->kind == SD_KEY_VECTOR) {
        snprintf(out, size, "[%s]", value);
    } else {
        const char* quote = isNumber ? "" : "\"";
        snprintf(out, size, "%s%.*s%s", quote, (int)strcspn(value, "\"\\\n"), value, quote);
    }
}

/// All names, for they are put together from two.
typedef struct NameList {
    char names[MAX_SETTINGS][SD_SETTING_KEY_SIZE];
    int count;
} NameList;

static void listNames(NameList* list) {
    Place place;
    for (list->count = 0; list->count < MAX_SETTINGS && getPlace(list->count, &place);) {
        nameOf(&place, list->names[list->count++], SD_SETTING_KEY_SIZE);
    }
}

static const char* getName(const void* user, int i) {
    const NameList* list = user;
    return i < list->count ? list->names[i] : NULL;
}

static bool findPlace(const char* key, Place* out, sdFault* fault) {
    NameList list;
    listNames(&list);
    for (int i = 0; i < list.count; ++i) {
        if (strcmp(list.names[i], key) == 0) {
            return getPlace(i, out);
        }
    }
    const char* nearest = sdNearestWord(key, getName, &list);
    snprintf(fault->text, sizeof fault->text, "there is no setting '%s'%s%s%s", key,
             nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
             nearest != NULL ? "'?" : "");
    return false;
}

sdResult sdSetting_Set(sdWorldDef* def, const char* key, const char* value, sdFault* fault) {
    Place place;
    *fault = (sdFault){0};
    if (!findPlace(key, &place, fault)) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    char written[MAX_TEXT / 2], text[MAX_TEXT];
    writeValue(place.key, value, written, sizeof written);
    bool isInner = place.outer != NULL;
    int length = snprintf(text, sizeof text, "{%s%s%s\"%s\": %s}%s", isInner ? "\"" : "",
                          isInner ? place.outer->name : "", isInner ? "\": {" : "", place.key->name,
                          written, isInner ? "}" : "");
    sdContext context = sdContext_Default();
    sdJson json;
    sdResult result = sdJson_Read(&context, text, (size_t)length, &json, fault);
    if (result == SD_OK) {
        sdWorldDef changed = *def;
        sdSceneReader reader = {.json = &json, .fault = fault};
        sdSceneReader_Object(&reader, 0, &sdSettingsTable, &changed, NULL);
        result = reader.result;
        *def = result == SD_OK ? changed : *def;
    } else if (result == SD_ERROR_BAD_FILE) {
        char wanted[MAX_TEXT / 2];
        describeWanted(place.key, wanted, sizeof wanted);
        snprintf(fault->text, sizeof fault->text, "'%s' is %s, not '%.100s'", key, wanted, value);
    }
    sdJson_Free(&json);
    // there is no file to look at
    fault->line = fault->column = 0;
    return result;
}
