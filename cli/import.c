// SPDX-License-Identifier: MIT
// import.c - see import.h.

// realpath
#define _XOPEN_SOURCE 700

#include "import.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- text ----------------------------------------------------------------------------------

static bool reserve(CliBuffer* buffer, size_t more) {
    if (buffer->length + more + 1 > buffer->capacity) {
        size_t capacity = 2 * (buffer->length + more + 1);
        char* data = realloc(buffer->data, capacity);
        if (data == NULL) {
            return false;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    return true;
}

void CliBuffer_Print(CliBuffer* buffer, const char* format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length > 0 && reserve(buffer, (size_t)length)) {
        vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

void CliBuffer_Text(CliBuffer* buffer, const char* text) {
    CliBuffer_Print(buffer, "\"");
    for (const unsigned char* c = (const unsigned char*)text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\') {
            CliBuffer_Print(buffer, "\\%c", *c);
        } else if (*c < 0x20) {
            CliBuffer_Print(buffer, "\\u%04x", *c);
        } else {
            CliBuffer_Print(buffer, "%c", *c);
        }
    }
    CliBuffer_Print(buffer, "\"");
}

void CliBuffer_Free(CliBuffer* buffer) {
    free(buffer->data);
    *buffer = (CliBuffer){0};
}

// ---- notes ---------------------------------------------------------------------------------

void CliImport_Note(CliImport* import, int line, const char* format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int i = 0; i < import->noteCount; ++i) {
        if (strcmp(import->notes[i], text) == 0) {
            return;
        }
    }
    char* copy = import->noteCount < CLI_MAX_NOTES ? malloc(strlen(text) + 1) : NULL;
    if (copy == NULL) {
        ++import->moreNotes;
        return;
    }
    memcpy(copy, text, strlen(text) + 1);
    import->noteLines[import->noteCount] = line;
    import->notes[import->noteCount++] = copy;
}

bool CliImport_Fail(CliImport* import, int line, const char* format, ...) {
    if (!import->hasFailed) {
        import->hasFailed = true;
        import->faultLine = line;
        va_list args;
        va_start(args, format);
        vsnprintf(import->fault, sizeof import->fault, format, args);
        va_end(args);
    }
    return false;
}

void CliImport_Free(CliImport* import) {
    for (int i = 0; i < import->noteCount; ++i) {
        free(import->notes[i]);
    }
    CliBuffer_Free(&import->out);
    import->noteCount = 0;
}

// ---- kinds ---------------------------------------------------------------------------------

static const struct {
    const char* ending;
    bool (*read)(CliImport* import);
} kinds[] = {
    {".urdf", CliImport_Urdf}, {".mjcf", CliImport_Mjcf}, {".xml", CliImport_Mjcf},
    {".gltf", CliImport_Gltf}, {".glb", CliImport_Gltf},
};

static int findKind(const char* path) {
    size_t length = strlen(path);
    for (int i = 0; i < (int)(sizeof kinds / sizeof kinds[0]); ++i) {
        size_t n = strlen(kinds[i].ending);
        if (length > n && strcmp(path + length - n, kinds[i].ending) == 0) {
            return i;
        }
    }
    return -1;
}

bool CliImport_IsKnown(const char* path) {
    return findKind(path) >= 0;
}

bool CliImport_Read(CliImport* import) {
    int kind = findKind(import->path);
    return kind >= 0 ? kinds[kind].read(import)
                     : CliImport_Fail(import, 0, "not a kind of file that can be imported");
}

// ---- numbers and poses ---------------------------------------------------------------------

int CliImport_Numbers(const char* text, double* out, int capacity) {
    int count = 0;
    while (*(text += strspn(text, " \t\r\n,")) != '\0') {
        char* end;
        double value = strtod(text, &end);
        if (end == text || !isfinite(value)) {
            return -1;
        }
        if (count < capacity) {
            out[count] = value;
        }
        ++count;
        text = end;
    }
    return count < capacity ? count : capacity;
}

void CliImport_Pose(CliBuffer* out, sdTransform xf) {
    sdQuat q = sdNormalizeQ(xf.q);
    if (xf.p.x != 0.0f || xf.p.y != 0.0f || xf.p.z != 0.0f) {
        CliBuffer_Print(out, ", \"position\": [%.9g, %.9g, %.9g]", (double)xf.p.x, (double)xf.p.y,
                        (double)xf.p.z);
    }
    if (q.v.x != 0.0f || q.v.y != 0.0f || q.v.z != 0.0f) {
        CliBuffer_Print(out, ", \"rotation\": [%.9g, %.9g, %.9g, %.9g]", (double)q.v.x,
                        (double)q.v.y, (double)q.v.z, (double)q.s);
    }
}

sdQuat CliImport_TurnX(sdVec3 axis) {
    float length = sdLength(axis);
    if (!(length > 0.0f)) {
        return sdQuat_Identity();
    }
    sdVec3 d = sdScale(1.0f / length, axis);
    if (d.x < -0.999999f) {
        return (sdQuat){{0.0f, 1.0f, 0.0f}, 0.0f};
    }
    // half way between both directions
    sdVec3 c = sdCross(sdV3(1.0f, 0.0f, 0.0f), d);
    return sdNormalizeQ((sdQuat){c, 1.0f + d.x});
}

sdQuat CliImport_Rpy(double roll, double pitch, double yaw) {
    sdQuat x = sdQuat_FromAxisAngle(sdV3(1.0f, 0.0f, 0.0f), (float)roll);
    sdQuat y = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), (float)pitch);
    sdQuat z = sdQuat_FromAxisAngle(sdV3(0.0f, 0.0f, 1.0f), (float)yaw);
    return sdNormalizeQ(sdMulQ(z, sdMulQ(y, x)));
}

sdQuat CliImport_YToZ(void) {
    return sdNormalizeQ((sdQuat){{1.0f, 0.0f, 0.0f}, 1.0f});
}

void CliImport_Join(const CliImport* import, const char* name, char* out, size_t size) {
    const char* slash = strrchr(import->path, '/');
    int folder = name[0] == '/' || slash == NULL ? 0 : (int)(slash - import->path) + 1;
    snprintf(out, size, "%.*s%s", folder, import->path, name);
    char* absolute = realpath(out, NULL);
    if (absolute != NULL) {
        snprintf(out, size, "%s", absolute);
    }
    free(absolute);
}
