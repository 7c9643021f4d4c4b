// SPDX-License-Identifier: MIT
// text_out.c - see text_out.h.

#include "text_out.h"

#include "number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void flush(sdTextOut* out) {
    if (out->used > 0 && !out->hasFailed) {
        out->hasFailed = !out->write(out->user, out->buffer, out->used);
    }
    out->used = 0;
}

static void put(sdTextOut* out, const char* text, size_t length) {
    while (length > 0) {
        size_t part = sizeof out->buffer - out->used;
        part = part < length ? part : length;
        memcpy(out->buffer + out->used, text, part);
        out->used += part;
        text += part;
        length -= part;
        if (out->used == sizeof out->buffer) {
            flush(out);
        }
    }
}

void sdTextOut_Put(sdTextOut* out, const char* text) {
    put(out, text, strlen(text));
}

void sdTextOut_Print(sdTextOut* out, const char* format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text) {
        out->hasFailed = true;
    } else {
        put(out, text, (size_t)length);
    }
}

void sdTextOut_Text(sdTextOut* out, const char* text) {
    put(out, "\"", 1);
    for (; *text != '\0'; ++text) {
        if (*text == '"' || *text == '\\') {
            put(out, "\\", 1);
            put(out, text, 1);
        } else if ((unsigned char)*text < 0x20) {
            sdTextOut_Print(out, "\\u%04x", (unsigned)(unsigned char)*text);
        } else {
            put(out, text, 1);
        }
    }
    put(out, "\"", 1);
}

static void putFloat(sdTextOut* out, float value) {
    char text[SD_NUMBER_SIZE];
    sdNumber_WriteFloat(value, text);
    sdTextOut_Put(out, text);
}

void sdTextOut_Floats(sdTextOut* out, const float* values, int count) {
    put(out, "[", 1);
    for (int i = 0; i < count; ++i) {
        sdTextOut_Put(out, i > 0 ? ", " : "");
        putFloat(out, values[i]);
    }
    put(out, "]", 1);
}

static void putPosition(sdTextOut* out, sdPos p) {
    char x[SD_NUMBER_SIZE], y[SD_NUMBER_SIZE], z[SD_NUMBER_SIZE];
    sdNumber_WriteDouble(p.x, x);
    sdNumber_WriteDouble(p.y, y);
    sdNumber_WriteDouble(p.z, z);
    sdTextOut_Print(out, "[%s, %s, %s]", x, y, z);
}

sdResult sdTextOut_Finish(sdTextOut* out) {
    flush(out);
    return out->hasFailed ? SD_ERROR_IO : SD_OK;
}

// ---- keys ----------------------------------------------------------------------------------

void sdTextOut_Key(sdTextOut* out, const char* key, bool* isFirst) {
    sdTextOut_Print(out, "%s\"%s\": ", *isFirst ? "" : ", ", key);
    *isFirst = false;
}

static size_t sizeOf(sdKeyKind kind) {
    switch (kind) {
        case SD_KEY_BOOL:
            return sizeof(bool);
        case SD_KEY_INT:
        case SD_KEY_WORD:
            return sizeof(int);
        case SD_KEY_BITS:
        case SD_KEY_WORDS:
            return sizeof(uint32_t);
        case SD_KEY_ID:
            return sizeof(uint64_t);
        case SD_KEY_FLOAT:
            return sizeof(float);
        case SD_KEY_VECTOR:
            return sizeof(sdVec3);
        case SD_KEY_POSITION:
            return sizeof(sdPos);
        case SD_KEY_ROTATION:
            return sizeof(sdQuat);
        case SD_KEY_TENSOR:
            return sizeof(sdMat33);
        default:
            return 0;
    }
}

static bool isUsual(const sdKey* key, const void* value, const void* usual);

bool sdTable_IsUsual(const sdTable* table, const void* value, const void* usual) {
    for (int i = 0; i < table->keyCount; ++i) {
        size_t offset = table->keys[i].offset;
        if (!isUsual(&table->keys[i], (const char*)value + offset, (const char*)usual + offset)) {
            return false;
        }
    }
    return true;
}

static bool isUsual(const sdKey* key, const void* value, const void* usual) {
    if (key->kind == SD_KEY_OBJECT) {
        return sdTable_IsUsual(key->table, value, usual);
    }
    if (key->kind == SD_KEY_TEXT) {
        const char *a = *(const char*const*)value, *b = *(const char*const*)usual;
        return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
    }
    return memcmp(value, usual, sizeOf(key->kind)) == 0;
}

static void putWord(sdTextOut* out, const sdWord* words, int value) {
    for (; words->word != NULL; ++words) {
        if (words->value == value) {
            sdTextOut_Print(out, "\"%s\"", words->word);
        }
    }
}

static void putWords(sdTextOut* out, const sdWord* words, uint32_t bits) {
    bool isFirst = true;
    put(out, "[", 1);
    for (; words->word != NULL; ++words) {
        if ((bits & (uint32_t)words->value) != 0) {
            sdTextOut_Print(out, "%s\"%s\"", isFirst ? "" : ", ", words->word);
            isFirst = false;
        }
    }
    put(out, "]", 1);
}

static void putValue(sdTextOut* out, const sdKey* key, const void* value) {
    switch (key->kind) {
        case SD_KEY_BOOL:
            sdTextOut_Put(out, *(const bool*)value ? "true" : "false");
            break;
        case SD_KEY_INT:
            sdTextOut_Print(out, "%d", *(const int*)value);
            break;
        case SD_KEY_BITS:
            sdTextOut_Print(out, "%lu", (unsigned long)*(const uint32_t*)value);
            break;
        case SD_KEY_ID:
            sdTextOut_Print(out, "%llu", (unsigned long long)*(const uint64_t*)value);
            break;
        case SD_KEY_FLOAT:
            putFloat(out, *(const float*)value);
            break;
        case SD_KEY_VECTOR:
            sdTextOut_Floats(out, value, 3);
            break;
        case SD_KEY_POSITION:
            putPosition(out, *(const sdPos*)value);
            break;
        case SD_KEY_ROTATION:
            sdTextOut_Floats(out, value, 4);
            break;
        case SD_KEY_TENSOR:
            sdTextOut_Floats(out, value, 9);
            break;
        case SD_KEY_TEXT:
            sdTextOut_Text(out, *(const char* const*)value);
            break;
        case SD_KEY_WORD:
            putWord(out, key->words, *(const int*)value);
            break;
        case SD_KEY_WORDS:
            putWords(out, key->words, *(const uint32_t*)value);
            break;
        default:
            break;
    }
}

void sdTextOut_Keys(sdTextOut* out, const sdTable* table, const void* value, const void* usual,
                    bool* isFirst) {
    for (int i = 0; i < table->keyCount; ++i) {
        const sdKey* key = &table->keys[i];
        const char* own = (const char*)value + key->offset;
        const char* other = (const char*)usual + key->offset;
        if (key->kind == SD_KEY_NODE || key->kind == SD_KEY_IGNORED) {
            continue;
        }
        if (key->kind == SD_KEY_TAG) {
            sdTextOut_Key(out, key->name, isFirst);
            sdTextOut_Print(out, "\"%s\"", table->id);
        } else if (key->kind == SD_KEY_OBJECT && !isUsual(key, own, other)) {
            // three tables deep at the most
            bool isInnerFirst = true;
            sdTextOut_Key(out, key->name, isFirst);
            put(out, "{", 1);
            sdTextOut_Keys(out, key->table, own, other, &isInnerFirst);
            put(out, "}", 1);
        } else if (key->kind != SD_KEY_OBJECT && (key->isRequired || !isUsual(key, own, other))) {
            sdTextOut_Key(out, key->name, isFirst);
            putValue(out, key, own);
        }
    }
}
