// SPDX-License-Identifier: MIT
// input.c - bytes as numbers, hashes of results, checks that end the program. See fuzz.h.

#include "fuzz.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fuzzIsLoud;

// ---- bytes ---------------------------------------------------------------------------------

FuzzInput FuzzInput_Make(const uint8_t* bytes, size_t size) {
    return (FuzzInput){bytes, size, 0, 0};
}

bool FuzzInput_IsAtEnd(const FuzzInput* in) {
    return in->at >= in->size;
}

uint8_t FuzzInput_Byte(FuzzInput* in) {
    return in->at < in->size ? in->bytes[in->at++] : 0;
}

bool FuzzInput_Bool(FuzzInput* in) {
    return (FuzzInput_Byte(in) & 1) != 0;
}

int FuzzInput_Int(FuzzInput* in, int count) {
    int value = FuzzInput_Byte(in);
    if (count > 256) {
        value = value * 256 + FuzzInput_Byte(in);
    }
    return value % count;
}

uint32_t FuzzInput_Word(FuzzInput* in) {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        value = value << 8 | FuzzInput_Byte(in);
    }
    return value;
}

const uint8_t* FuzzInput_Rest(FuzzInput* in, size_t* size) {
    const uint8_t* rest = in->bytes + in->at;
    *size = in->size - in->at;
    in->at = in->size;
    return rest;
}

// ---- numbers -------------------------------------------------------------------------------

static bool isWild(FuzzInput* in) {
    return in->wildness > 0 && FuzzInput_Byte(in) < in->wildness;
}

static float readWild(FuzzInput* in) {
    static const float values[] = {0.0f,    -0.0f,   1.0f,     -1.0f, 1e-6f,    -1e-6f,
                                   1e-20f,  1e-30f,  1e-44f,   1e6f,  -1e6f,    1e9f,
                                   -1.1e9f, 1e12f,   1e15f,    1e18f, -1e20f,   1e30f,
                                   FLT_MAX, FLT_MIN, -FLT_MAX, 1e24f, 3.14159f, 16777216.0f};
    const int count = (int)(sizeof values / sizeof values[0]);
    int choice = FuzzInput_Int(in, count + 8);
    if (choice < count) {
        return values[choice];
    }
    switch (choice - count) {
        case 0:
            return TestNaN();
        case 1:
            return TestInfinity();
        case 2:
            return -TestInfinity();
        default: {
            uint32_t bits = FuzzInput_Word(in);
            float value;
            memcpy(&value, &bits, sizeof value);
            return value;
        }
    }
}

float FuzzInput_Float(FuzzInput* in, float a, float b) {
    if (isWild(in)) {
        return readWild(in);
    }
    int value = FuzzInput_Byte(in) * 256;
    value += FuzzInput_Byte(in);
    return a + (b - a) * (float)value * (1.0f / 65536.0f);
}

float FuzzInput_Size(FuzzInput* in, float usual) {
    static const float factors[] = {1.0f, 1.0f, 1.0f, 1.0f, 0.3f, 3.0f, 0.03f, 30.0f, 1e-3f, 1e3f};
    if (isWild(in)) {
        return readWild(in);
    }
    float factor = factors[FuzzInput_Int(in, (int)(sizeof factors / sizeof factors[0]))];
    return usual * factor * (0.5f + (float)FuzzInput_Byte(in) * (1.0f / 256.0f));
}

sdVec3 FuzzInput_Vec3(FuzzInput* in, float reach) {
    float x = FuzzInput_Float(in, -reach, reach);
    float y = FuzzInput_Float(in, -reach, reach);
    float z = FuzzInput_Float(in, -reach, reach);
    return sdV3(x, y, z);
}

sdPos FuzzInput_Pos(FuzzInput* in, double reach) {
    sdVec3 p = FuzzInput_Vec3(in, (float)reach);
    return sdPos_Make((double)p.x, (double)p.y, (double)p.z);
}

sdQuat FuzzInput_Quat(FuzzInput* in) {
    static const float half = 0.70710678f;
    switch (FuzzInput_Int(in, 8)) {
        case 0:
        case 1:
            return sdQuat_Identity();
        case 2:
            return sdNormalizeQ((sdQuat){{half, 0.0f, 0.0f}, half});
        case 3:
            return sdNormalizeQ((sdQuat){{0.0f, 0.0f, half}, -half});
        case 4:
            return (sdQuat){{0.5f, 0.5f, 0.5f}, 0.5f};
        default: {
            sdVec3 v = FuzzInput_Vec3(in, 1.0f);
            sdQuat q = {v, FuzzInput_Float(in, -1.0f, 1.0f)};
            float squared = sdDotQ(q, q);
            if (squared > 1e-4f && squared < 1e4f) {
                return sdNormalizeQ(q);
            }
            // what is not a rotation is wanted among the wild ones only
            return in->wildness > 0 ? q : sdQuat_Identity();
        }
    }
}

sdTransform FuzzInput_Transform(FuzzInput* in, float reach) {
    sdVec3 p = FuzzInput_Vec3(in, reach);
    return sdTransform_Make(p, FuzzInput_Quat(in));
}

// ---- hashes --------------------------------------------------------------------------------

uint64_t FuzzHash_Float(uint64_t hash, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = value != value ? 0x7FC00000u : bits;
    return TestHash(hash, &bits, sizeof bits);
}

uint64_t FuzzHash_Vec3(uint64_t hash, sdVec3 value) {
    return FuzzHash_Float(FuzzHash_Float(FuzzHash_Float(hash, value.x), value.y), value.z);
}

uint64_t FuzzHash_Int(uint64_t hash, long long value) {
    return TestHash(hash, &value, sizeof value);
}

bool Fuzz_IsUnit(sdVec3 v) {
    return fabsf(sdLength(v) - 1.0f) < 1e-3f;
}

// ---- checks: as those of the tests, but the first one that fails ends the program -----------

static void fail(const char* file, int line) {
    fprintf(stderr, "\nfuzz_%s: %s:%d: ", fuzzTarget.name, file, line);
}

static void end(void) {
    fflush(NULL);
    abort();
}

bool sdTest_Check(bool ok, const char* file, int line, const char* text) {
    if (!ok) {
        fail(file, line);
        fprintf(stderr, "failed: %s\n", text);
        end();
    }
    return ok;
}

bool sdTest_CheckNear(double a, double b, double tolerance, const char* file, int line,
                      const char* text) {
    if (!(a == b || fabs(a - b) <= tolerance)) {
        fail(file, line);
        fprintf(stderr, "failed: %s: %.9g and %.9g differ by %.3g, allowed are %.3g\n", text, a, b,
                fabs(a - b), tolerance);
        end();
    }
    return true;
}

bool sdTest_CheckInt(long long a, long long b, const char* file, int line, const char* text) {
    if (a != b) {
        fail(file, line);
        fprintf(stderr, "failed: %s: %lld and %lld\n", text, a, b);
        end();
    }
    return true;
}

bool sdTest_CheckText(const char* text, const char* part, const char* file, int line) {
    return sdTest_Check(strstr(text, part) != NULL, file, line, part);
}

void sdTest_Print(const char* format, ...) {
    if (!fuzzIsLoud) {
        return;
    }
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
}
