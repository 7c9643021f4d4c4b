// SPDX-License-Identifier: MIT
// gltf_mesh.c - see gltf_mesh.h.
//
// Note: only what colliders need: float positions and whole indices, from the binary part of a GLB,
//       from data in the text (base64) or from a file beside it.

#include "gltf_mesh.h"

#include <stdlib.h>
#include <string.h>

#define GLB_MAGIC 0x46546C67u
#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BINARY 0x004E4942u
#define MAX_FILE (1 << 30)
#define MAX_PATH 4096

static bool say(char* reason, size_t size, const char* text) {
    snprintf(reason, size, "%s", text);
    return false;
}

static char* readFile(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    long length = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        length = ftell(file);
    }
    char* bytes = length >= 0 && length <= MAX_FILE ? malloc((size_t)length + 1) : NULL;
    if (bytes != NULL && (fseek(file, 0, SEEK_SET) != 0 ||
                          fread(bytes, 1, (size_t)length, file) != (size_t)length)) {
        free(bytes);
        bytes = NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    *size = bytes != NULL ? (size_t)length : 0;
    return bytes;
}

static uint32_t readWord(const char* bytes) {
    uint32_t word;
    memcpy(&word, bytes, 4);
    return word;
}

bool CliGltf_Open(CliGltf* file, const char* path, int* line, char* reason, size_t size) {
    *file = (CliGltf){.path = path};
    sdContext context = sdContext_Default();
    file->json.context = context;
    file->bytes = readFile(path, &file->size);
    if (file->bytes == NULL) {
        return say(reason, size, "there is no such file, or it cannot be read");
    }
    const char* text = file->bytes;
    size_t length = file->size;
    if (file->size >= 20 && readWord(file->bytes) == GLB_MAGIC) {
        length = readWord(file->bytes + 12);
        text = file->bytes + 20;
        if (readWord(file->bytes + 16) != CHUNK_JSON || length > file->size - 20) {
            CliGltf_Close(file);
            return say(reason, size, "a GLB whose first part is not its document, or is cut short");
        }
        size_t rest = 20 + length;
        if (file->size >= 8 && rest <= file->size - 8 &&
            readWord(file->bytes + rest + 4) == CHUNK_BINARY &&
            readWord(file->bytes + rest) <= file->size - rest - 8) {
            file->binary = file->bytes + rest + 8;
            file->binarySize = readWord(file->bytes + rest);
        }
        // a document is filled up with blanks
        while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\0')) {
            --length;
        }
    }
    sdFault fault;
    if (sdJson_Read(&context, text, length, &file->json, &fault) != SD_OK) {
        *line = text == file->bytes ? fault.line : 0;
        say(reason, size, fault.text);
        CliGltf_Close(file);
        return false;
    }
    return true;
}

void CliGltf_Close(CliGltf* file) {
    sdJson_Free(&file->json);
    free(file->bytes);
    file->bytes = NULL;
}

// ---- values --------------------------------------------------------------------------------

static int itemOf(const sdJson* json, const char* list, int i) {
    int node = sdJson_Find(json, 0, list);
    int item = node != SD_NULL_INDEX && i >= 0 ? json->nodes[node].firstChild : SD_NULL_INDEX;
    for (int k = 0; k < i && item != SD_NULL_INDEX; ++k) {
        item = json->nodes[item].next;
    }
    return item;
}

static long intOf(const sdJson* json, int object, const char* key, long usual) {
    int value = object != SD_NULL_INDEX ? sdJson_Find(json, object, key) : SD_NULL_INDEX;
    if (value == SD_NULL_INDEX || json->nodes[value].type != SD_JSON_NUMBER) {
        return usual;
    }
    double number = json->nodes[value].number;
    return number >= 0.0 && number <= (double)MAX_FILE ? (long)number : -1;
}

// ---- buffers -------------------------------------------------------------------------------

/// Bytes that may have to be freed.
typedef struct Bytes {
    const char* data;
    char* owned;
    size_t size;
} Bytes;

static int valueOf(char c) {
    const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* found = c != '\0' ? strchr(digits, c) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

static bool decode(const char* text, Bytes* out) {
    size_t length = strlen(text);
    out->owned = malloc(length + 1);
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < length && out->owned != NULL && text[i] != '='; ++i) {
        int value = valueOf(text[i]);
        if (value < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)value;
        count += 6;
        if (count >= 8) {
            count -= 8;
            out->owned[out->size++] = (char)(bits >> count & 0xFF);
        }
    }
    out->data = out->owned;
    return out->owned != NULL;
}

static bool openBuffer(const CliGltf* file, int index, Bytes* out) {
    const sdJson* json = &file->json;
    int buffer = itemOf(json, "buffers", index);
    int uri = buffer != SD_NULL_INDEX ? sdJson_Find(json, buffer, "uri") : SD_NULL_INDEX;
    *out = (Bytes){.data = NULL};
    if (buffer == SD_NULL_INDEX) {
        return false;
    }
    if (uri == SD_NULL_INDEX) {
        *out = (Bytes){.data = file->binary, .size = file->binarySize};
        return file->binary != NULL;
    }
    const char* text = sdJson_Text(json, uri);
    if (strncmp(text, "data:", 5) == 0) {
        const char* comma = strchr(text, ',');
        return comma != NULL && decode(comma + 1, out);
    }
    char path[MAX_PATH];
    const char* slash = strrchr(file->path, '/');
    snprintf(path, sizeof path, "%.*s%s", slash != NULL ? (int)(slash - file->path) + 1 : 0,
             file->path, text);
    out->owned = readFile(path, &out->size);
    out->data = out->owned;
    return out->owned != NULL;
}

/// A list of numbers in a buffer.
typedef struct View {
    Bytes bytes;
    const char* data;
    long count, stride;
    int component; ///< 5121, 5123, 5125: whole; 5126: float
} View;

static bool openView(const CliGltf* file, long accessorIndex, int columns, View* out) {
    const sdJson* json = &file->json;
    int accessor = itemOf(json, "accessors", (int)accessorIndex);
    int view = itemOf(json, "bufferViews", (int)intOf(json, accessor, "bufferView", -1));
    *out = (View){.count = intOf(json, accessor, "count", 0),
                  .component = (int)intOf(json, accessor, "componentType", 0)};
    long each = out->component == 5121 ? 1 : out->component == 5123 ? 2 : 4;
    if (accessor == SD_NULL_INDEX || view == SD_NULL_INDEX || out->count <= 0 ||
        sdJson_Find(json, accessor, "sparse") != SD_NULL_INDEX ||
        !openBuffer(file, (int)intOf(json, view, "buffer", -1), &out->bytes)) {
        return false;
    }
    long offset = intOf(json, view, "byteOffset", 0) + intOf(json, accessor, "byteOffset", 0);
    out->stride = intOf(json, view, "byteStride", each * columns);
    bool isInside = offset >= 0 && out->stride >= each * columns && out->stride <= 4096 &&
                    (size_t)offset + (size_t)(out->count - 1) * (size_t)out->stride +
                            (size_t)(each * columns) <=
                        out->bytes.size;
    out->data = isInside ? out->bytes.data + offset : NULL;
    return isInside;
}

// ---- meshes --------------------------------------------------------------------------------

static bool addVertices(const CliGltf* file, long accessor, CliGltfMesh* out) {
    View view;
    bool ok = openView(file, accessor, 3, &view) && view.component == 5126;
    float* vertices =
        ok ? realloc(out->vertices, (size_t)(out->vertexCount + view.count) * 3 * sizeof *vertices)
           : NULL;
    if (vertices != NULL) {
        out->vertices = vertices;
        for (long i = 0; i < view.count; ++i) {
            memcpy(&vertices[3 * (out->vertexCount + i)], view.data + i * view.stride, 12);
        }
        out->vertexCount += (int)view.count;
    }
    free(view.bytes.owned);
    return vertices != NULL;
}

static uint32_t readIndex(const View* view, long i) {
    const char* at = view->data + i * view->stride;
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    if (view->component == 5121) {
        memcpy(&byte, at, 1);
        return byte;
    }
    if (view->component == 5123) {
        memcpy(&half, at, 2);
        return half;
    }
    memcpy(&word, at, 4);
    return word;
}

/// @param accessor -1: vertices follow each other
static bool addTriangles(const CliGltf* file, long accessor, int base, CliGltfMesh* out) {
    View view = {.count = out->vertexCount - base};
    bool ok = accessor < 0 || (openView(file, accessor, 1, &view) && view.component != 5126);
    long triangles = view.count / 3;
    uint32_t* list = ok ? realloc(out->triangles,
                                  (size_t)(out->triangleCount + triangles + 1) * 3 * sizeof *list)
                        : NULL;
    if (list != NULL) {
        out->triangles = list;
    }
    for (long i = 0; i < 3 * triangles && list != NULL; ++i) {
        uint32_t index = accessor < 0 ? (uint32_t)i : readIndex(&view, i);
        ok = ok && index < (uint32_t)(out->vertexCount - base);
        list[3 * out->triangleCount + i] = (uint32_t)base + index;
    }
    out->triangleCount += ok && list != NULL ? (int)triangles : 0;
    free(view.bytes.owned);
    return ok && list != NULL;
}

bool CliGltf_ReadMesh(const CliGltf* file, int mesh, CliGltfMesh* out, char* reason, size_t size) {
    const sdJson* json = &file->json;
    int node = itemOf(json, "meshes", mesh);
    int primitives = node != SD_NULL_INDEX ? sdJson_Find(json, node, "primitives") : SD_NULL_INDEX;
    *out = (CliGltfMesh){0};
    bool ok = primitives != SD_NULL_INDEX;
    for (int p = ok ? json->nodes[primitives].firstChild : SD_NULL_INDEX; p != SD_NULL_INDEX && ok;
         p = json->nodes[p].next) {
        int attributes = sdJson_Find(json, p, "attributes");
        int base = out->vertexCount;
        ok = intOf(json, p, "mode", 4) == 4 &&
             addVertices(file, intOf(json, attributes, "POSITION", -1), out) &&
             addTriangles(file, intOf(json, p, "indices", -1), base, out);
    }
    if (!ok || out->triangleCount == 0) {
        CliGltfMesh_Free(out);
        return say(reason, size,
                   "it is not there, not made of triangles, or its data are cut short");
    }
    return true;
}

void CliGltfMesh_Free(CliGltfMesh* mesh) {
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (CliGltfMesh){0};
}
