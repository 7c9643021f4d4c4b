// SPDX-License-Identifier: MIT
// off_file.c - see off_file.h.

#include "off_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Far more than any file of the package has.
#define MAX_COUNT 10000000
/// Corners of one polygon.
#define MAX_CORNERS 1000

/// The next line that is neither empty nor a comment; NULL at the end.
static char* readLine(FILE* file, char* line, int capacity) {
    while (fgets(line, capacity, file) != NULL) {
        char* text = line + strspn(line, " \t\r\n");
        if (*text != '\0' && *text != '#') {
            return text;
        }
    }
    return NULL;
}

static const char* readVertices(TestMesh* mesh, FILE* file, int count) {
    char line[4096];
    for (int i = 0; i < count; ++i) {
        char* text = readLine(file, line, sizeof line);
        if (text == NULL) {
            return "ends within its vertices";
        }
        double p[3];
        for (int k = 0; k < 3; ++k) {
            char* end;
            p[k] = strtod(text, &end);
            if (end == text) {
                return "a vertex has fewer than three numbers";
            }
            text = end;
        }
        TestMesh_AddVertex(mesh, p[0], p[1], p[2]);
    }
    return NULL;
}

static const char* readFaces(TestMesh* mesh, FILE* file, int count) {
    char line[4096];
    for (int i = 0; i < count; ++i) {
        char* text = readLine(file, line, sizeof line);
        if (text == NULL) {
            return "ends within its faces";
        }
        long corners = strtol(text, &text, 10), face[MAX_CORNERS];
        if (corners < 3 || corners > MAX_CORNERS) {
            return "a face has fewer than three corners, or very many";
        }
        for (long k = 0; k < corners; ++k) {
            face[k] = strtol(text, &text, 10);
            if (face[k] < 0 || face[k] >= mesh->vertexCount) {
                return "a face names a vertex that is not there";
            }
        }
        for (long k = 2; k < corners; ++k) {
            TestMesh_AddTriangle(mesh, (int)face[0], (int)face[k - 1], (int)face[k]);
        }
    }
    return NULL;
}

static const char* readAll(TestMesh* mesh, FILE* file) {
    char line[4096];
    char* text = readLine(file, line, sizeof line);
    if (text == NULL || strncmp(text, "OFF", 3) != 0) {
        return "does not begin with OFF";
    }
    // counts stand on the same line or the next
    text += 3;
    if (strspn(text, " \t\r\n") == strlen(text)) {
        text = readLine(file, line, sizeof line);
    }
    if (text == NULL) {
        return "has no counts";
    }
    long vertexCount = strtol(text, &text, 10), faceCount = strtol(text, &text, 10);
    if (vertexCount < 3 || vertexCount > MAX_COUNT || faceCount < 1 || faceCount > MAX_COUNT) {
        return "has counts that make no sense";
    }
    const char* fault = readVertices(mesh, file, (int)vertexCount);
    return fault != NULL ? fault : readFaces(mesh, file, (int)faceCount);
}

const char* TestMesh_ReadOff(TestMesh* mesh, const char* path) {
    FILE* file = fopen(path, "r");
    if (file == NULL) {
        return "cannot be opened";
    }
    const char* fault = readAll(mesh, file);
    fclose(file);
    return fault;
}
