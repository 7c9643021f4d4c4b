// SPDX-License-Identifier: MIT
// names.c - see names.h.

#include "names.h"

#include <string.h>

/// Longest word that is compared with others, letters.
#define MAX_WORD 64
/// Names among which the nearest is looked for.
#define MAX_COMPARED 1000

void sdNames_Init(sdNames* names, const sdAllocator* allocator) {
    *names = (sdNames){.allocator = *allocator};
}

static void release(const sdAllocator* allocator, void* memory, size_t size) {
    if (memory != NULL) {
        allocator->release(allocator->user, memory, size);
    }
}

void sdNames_Free(sdNames* names) {
    release(&names->allocator, names->names, (size_t)names->capacity * sizeof *names->names);
    release(&names->allocator, names->values, (size_t)names->capacity * sizeof *names->values);
    release(&names->allocator, names->slots, (size_t)names->slotCount * sizeof *names->slots);
    sdNames_Init(names, &names->allocator);
}

void sdNames_Clear(sdNames* names) {
    names->count = 0;
    if (names->slots != NULL) {
        memset(names->slots, 0, (size_t)names->slotCount * sizeof *names->slots);
    }
}

/// Fowler, Noll and Vo's hash, which needs no table.
static uint32_t hashOf(const char* name) {
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; ++name) {
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    }
    return hash;
}

/// Where the name is, or where it would go.
static int findSlot(const sdNames* names, const char* name) {
    uint32_t mask = (uint32_t)names->slotCount - 1;
    uint32_t slot = hashOf(name) & mask;
    while (names->slots[slot] != 0 && strcmp(names->names[names->slots[slot] - 1], name) != 0) {
        slot = (slot + 1) & mask;
    }
    return (int)slot;
}

static void* allocate(sdNames* names, size_t count, size_t size) {
    return names->allocator.allocate(names->allocator.user, count * size, 16);
}

/// Twice as large, at most half full.
static bool grow(sdNames* names) {
    sdNames larger = *names;
    larger.capacity = names->capacity == 0 ? 16 : 2 * names->capacity;
    larger.slotCount = 2 * larger.capacity;
    larger.names = allocate(names, (size_t)larger.capacity, sizeof *larger.names);
    larger.values = allocate(names, (size_t)larger.capacity, sizeof *larger.values);
    larger.slots = allocate(names, (size_t)larger.slotCount, sizeof *larger.slots);
    if (larger.names == NULL || larger.values == NULL || larger.slots == NULL) {
        sdNames_Free(&larger);
        return false;
    }
    if (names->count > 0) {
        memcpy(larger.names, names->names, (size_t)names->count * sizeof *names->names);
        memcpy(larger.values, names->values, (size_t)names->count * sizeof *names->values);
    }
    memset(larger.slots, 0, (size_t)larger.slotCount * sizeof *larger.slots);
    for (int i = 0; i < larger.count; ++i) {
        larger.slots[findSlot(&larger, larger.names[i])] = 1 + i;
    }
    sdNames_Free(names);
    *names = larger;
    return true;
}

bool sdNames_Add(sdNames* names, const char* name, int value) {
    if (names->count == names->capacity && !grow(names)) {
        return false;
    }
    int slot = findSlot(names, name);
    if (names->slots[slot] == 0) {
        names->names[names->count] = name;
        names->values[names->count] = value;
        names->slots[slot] = ++names->count;
    }
    return true;
}

int sdNames_Find(const sdNames* names, const char* name) {
    int found = names->count > 0 ? names->slots[findSlot(names, name)] : 0;
    return found != 0 ? names->values[found - 1] : SD_NULL_INDEX;
}

// ---- words ---------------------------------------------------------------------------------

static int minOf3(int a, int b, int c) {
    int least = a < b ? a : b;
    return least < c ? least : c;
}

/// Letters to be put in, taken out or changed to make one word of the other (Levenshtein).
static int wordDistance(const char* a, const char* b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > MAX_WORD || m > MAX_WORD) {
        return MAX_WORD;
    }
    int row[MAX_WORD + 1];
    for (size_t k = 0; k <= m; ++k) {
        row[k] = (int)k;
    }
    for (size_t i = 1; i <= n; ++i) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t k = 1; k <= m; ++k) {
            int above = row[k];
            row[k] = minOf3(above + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1]));
            diagonal = above;
        }
    }
    return row[m];
}

const char* sdNearestWord(const char* word, sdWordFcn* getWord, const void* user) {
    const char* nearest = NULL;
    // a third of the letters may be wrong, or the end not yet typed
    int least = (int)(strlen(word) / 3) + 2;
    const char* other;
    for (int i = 0; i < MAX_COMPARED && (other = getWord(user, i)) != NULL; ++i) {
        int distance = wordDistance(word, other);
        if (strlen(word) >= 3 &&
            (strncmp(word, other, strlen(word)) == 0 || strncmp(word, other, strlen(other)) == 0)) {
            distance = 1;
        }
        if (distance < least) {
            least = distance;
            nearest = other;
        }
    }
    return nearest;
}

static const char* getName(const void* user, int i) {
    const sdNames* names = user;
    return i < names->count ? names->names[i] : NULL;
}

const char* sdNames_Nearest(const sdNames* names, const char* name) {
    return sdNearestWord(name, getName, names);
}
