// SPDX-License-Identifier: MIT
// json.c - see json.h.

#include "json.h"

#include "names.h"
#include "number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char* sdJsonType_Name(sdJsonType type) {
    static const char* const names[] = {"null",   "true or false", "a number",
                                        "a text", "a list",        "an object"};
    return names[type];
}

// ---- state ---------------------------------------------------------------------------------

/// A list or object that is not closed yet.
typedef struct Open {
    int node, last; ///< last child so far
} Open;

typedef struct Reader {
    const char* text;
    size_t at, length;
    int line, column;
    Open open[SD_JSON_MAX_DEPTH];
    int depth;
    size_t used; ///< of json->texts
    sdJson* json;
    sdNames keys; ///< of the object that is closed
    sdFault* fault;
    sdResult result;
} Reader;

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static bool
fail(Reader* r, int line, int column, const char* format, ...) {
    if (r->result == SD_OK) {
        r->result = SD_ERROR_BAD_FILE;
        r->fault->line = line;
        r->fault->column = column;
        va_list args;
        va_start(args, format);
        vsnprintf(r->fault->text, sizeof r->fault->text, format, args);
        va_end(args);
    }
    return false;
}

static bool failMemory(Reader* r) {
    fail(r, 0, 0, "there is no memory for it");
    r->result = SD_ERROR_OUT_OF_MEMORY;
    return false;
}

static char peek(const Reader* r) {
    return r->at < r->length ? r->text[r->at] : '\0';
}

static bool isAtEnd(const Reader* r) {
    return r->at >= r->length;
}

static void advance(Reader* r) {
    char c = r->text[r->at++];
    if (c == '\n') {
        ++r->line;
        r->column = 1;
    } else if (((uint8_t)c & 0xC0) != 0x80) {
        // bytes that go on with a letter are not columns
        ++r->column;
    }
}

static bool startsWith(const Reader* r, const char* word) {
    size_t length = strlen(word);
    return r->length - r->at >= length && memcmp(r->text + r->at, word, length) == 0;
}

/// White space and comments.
static bool skipBlank(Reader* r) {
    while (!isAtEnd(r)) {
        char c = peek(r);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            advance(r);
        } else if (startsWith(r, "//")) {
            while (!isAtEnd(r) && peek(r) != '\n') {
                advance(r);
            }
        } else if (startsWith(r, "/*")) {
            int line = r->line, column = r->column;
            do {
                advance(r);
            } while (!isAtEnd(r) && !(startsWith(r, "*/") && !startsWith(r, "/*/")));
            if (isAtEnd(r)) {
                return fail(r, line, column, "this comment has no end; close it with */");
            }
            advance(r);
            advance(r);
        } else {
            break;
        }
    }
    return true;
}

// ---- nodes ---------------------------------------------------------------------------------

static bool growNodes(sdJson* json) {
    int capacity = json->nodeCapacity == 0 ? 64 : 2 * json->nodeCapacity;
    const sdAllocator* allocator = &json->context.allocator;
    sdJsonNode* nodes = allocator->allocate(allocator->user, (size_t)capacity * sizeof *nodes, 16);
    if (nodes == NULL) {
        return false;
    }
    if (json->nodes != NULL) {
        memcpy(nodes, json->nodes, (size_t)json->nodeCount * sizeof *nodes);
        allocator->release(allocator->user, json->nodes,
                           (size_t)json->nodeCapacity * sizeof *nodes);
    }
    json->nodes = nodes;
    json->nodeCapacity = capacity;
    return true;
}

/// A new node here, child of what is open.
static int addNode(Reader* r, sdJsonType type, const sdJsonNode* key) {
    sdJson* json = r->json;
    if (json->nodeCount == json->nodeCapacity && !growNodes(json)) {
        failMemory(r);
        return SD_NULL_INDEX;
    }
    int index = json->nodeCount++;
    sdJsonNode* node = &json->nodes[index];
    *node = *key;
    node->type = (uint8_t)type;
    node->line = r->line;
    node->column = r->column;
    node->firstChild = SD_NULL_INDEX;
    node->next = SD_NULL_INDEX;
    if (r->depth > 0) {
        Open* open = &r->open[r->depth - 1];
        json->nodes[open->node].childCount += 1;
        if (open->last == SD_NULL_INDEX) {
            json->nodes[open->node].firstChild = index;
        } else {
            json->nodes[open->last].next = index;
        }
        open->last = index;
    }
    return index;
}

/// Memory of texts is as large as the file, and every text is shorter than what stands there.
static void addByte(Reader* r, char c) {
    r->json->texts[r->used++] = c;
}

// ---- texts ---------------------------------------------------------------------------------

static void addUtf8(Reader* r, uint32_t c) {
    if (c < 0x80) {
        addByte(r, (char)c);
    } else if (c < 0x800) {
        addByte(r, (char)(0xC0 | (c >> 6)));
        addByte(r, (char)(0x80 | (c & 0x3F)));
    } else if (c < 0x10000) {
        addByte(r, (char)(0xE0 | (c >> 12)));
        addByte(r, (char)(0x80 | ((c >> 6) & 0x3F)));
        addByte(r, (char)(0x80 | (c & 0x3F)));
    } else {
        addByte(r, (char)(0xF0 | (c >> 18)));
        addByte(r, (char)(0x80 | ((c >> 12) & 0x3F)));
        addByte(r, (char)(0x80 | ((c >> 6) & 0x3F)));
        addByte(r, (char)(0x80 | (c & 0x3F)));
    }
}

/// Four hexadecimal digits; more than 0xFFFF: they are not.
static uint32_t readHex(Reader* r) {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        char c = peek(r);
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16u;
        if (digit == 16u) {
            return 0x10000u;
        }
        value = 16 * value + digit;
        advance(r);
    }
    return value;
}

static bool readUnicode(Reader* r, int line, int column) {
    uint32_t c = readHex(r);
    if (c >= 0xD800 && c < 0xDC00 && startsWith(r, "\\u")) {
        advance(r);
        advance(r);
        uint32_t low = readHex(r);
        c = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00)
                                          : 0xFFFFFFFFu;
    }
    if (c == 0 || c == 0x10000u || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) {
        return fail(r, line, column, "\\u wants the four hexadecimal digits of a character");
    }
    addUtf8(r, c);
    return true;
}

static bool readEscape(Reader* r) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int line = r->line, column = r->column;
    advance(r);
    char c = peek(r);
    const char* found = c != '\0' ? strchr(from, c) : NULL;
    if (found != NULL) {
        advance(r);
        addByte(r, to[found - from]);
        return true;
    }
    if (c == 'u') {
        advance(r);
        return readUnicode(r, line, column);
    }
    return fail(r, line, column, "'\\' begins nothing that is known here; write \\\\ for itself");
}

/// Bytes of the letter here, 0 when it is not UTF-8.
static int utf8Length(const Reader* r) {
    const uint8_t* p = (const uint8_t*)r->text + r->at;
    size_t left = r->length - r->at;
    int length = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (length == 0 || p[0] > 0xF4 || left < (size_t)length) {
        return 0;
    }
    for (int i = 1; i < length; ++i) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool isLong = (p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90);
    bool isNone = (p[0] == 0xED && p[1] >= 0xA0) || (p[0] == 0xF4 && p[1] >= 0x90);
    return isLong || isNone ? 0 : length;
}

static bool readText(Reader* r, uint32_t* out) {
    int line = r->line, column = r->column;
    *out = (uint32_t)r->used;
    advance(r);
    while (peek(r) != '"' || isAtEnd(r)) {
        if (isAtEnd(r) || peek(r) == '\n') {
            return fail(r, line, column, "this text has no end; a '\"' is missing in its line");
        }
        if ((uint8_t)peek(r) < 0x20) {
            return fail(r, r->line, r->column,
                        "a control character inside of a text; write \\t for a tab");
        }
        if (peek(r) == '\\') {
            if (!readEscape(r)) {
                return false;
            }
            continue;
        }
        int length = utf8Length(r);
        if (length == 0) {
            return fail(r, r->line, r->column, "this is not UTF-8; save the file in that encoding");
        }
        for (int i = 0; i < length; ++i) {
            addByte(r, peek(r));
            advance(r);
        }
    }
    advance(r);
    addByte(r, '\0');
    return true;
}

// ---- values --------------------------------------------------------------------------------

static bool isWordByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '+' || c == '-';
}

/// What stands here, to be shown.
static const char* wordHere(const Reader* r, char* out, size_t size) {
    size_t n = 0;
    while (r->at + n < r->length && n + 1 < size && isWordByte(r->text[r->at + n])) {
        out[n] = r->text[r->at + n];
        ++n;
    }
    if (n == 0 && r->at < r->length) {
        out[n++] = (uint8_t)r->text[r->at] < 0x7F ? r->text[r->at] : '?';
    }
    out[n] = '\0';
    return out;
}

static bool failValue(Reader* r) {
    static const struct {
        const char *word, *advice;
    } known[] = {
        {"'", "texts stand between double quotes"},
        {"True", "write true"},
        {"False", "write false"},
        {"None", "leave the key away"},
        {"nan", "numbers must be finite"},
        {"NaN", "numbers must be finite"},
        {"inf", "numbers must be finite"},
        {"Infinity", "numbers must be finite"},
        {"-inf", "numbers must be finite"},
        {"-Infinity", "numbers must be finite"},
        {"+", "numbers have no '+' in front"},
        {".", "write a 0 before the point"},
        {"-.", "write a 0 before the point"},
        {",", "a value is missing before this comma, or the comma is one too many"},
        {"]", "take away the comma before it"},
        {"}", "take away the comma before it"},
        {"#", "comments begin with //"},
    };
    char word[32];
    wordHere(r, word, sizeof word);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (startsWith(r, known[i].word)) {
            return fail(r, r->line, r->column, "a value is wanted here, not '%s'; %s", word,
                        known[i].advice);
        }
    }
    if (isAtEnd(r)) {
        return fail(r, r->line, r->column, "the file ends where a value is wanted");
    }
    return fail(r, r->line, r->column,
                "a value is wanted here, not '%s'; texts stand between double quotes", word);
}

static bool readNumber(Reader* r, const sdJsonNode* key) {
    char word[32];
    size_t length = sdNumber_Scan(r->text + r->at, r->length - r->at);
    if (length == 0 || (r->at + length < r->length && isWordByte(r->text[r->at + length]))) {
        return fail(r, r->line, r->column,
                    "'%s' is not a number as JSON has it; such are 0.5, -3 and 1e-6",
                    wordHere(r, word, sizeof word));
    }
    int index = addNode(r, SD_JSON_NUMBER, key);
    if (index == SD_NULL_INDEX) {
        return false;
    }
    sdJsonNode* node = &r->json->nodes[index];
    if (!sdNumber_Read(r->text + r->at, length, &node->number)) {
        return fail(r, r->line, r->column, "this number is beyond 1.8e308");
    }
    node->text = (uint32_t)r->used;
    for (size_t i = 0; i < length; ++i) {
        addByte(r, peek(r));
        advance(r);
    }
    addByte(r, '\0');
    return true;
}

static bool readWord(Reader* r, const sdJsonNode* key) {
    static const char* const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; ++i) {
        size_t length = strlen(words[i]);
        if (startsWith(r, words[i]) &&
            (r->at + length >= r->length || !isWordByte(r->text[r->at + length]))) {
            int node = addNode(r, i == 2 ? SD_JSON_NULL : SD_JSON_BOOL, key);
            if (node == SD_NULL_INDEX) {
                return false;
            }
            r->json->nodes[node].boolean = i == 0;
            for (size_t k = 0; k < length; ++k) {
                advance(r);
            }
            return true;
        }
    }
    return failValue(r);
}

static bool openNode(Reader* r, sdJsonType type, const sdJsonNode* key) {
    if (r->depth == SD_JSON_MAX_DEPTH) {
        return fail(r, r->line, r->column, "more than %d lists and objects in each other",
                    SD_JSON_MAX_DEPTH);
    }
    int node = addNode(r, type, key);
    if (node == SD_NULL_INDEX) {
        return false;
    }
    r->open[r->depth++] = (Open){node, SD_NULL_INDEX};
    advance(r);
    return true;
}

/// The value that begins here; of a list or object only the beginning.
static bool readValue(Reader* r, const sdJsonNode* key) {
    char c = peek(r);
    if (c == '{' || c == '[') {
        return openNode(r, c == '{' ? SD_JSON_OBJECT : SD_JSON_LIST, key);
    }
    if (c == '"') {
        int node = addNode(r, SD_JSON_TEXT, key);
        uint32_t text = 0;
        bool ok = node != SD_NULL_INDEX && readText(r, &text);
        if (ok) {
            r->json->nodes[node].text = text;
        }
        return ok;
    }
    bool isNumber =
        (c >= '0' && c <= '9') || (c == '-' && r->at + 1 < r->length && r->text[r->at + 1] >= '0' &&
                                   r->text[r->at + 1] <= '9');
    return isNumber ? readNumber(r, key) : readWord(r, key);
}

// ---- lists and objects ---------------------------------------------------------------------

static bool readKey(Reader* r, sdJsonNode* key) {
    char word[32];
    if (peek(r) == '}') {
        return fail(r, r->line, r->column,
                    "a key is wanted here, not '}'; take away the comma "
                    "before it");
    }
    if (peek(r) != '"') {
        return fail(r, r->line, r->column,
                    "a key is wanted here, not '%s'; keys stand between double quotes",
                    wordHere(r, word, sizeof word));
    }
    key->keyLine = r->line;
    key->keyColumn = r->column;
    if (!readText(r, &key->key) || !skipBlank(r)) {
        return false;
    }
    if (peek(r) != ':') {
        return fail(r, r->line, r->column, "a ':' is missing after the key '%s'",
                    r->json->texts + key->key);
    }
    advance(r);
    return skipBlank(r);
}

/// No key may stand twice.
static bool checkKeys(Reader* r, const sdJsonNode* object) {
    const sdJson* json = r->json;
    if (r->keys.slotCount / 64 > object->childCount) {
        // clearing what one huge object left would take longer than reading this one
        sdNames_Free(&r->keys);
    }
    sdNames_Clear(&r->keys);
    for (int i = object->firstChild; i != SD_NULL_INDEX; i = json->nodes[i].next) {
        const sdJsonNode* node = &json->nodes[i];
        const char* key = json->texts + node->key;
        int first = sdNames_Find(&r->keys, key);
        if (first != SD_NULL_INDEX) {
            return fail(r, node->keyLine, node->keyColumn,
                        "'%s' is given twice, first in line %d; take one away", key,
                        json->nodes[first].keyLine);
        }
        if (!sdNames_Add(&r->keys, key, i)) {
            return failMemory(r);
        }
    }
    return true;
}

/// After a value: all that ends here.
static bool closeNodes(Reader* r) {
    char word[32];
    while (skipBlank(r) && r->depth > 0) {
        const sdJsonNode* node = &r->json->nodes[r->open[r->depth - 1].node];
        bool isObject = node->type == SD_JSON_OBJECT;
        if (isAtEnd(r)) {
            return fail(r, r->line, r->column,
                        "the file ends inside of %s that began in line %d; "
                        "a '%c' is missing",
                        isObject ? "an object" : "a list", node->line, isObject ? '}' : ']');
        }
        if (peek(r) == ',' && node->childCount > 0) {
            advance(r);
            return skipBlank(r);
        }
        if (peek(r) != (isObject ? '}' : ']')) {
            return node->childCount == 0 ||
                   fail(r, r->line, r->column, "a ',' or '%c' is wanted here, not '%s'",
                        isObject ? '}' : ']', wordHere(r, word, sizeof word));
        }
        if (isObject && !checkKeys(r, node)) {
            return false;
        }
        advance(r);
        --r->depth;
    }
    return r->result == SD_OK;
}

static bool readAll(Reader* r) {
    char word[32];
    if (startsWith(r, "\xEF\xBB\xBF")) {
        // a mark of byte order, as some editors write it
        r->at += 3;
    }
    bool ok = skipBlank(r);
    if (ok && isAtEnd(r)) {
        return fail(r, r->line, r->column, "the file is empty");
    }
    do {
        sdJsonNode key = {.number = 0.0};
        bool isInObject =
            r->depth > 0 && r->json->nodes[r->open[r->depth - 1].node].type == SD_JSON_OBJECT;
        ok = ok && (!isInObject || readKey(r, &key)) && readValue(r, &key) && closeNodes(r);
    } while (ok && r->depth > 0);
    return ok && (isAtEnd(r) || fail(r, r->line, r->column,
                                     "the document has ended before this '%s'; take it away",
                                     wordHere(r, word, sizeof word)));
}

sdResult sdJson_Read(const sdContext* context, const char* text, size_t length, sdJson* out,
                     sdFault* fault) {
    *out = (sdJson){.context = *context};
    *fault = (sdFault){.line = 0};
    Reader r = {.text = text,
                .length = length,
                .line = 1,
                .column = 1,
                .json = out,
                .fault = fault,
                .result = SD_OK};
    if (length > SD_JSON_MAX_SIZE) {
        fail(&r, 0, 0, "the file is larger than 1 GiB");
        return SD_ERROR_LIMIT;
    }
    out->textSize = length + 1;
    out->texts = context->allocator.allocate(context->allocator.user, out->textSize, 16);
    sdNames_Init(&r.keys, &context->allocator);
    if (out->texts == NULL) {
        failMemory(&r);
    } else {
        readAll(&r);
    }
    sdNames_Free(&r.keys);
    return r.result;
}

void sdJson_Free(sdJson* json) {
    const sdAllocator* allocator = &json->context.allocator;
    if (json->nodes != NULL) {
        allocator->release(allocator->user, json->nodes,
                           (size_t)json->nodeCapacity * sizeof *json->nodes);
    }
    if (json->texts != NULL) {
        allocator->release(allocator->user, json->texts, json->textSize);
    }
    *json = (sdJson){.context = json->context};
}

// ---- asking --------------------------------------------------------------------------------

const char* sdJson_Text(const sdJson* json, int node) {
    return json->texts + json->nodes[node].text;
}

const char* sdJson_Key(const sdJson* json, int node) {
    return json->texts + json->nodes[node].key;
}

int sdJson_Find(const sdJson* json, int node, const char* key) {
    int child =
        json->nodes[node].type == SD_JSON_OBJECT ? json->nodes[node].firstChild : SD_NULL_INDEX;
    while (child != SD_NULL_INDEX && strcmp(sdJson_Key(json, child), key) != 0) {
        child = json->nodes[child].next;
    }
    return child;
}
