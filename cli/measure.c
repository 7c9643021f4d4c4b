// SPDX-License-Identifier: MIT
// measure.c - figures of a run, taken between its steps and never within their time.

#include "measure.h"

#include <math.h>
#include <stdlib.h>

const char* CliStage_Name(CliStage stage) {
    static const char* const names[CLI_STAGE_COUNT] = {"pairs", "contacts", "islands",
                                                       "solve", "refit",    "sleep"};
    return names[stage];
}

void CliMeasure_Open(CliMeasure* m) {
    *m = (CliMeasure){0};
}

void CliMeasure_Close(CliMeasure* m) {
    free(m->stepMs);
    free(m->contacts);
    *m = (CliMeasure){0};
}

static bool lookAtContacts(CliMeasure* m, const sdWorld* world) {
    int count = sdWorld_GetContacts(world, NULL, 0);
    if (count > m->contactCapacity) {
        int capacity = count + count / 2;
        sdContactInfo* larger = realloc(m->contacts, (size_t)capacity * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        m->contacts = larger;
        m->contactCapacity = capacity;
    }
    sdWorld_GetContacts(world, m->contacts, count);
    m->contactCount = count;
    m->pointCount = 0;
    for (int i = 0; i < count; ++i) {
        m->pointCount += m->contacts[i].pointCount;
        for (int k = 0; k < m->contacts[i].pointCount; ++k) {
            double depth = -(double)m->contacts[i].points[k].separation;
            m->maxPenetration = depth > m->maxPenetration ? depth : m->maxPenetration;
        }
    }
    return true;
}

bool CliMeasure_Add(CliMeasure* m, const sdWorld* world, double seconds) {
    sdWorldStats s = sdWorld_GetStats(world);
    const float ms[CLI_STAGE_COUNT] = {s.pairMs,  s.contactMs, s.islandMs,
                                       s.solveMs, s.refitMs,   s.sleepMs};
    for (int i = 0; i < CLI_STAGE_COUNT; ++i) {
        m->stageSum[i] += (double)ms[i];
        m->stageMost[i] = fmax(m->stageMost[i], (double)ms[i]);
    }
    m->seconds += seconds;
    if (m->count == m->capacity) {
        int capacity = m->capacity + m->capacity / 2 + 1024;
        float* larger = realloc(m->stepMs, (size_t)capacity * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        m->stepMs = larger;
        m->capacity = capacity;
    }
    m->stepMs[m->count++] = (float)(1e3 * seconds);
    return lookAtContacts(m, world);
}

static int compareFloats(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

void CliMeasure_Finish(CliMeasure* m) {
    if (m->count > 0) {
        qsort(m->stepMs, (size_t)m->count, sizeof *m->stepMs, compareFloats);
    }
}

double CliMeasure_GetMean(const CliMeasure* m) {
    return m->count > 0 ? 1e3 * m->seconds / m->count : 0.0;
}

double CliMeasure_GetQuantile(const CliMeasure* m, double share) {
    if (m->count == 0) {
        return 0.0;
    }
    int rank = (int)ceil(share * m->count) - 1;
    rank = rank < 0 ? 0 : (rank >= m->count ? m->count - 1 : rank);
    return (double)m->stepMs[rank];
}
