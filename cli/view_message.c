// SPDX-License-Identifier: MIT
// view_message.c - see view_message.h.

// open_memstream
#define _POSIX_C_SOURCE 200809L

#include "view_message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Bytes of a number in an array.
#define NUMBER_SIZE 4
/// Bytes that arrays have room for at first.
#define FIRST_CAPACITY 65536

// ---- out -----------------------------------------------------------------------------------

void CliMessage_Free(CliMessage* message) {
    free(message);
}

void CliWriter_Open(CliWriter* w, const char* kind) {
    *w = (CliWriter){0};
    w->head = open_memstream(&w->headText, &w->headSize);
    w->hasFailed = w->head == NULL;
    if (!w->hasFailed) {
        fprintf(w->head, "{\"kind\":");
        CliJson_Text(w->head, kind);
    }
}

/// @return whether a value may follow
static bool putKey(CliWriter* w, const char* key) {
    if (!w->hasFailed) {
        fputc(',', w->head);
        CliJson_Text(w->head, key);
        fputc(':', w->head);
    }
    return !w->hasFailed;
}

void CliWriter_Text(CliWriter* w, const char* key, const char* text) {
    if (putKey(w, key)) {
        CliJson_Text(w->head, text);
    }
}

void CliWriter_Number(CliWriter* w, const char* key, double value) {
    if (putKey(w, key)) {
        CliJson_Number(w->head, value);
    }
}

void CliWriter_Bool(CliWriter* w, const char* key, bool value) {
    if (putKey(w, key)) {
        fputs(value ? "true" : "false", w->head);
    }
}

void CliWriter_Null(CliWriter* w, const char* key) {
    if (putKey(w, key)) {
        fputs("null", w->head);
    }
}

void CliWriter_Vector(CliWriter* w, const char* key, const double v[3]) {
    if (putKey(w, key)) {
        for (int i = 0; i < 3; ++i) {
            fputc(i == 0 ? '[' : ',', w->head);
            CliJson_Number(w->head, v[i]);
        }
        fputc(']', w->head);
    }
}

static bool reserve(CliWriter* w, size_t more) {
    size_t needed = w->dataSize + more;
    if (needed > CLI_MESSAGE_MAX_SENT) {
        w->hasFailed = true;
    } else if (needed > w->dataCapacity) {
        size_t capacity = w->dataCapacity < FIRST_CAPACITY ? FIRST_CAPACITY : 2 * w->dataCapacity;
        capacity = capacity < needed ? needed : capacity;
        unsigned char* data = realloc(w->data, capacity);
        w->hasFailed = data == NULL;
        if (data != NULL) {
            w->data = data;
            w->dataCapacity = capacity;
        }
    }
    return !w->hasFailed;
}

void CliWriter_Item(CliWriter* w, const char* type, CliFillFcn* fill, const void* user) {
    if (w->hasFailed || !reserve(w, NUMBER_SIZE)) {
        return;
    }
    int room = (int)((w->dataCapacity - w->dataSize) / NUMBER_SIZE);
    int count = fill(user, w->data + w->dataSize, room);
    if (count > room) {
        if (!reserve(w, (size_t)count * NUMBER_SIZE)) {
            return;
        }
        fill(user, w->data + w->dataSize, count);
    }
    fprintf(w->head, "{\"%s\":[%zu,%d]}", type, w->dataSize, count);
    w->dataSize += (size_t)count * NUMBER_SIZE;
}

void CliWriter_Array(CliWriter* w, const char* key, const char* type, CliFillFcn* fill,
                     const void* user) {
    if (putKey(w, key)) {
        CliWriter_Item(w, type, fill, user);
    }
}

void CliWriter_Bytes(CliWriter* w, const char* key, const void* bytes, size_t size) {
    // what comes after it begins at a multiple of its numbers' size, too
    size_t room = (size + NUMBER_SIZE - 1) / NUMBER_SIZE * NUMBER_SIZE;
    if (putKey(w, key) && reserve(w, room)) {
        fprintf(w->head, "{\"u8\":[%zu,%zu]}", w->dataSize, size);
        memcpy(w->data + w->dataSize, bytes, size);
        memset(w->data + w->dataSize + size, 0, room - size);
        w->dataSize += room;
    }
}

/// The bytes of a number, lowest first, on any machine.
static void putSize(unsigned char* out, size_t size) {
    for (int i = 0; i < 4; ++i) {
        out[i] = (unsigned char)(size >> (8 * i));
    }
}

static CliMessage* assemble(const CliWriter* w) {
    // arrays begin at a multiple of their numbers' size
    size_t head = (w->headSize + NUMBER_SIZE - 1) / NUMBER_SIZE * NUMBER_SIZE;
    size_t size = NUMBER_SIZE + head + w->dataSize;
    CliMessage* message = malloc(sizeof *message + CLI_MESSAGE_ROOM + size);
    if (message != NULL && size <= CLI_MESSAGE_MAX_SENT) {
        unsigned char* bytes = (unsigned char*)(message + 1) + CLI_MESSAGE_ROOM;
        *message = (CliMessage){.size = size, .bytes = bytes};
        putSize(bytes, head);
        memcpy(bytes + NUMBER_SIZE, w->headText, w->headSize);
        memset(bytes + NUMBER_SIZE + w->headSize, ' ', head - w->headSize);
        if (w->dataSize > 0) {
            memcpy(bytes + NUMBER_SIZE + head, w->data, w->dataSize);
        }
        return message;
    }
    free(message);
    return NULL;
}

CliMessage* CliWriter_Finish(CliWriter* w) {
    if (w->head != NULL) {
        fputc('}', w->head);
        w->hasFailed = fclose(w->head) != 0 || w->hasFailed;
    }
    CliMessage* message = w->hasFailed ? NULL : assemble(w);
    free(w->headText);
    free(w->data);
    *w = (CliWriter){0};
    return message;
}

// ---- in ------------------------------------------------------------------------------------

static void blame(CliHeard* h, const char* key, const char* wanted) {
    if (h->fault[0] == '\0') {
        snprintf(h->fault, sizeof h->fault, "%.40s: '%.40s' must be %s", h->kind, key, wanted);
    }
}

bool CliHeard_Open(CliHeard* h, const char* text, size_t size) {
    *h = (CliHeard){.kind = ""};
    sdContext context = sdContext_Default();
    sdFault fault = {0};
    sdResult result = sdJson_Read(&context, text, size, &h->json, &fault);
    if (result != SD_OK) {
        snprintf(h->fault, sizeof h->fault, "this is no message: %.150s",
                 fault.text[0] != '\0' ? fault.text : sdResult_Text(result));
        return false;
    }
    bool isObject = h->json.nodes[0].type == SD_JSON_OBJECT;
    int kind = isObject ? sdJson_Find(&h->json, 0, "kind") : SD_NULL_INDEX;
    if (kind == SD_NULL_INDEX || h->json.nodes[kind].type != SD_JSON_TEXT) {
        snprintf(h->fault, sizeof h->fault, "this is no message: it has no kind");
        return false;
    }
    h->kind = sdJson_Text(&h->json, kind);
    return true;
}

void CliHeard_Close(CliHeard* h) {
    sdJson_Free(&h->json);
}

static int find(CliHeard* h, int node, const char* key, sdJsonType type, const char* wanted) {
    int found = node == SD_NULL_INDEX ? SD_NULL_INDEX : sdJson_Find(&h->json, node, key);
    if (found == SD_NULL_INDEX || h->json.nodes[found].type != type) {
        blame(h, key, wanted);
        return SD_NULL_INDEX;
    }
    return found;
}

int CliHeard_Object(CliHeard* h, int node, const char* key) {
    return find(h, node, key, SD_JSON_OBJECT, "an object");
}

double CliHeard_Number(CliHeard* h, int node, const char* key, double min, double max) {
    char wanted[80];
    snprintf(wanted, sizeof wanted, "a number from %g to %g", min, max);
    int found = find(h, node, key, SD_JSON_NUMBER, wanted);
    double value = found != SD_NULL_INDEX ? h->json.nodes[found].number : min;
    if (!(value >= min && value <= max)) {
        blame(h, key, wanted);
        return min;
    }
    return value;
}

int CliHeard_Whole(CliHeard* h, int node, const char* key, int min, int max) {
    double value = CliHeard_Number(h, node, key, min, max);
    if (value != floor(value)) {
        blame(h, key, "a whole number");
    }
    return (int)value;
}

bool CliHeard_Bool(CliHeard* h, int node, const char* key) {
    int found = find(h, node, key, SD_JSON_BOOL, "true or false");
    return found != SD_NULL_INDEX && h->json.nodes[found].boolean;
}

const char* CliHeard_Text(CliHeard* h, int node, const char* key) {
    int found = find(h, node, key, SD_JSON_TEXT, "a text");
    return found != SD_NULL_INDEX ? sdJson_Text(&h->json, found) : "";
}

double* CliHeard_Numbers(CliHeard* h, int node, const char* key, int* count) {
    int list = find(h, node, key, SD_JSON_LIST, "a list of numbers");
    *count = list != SD_NULL_INDEX ? h->json.nodes[list].childCount : 0;
    double* numbers = *count > 0 ? malloc((size_t)*count * sizeof *numbers) : NULL;
    if (numbers == NULL) {
        blame(h, key, "a list of numbers, not an empty one");
        *count = 0;
        return NULL;
    }
    int child = h->json.nodes[list].firstChild;
    for (int i = 0; i < *count; ++i, child = h->json.nodes[child].next) {
        numbers[i] = h->json.nodes[child].number;
        if (h->json.nodes[child].type != SD_JSON_NUMBER) {
            blame(h, key, "a list of numbers");
        }
    }
    return numbers;
}

void CliHeard_Vector(CliHeard* h, int node, const char* key, double out[3]) {
    int count;
    double* numbers = CliHeard_Numbers(h, node, key, &count);
    if (count != 3) {
        blame(h, key, "three numbers");
    }
    for (int i = 0; i < 3; ++i) {
        out[i] = count == 3 ? numbers[i] : 0.0;
    }
    free(numbers);
}
