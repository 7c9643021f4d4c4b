// SPDX-License-Identifier: MIT
// driver.c - runs a fuzz target without libFuzzer, with any compiler and as WebAssembly.
//
//     fuzz_X                          the seeds, once
//     fuzz_X FILE...                  these inputs
//     fuzz_X --count N [--seed S]     the seeds and N mutants of them, with a hash of all results
//     fuzz_X --seconds N [--seed S]   as many mutants as there is time for
//     fuzz_X --write FOLDER           the seeds as files, to give to libFuzzer
//
// The same seed gives the same inputs everywhere. An input that ends the program is left as
// fuzz-X-input in the folder that FUZZ_OUT names, or here.

// alarm, sigaction
#define _POSIX_C_SOURCE 200809L

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if !defined(__wasi__)
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#endif

/// Inputs that others are made of; mutants take the place of some, so that changes add up.
#define POOL_SIZE 256
/// One of so many mutants does.
#define KEPT_OF 8
#define MAX_CHANGES 6
/// s that one input may take: more is taken for a hang.
#define MAX_SECONDS 60

// ---- seeds ---------------------------------------------------------------------------------

typedef struct Item {
    uint8_t* bytes;
    size_t size;
} Item;

struct FuzzSeeds {
    Item items[POOL_SIZE];
    int count;
};

static void* allocOrEnd(size_t size) {
    void* memory = malloc(size > 0 ? size : 1);
    if (memory == NULL) {
        fprintf(stderr, "fuzz_%s: no memory\n", fuzzTarget.name);
        exit(2);
    }
    return memory;
}

void FuzzSeeds_Add(FuzzSeeds* seeds, const void* bytes, size_t size) {
    if (seeds->count == POOL_SIZE || size > fuzzTarget.maxSize) {
        fprintf(stderr, "fuzz_%s: too many seeds, or one too large\n", fuzzTarget.name);
        exit(2);
    }
    Item item = {allocOrEnd(size), size};
    if (size > 0) {
        memcpy(item.bytes, bytes, size);
    }
    seeds->items[seeds->count++] = item;
}

void FuzzSeeds_AddText(FuzzSeeds* seeds, const char* text) {
    FuzzSeeds_Add(seeds, text, strlen(text));
    Item* item = &seeds->items[seeds->count - 1];
    for (size_t i = 0; i < item->size; ++i) {
        item->bytes[i] = item->bytes[i] == '\'' ? '"' : item->bytes[i];
    }
}

// ---- mutation ------------------------------------------------------------------------------

typedef struct Mutant {
    uint8_t* bytes; ///< room for fuzzTarget.maxSize
    size_t size;
    TestRandom random;
} Mutant;

static size_t pickPlace(Mutant* m) {
    return m->size > 0 ? TestRandom_Next(&m->random) % m->size : 0;
}

/// Put bytes in the place of `gone` others.
static void splice(Mutant* m, size_t at, size_t gone, const uint8_t* bytes, size_t size) {
    gone = gone < m->size - at ? gone : m->size - at;
    if (m->size - gone + size > fuzzTarget.maxSize) {
        return;
    }
    memmove(m->bytes + at + size, m->bytes + at + gone, m->size - at - gone);
    if (size > 0) {
        memcpy(m->bytes + at, bytes, size);
    }
    m->size = m->size - gone + size;
}

static void changeByte(Mutant* m) {
    static const uint8_t values[] = {0, 1, 2, 0x7F, 0x80, 0xFF, 0xFE, '0', '9', '-', '.', 'e'};
    if (m->size == 0) {
        return;
    }
    uint8_t* byte = &m->bytes[pickPlace(m)];
    switch (TestRandom_Int(&m->random, 4)) {
        case 0:
            *byte ^= (uint8_t)(1 << TestRandom_Int(&m->random, 8));
            break;
        case 1:
            *byte = values[TestRandom_Int(&m->random, (int)sizeof values)];
            break;
        case 2:
            *byte = (uint8_t)(*byte + TestRandom_Int(&m->random, 9) - 4);
            break;
        default:
            *byte = (uint8_t)TestRandom_Next(&m->random);
    }
}

static void insertBytes(Mutant* m) {
    uint8_t bytes[8];
    size_t size = (size_t)TestRandom_Int(&m->random, 8) + 1;
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = (uint8_t)TestRandom_Next(&m->random);
    }
    splice(m, pickPlace(m), 0, bytes, size);
}

// Compilers differ in which argument of a call they find first, so what is drawn has a line of its
// own.
static void removeBytes(Mutant* m) {
    size_t at = pickPlace(m), gone = (size_t)TestRandom_Int(&m->random, 16);
    splice(m, at, gone, NULL, 0);
}

/// A piece of this input or of another one, in some place of this one.
static void copyPiece(Mutant* m, const FuzzSeeds* pool) {
    const Item* from = &pool->items[TestRandom_Int(&m->random, pool->count)];
    if (from->size == 0) {
        return;
    }
    size_t start = TestRandom_Next(&m->random) % from->size;
    size_t most = from->size - start < 64 ? from->size - start : 64;
    size_t size = TestRandom_Next(&m->random) % most + 1;
    size_t gone = TestRandom_Int(&m->random, 2) == 0 ? 0 : size;
    splice(m, pickPlace(m), gone, from->bytes + start, size);
}

static void insertWord(Mutant* m) {
    int count = 0;
    while (fuzzTarget.words != NULL && fuzzTarget.words[count] != NULL) {
        ++count;
    }
    if (count == 0) {
        changeByte(m);
        return;
    }
    const char* word = fuzzTarget.words[TestRandom_Int(&m->random, count)];
    size_t at = pickPlace(m), gone = (size_t)TestRandom_Int(&m->random, 12);
    splice(m, at, gone, (const uint8_t*)word, strlen(word));
}

static void changeNumber(Mutant* m) {
    static const uint32_t values[] = {0,           1,           0xFFFFFFFFu, 0x7FFFFFFFu,
                                      0x80000000u, 0x7F800000u, 0x7FC00000u, 0x00800000u,
                                      0x3F800000u, 0x10000u,    0xFFFFu,     0x01000000u};
    if (m->size < 4) {
        return;
    }
    uint32_t value = values[TestRandom_Int(&m->random, (int)(sizeof values / sizeof values[0]))];
    size_t at = TestRandom_Next(&m->random) % (m->size - 3);
    for (int i = 0; i < 4; ++i) {
        m->bytes[at + (size_t)i] = (uint8_t)(value >> (8 * i));
    }
}

static void mutate(Mutant* m, const FuzzSeeds* pool, int seedCount) {
    // every other one of a seed: what has changed much is mostly refused at once
    int count = TestRandom_Int(&m->random, 2) == 0 ? seedCount : pool->count;
    const Item* parent = &pool->items[TestRandom_Int(&m->random, count)];
    memcpy(m->bytes, parent->bytes, parent->size);
    m->size = parent->size;
    for (int i = TestRandom_Int(&m->random, MAX_CHANGES); i >= 0; --i) {
        switch (TestRandom_Int(&m->random, 8)) {
            case 0:
                insertBytes(m);
                break;
            case 1:
                removeBytes(m);
                break;
            case 2:
                copyPiece(m, pool);
                break;
            case 3:
                insertWord(m);
                break;
            case 4:
                changeNumber(m);
                break;
            case 5:
                m->size = TestRandom_Int(&m->random, 16) == 0 ? pickPlace(m) : m->size;
                break;
            default:
                changeByte(m);
        }
    }
}

// ---- running -------------------------------------------------------------------------------

static Item current; ///< what is being run, for whoever ends the program

#if !defined(__wasi__)
static void keepInput(int number) {
    static char path[512];
    const char* folder = getenv("FUZZ_OUT");
    snprintf(path, sizeof path, "%s/fuzz-%s-input", folder != NULL ? folder : ".", fuzzTarget.name);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    ssize_t written = file >= 0 ? write(file, current.bytes, current.size) : -1;
    fprintf(stderr, "fuzz_%s: %s; the input is %s %s\n", fuzzTarget.name,
            number == SIGALRM ? "an input takes too long" : "ended by a signal",
            written == (ssize_t)current.size ? "in" : "NOT in", path);
    signal(SIGABRT, SIG_DFL);
    _exit(1);
}

/// Sanitizers end programs by a signal, too, so that the input is kept.
const char* __asan_default_options(void);
const char* __asan_default_options(void) {
    return "abort_on_error=1:handle_abort=0";
}

static void catchSignals(void) {
    static const int numbers[] = {SIGABRT, SIGALRM, SIGFPE, SIGILL, SIGBUS};
    for (int i = 0; i < (int)(sizeof numbers / sizeof numbers[0]); ++i) {
        signal(numbers[i], keepInput);
    }
#if !defined(__SANITIZE_ADDRESS__)
    signal(SIGSEGV, keepInput);
#endif
}

static void watch(void) {
    alarm(MAX_SECONDS);
}
#else
static void catchSignals(void) {
}

static void watch(void) {
}
#endif

/// In a block of just that size, so that sanitizers see whoever reads beyond it.
static uint64_t runOnce(const uint8_t* bytes, size_t size) {
    current = (Item){allocOrEnd(size), size};
    if (size > 0) {
        memcpy(current.bytes, bytes, size);
    }
    watch();
    uint64_t hash = fuzzTarget.run(current.bytes, size);
    free(current.bytes);
    current = (Item){NULL, 0};
    return hash;
}

static uint64_t runAll(const FuzzSeeds* seeds) {
    uint64_t hash = TEST_HASH_START;
    for (int i = 0; i < seeds->count; ++i) {
        uint64_t one = runOnce(seeds->items[i].bytes, seeds->items[i].size);
        hash = TestHash(hash, &one, sizeof one);
    }
    return hash;
}

static void runMutants(FuzzSeeds* pool, double seconds, long count, uint64_t seed) {
    Mutant m = {allocOrEnd(fuzzTarget.maxSize), 0, TestRandom_Make(seed)};
    uint64_t hash = runAll(pool);
    int seedCount = pool->count;
    long done = 0;
    time_t end = time(NULL) + (time_t)seconds;
    while (count >= 0 ? done < count : time(NULL) < end) {
        mutate(&m, pool, seedCount);
        uint64_t one = runOnce(m.bytes, m.size);
        hash = TestHash(hash, &one, sizeof one);
        ++done;
        if (TestRandom_Int(&m.random, KEPT_OF) == 0) {
            int place = pool->count < POOL_SIZE
                            ? pool->count++
                            : seedCount + TestRandom_Int(&m.random, POOL_SIZE - seedCount);
            free(pool->items[place].bytes);
            pool->items[place] = (Item){allocOrEnd(m.size), m.size};
            memcpy(pool->items[place].bytes, m.bytes, m.size);
        }
    }
    printf("fuzz_%s: %d seeds and %ld mutants", fuzzTarget.name, seedCount, done);
    if (count >= 0) {
        printf(", results %016llx", (unsigned long long)hash);
    }
    printf("\n");
    free(m.bytes);
}

static bool runFile(const char* path) {
    FILE* file = fopen(path, "rb");
    uint8_t* bytes = allocOrEnd(fuzzTarget.maxSize + 1);
    size_t size = file != NULL ? fread(bytes, 1, fuzzTarget.maxSize + 1, file) : 0;
    bool ok = file != NULL && size <= fuzzTarget.maxSize && ferror(file) == 0;
    if (ok) {
        uint64_t hash = runOnce(bytes, size);
        printf("fuzz_%s: %s %016llx\n", fuzzTarget.name, path, (unsigned long long)hash);
    } else {
        fprintf(stderr, "fuzz_%s: cannot read %s, or it has more than %zu bytes\n", fuzzTarget.name,
                path, fuzzTarget.maxSize);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(bytes);
    return ok;
}

static bool writeSeeds(const FuzzSeeds* seeds, const char* folder) {
    bool ok = true;
    for (int i = 0; i < seeds->count; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/seed-%02d", folder, i);
        FILE* file = fopen(path, "wb");
        const Item* item = &seeds->items[i];
        ok = ok && file != NULL && fwrite(item->bytes, 1, item->size, file) == item->size;
        ok = file != NULL && fclose(file) == 0 && ok;
    }
    if (!ok) {
        fprintf(stderr, "fuzz_%s: cannot write to %s\n", fuzzTarget.name, folder);
    }
    return ok;
}

static int usage(void) {
    fprintf(stderr,
            "usage: fuzz_%s [FILE...] [--count N | --seconds N] [--seed S] [--loud]\n"
            "       fuzz_%s --write FOLDER\n",
            fuzzTarget.name, fuzzTarget.name);
    return 2;
}

int main(int argc, char** argv) {
    static FuzzSeeds seeds;
    double seconds = -1.0;
    long count = -1;
    uint64_t seed = 1;
    int fileCount = 0;
    catchSignals();
    fuzzTarget.addSeeds(&seeds);
    for (int i = 1; i < argc; ++i) {
        bool hasValue = i + 1 < argc;
        if (strcmp(argv[i], "--loud") == 0) {
            fuzzIsLoud = true;
        } else if (strcmp(argv[i], "--seconds") == 0 && hasValue) {
            seconds = strtod(argv[++i], NULL);
        } else if (strcmp(argv[i], "--count") == 0 && hasValue) {
            count = strtol(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0 && hasValue) {
            seed = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--write") == 0 && hasValue) {
            return writeSeeds(&seeds, argv[i + 1]) ? 0 : 1;
        } else if (argv[i][0] == '-') {
            return usage();
        } else {
            ++fileCount;
            if (!runFile(argv[i])) {
                return 1;
            }
        }
    }
    if (seconds >= 0.0 || count >= 0) {
        runMutants(&seeds, seconds, count, seed);
    } else if (fileCount == 0) {
        printf("fuzz_%s: %d seeds, results %016llx\n", fuzzTarget.name, seeds.count,
               (unsigned long long)runAll(&seeds));
    }
    for (int i = 0; i < seeds.count; ++i) {
        free(seeds.items[i].bytes);
    }
    return 0;
}
