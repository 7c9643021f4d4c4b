// SPDX-License-Identifier: MIT
// sweep.c - `sudar sweep SCENE|FILE`: one scene with many settings, in parallel, as one table.
//
// In:   what varies, and how the scene is run.
// Out:  a CSV with a row for each case, the same to the byte for any number of threads and
// processes. Note: processes are those that mpirun or srun starts; they need a file system in
// common, and nothing
//       else of MPI (sweep.h). So the table has no times.

#include "sweep.h"
// for the number of processors
#define _POSIX_C_SOURCE 200809L

#include "measure.h"
#include "progress.h"
#include "settings.h"
#include "subject.h"

#include "file.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND "sweep"
#define MAX_STEPS 1000000000

typedef struct SweepOptions {
    CliSizes sizes;
    int steps, threads, samples;
    double time, dt;
    uint64_t sampleSeed;
    CliList vary, settings;
    const char* out;
    bool isQuiet;
} SweepOptions;

typedef struct Sweep {
    SweepOptions options;
    const char* name; ///< of scene or file
    CliSubject base;  ///< with the sizes that do not vary
    SweepCases cases;
    SweepJournal journal;
    int rank, rankCount;
    pthread_mutex_t mutex; ///< of all that follows
    CliProgress progress;
    int next;     ///< case that nobody has looked at
    int doneHere; ///< cases
    CliExit code; ///< the first failure
} Sweep;

// ---- one case ------------------------------------------------------------------------------

/// What a case is run with.
typedef struct CaseSetup {
    CliSizes sizes;
    bool hasSizes; ///< other than those of the base
    sdWorldDef def;
    double dt, time;
    int steps;
} CaseSetup;

static bool readNumber(const char* text, double min, double max, double* out) {
    char* end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= min && *out <= max;
}

static CliExit failValue(const char* key, const char* wanted, const char* value) {
    return Cli_Fail(CLI_USAGE, COMMAND, "--vary %s wants %s, not '%s'", key, wanted, value);
}

/// dt, size, seed, scale, or a setting of the world.
static CliExit setAxis(const SweepAxis* axis, const char* value, CaseSetup* setup) {
    double number;
    if (strcmp(axis->key, "dt") == 0) {
        return readNumber(value, 1e-6, (double)SD_MAX_TIME_STEP, &setup->dt)
                   ? CLI_OK
                   : failValue("dt", "seconds from 1e-6 to 1", value);
    }
    setup->hasSizes = true;
    if (strcmp(axis->key, "scale") == 0) {
        return readNumber(value, 1e-6, 1e6, &setup->sizes.scale)
                   ? CLI_OK
                   : failValue("scale", "a number from 1e-6 to 1e6", value);
    }
    if (strcmp(axis->key, "size") == 0 || strcmp(axis->key, "seed") == 0) {
        bool isSize = axis->key[1] == 'i';
        if (!readNumber(value, 1.0, isSize ? (double)INT32_MAX : 0x1p53, &number) ||
            number != floor(number)) {
            return failValue(axis->key, "a whole number from 1", value);
        }
        if (isSize) {
            setup->sizes.size = (int)number;
        } else {
            setup->sizes.seed = (uint64_t)number;
        }
        return CLI_OK;
    }
    setup->hasSizes = false;
    char option[SD_SETTING_KEY_SIZE + 16];
    snprintf(option, sizeof option, "--vary %s", axis->key);
    return CliSettings_SetKey(COMMAND, &setup->def, axis->key, value, option);
}

static CliExit setUp(const Sweep* sweep, int caseIndex, CaseSetup* setup) {
    const SweepOptions* o = &sweep->options;
    *setup = (CaseSetup){
        .sizes = o->sizes, .def = sweep->base.def, .dt = o->dt, .time = o->time, .steps = o->steps};
    bool hasSizes = false;
    CliExit code = CLI_OK;
    for (int i = 0; i < o->settings.count && code == CLI_OK; ++i) {
        code = CliSettings_Set(COMMAND, &setup->def, o->settings.items[i]);
    }
    for (int i = 0; i < sweep->cases.axisCount && code == CLI_OK; ++i) {
        char value[SWEEP_VALUE_SIZE];
        SweepCases_GetValue(&sweep->cases, caseIndex, i, value);
        code = setAxis(&sweep->cases.axes[i], value, setup);
        hasSizes = hasSizes || setup->hasSizes;
    }
    setup->hasSizes = hasSizes;
    setup->dt = setup->dt > 0.0 ? setup->dt : sweep->base.dt;
    if (setup->time >= 0.0) {
        double steps = ceil(setup->time / setup->dt - 1e-6);
        if (steps > MAX_STEPS) {
            return Cli_Fail(CLI_USAGE, COMMAND, "--time %g takes more than %d steps", setup->time,
                            MAX_STEPS);
        }
        setup->steps = (int)steps;
    }
    setup->steps = setup->steps >= 0 ? setup->steps : sweep->base.stepCount;
    return code;
}

typedef struct CaseResult {
    char status[80];
    int steps;
    double time;
    uint64_t hash;
    sdEnergy energy;
    double maxPenetration;
    int contactCount, awakeCount;
    const char* end; ///< whether what must be true at the scene's end is true: yes, no, or nothing
} CaseResult;

static void runWorld(const CliSubject* subject, const CaseSetup* setup, CaseResult* out) {
    sdWorld* world = NULL;
    CliMeasure measure;
    CliMeasure_Open(&measure);
    sdResult result = sdWorld_Create(NULL, &setup->def, &world);
    if (result == SD_OK) {
        result =
            CliSubject_Build(subject, COMMAND, world) == CLI_OK ? SD_OK : SD_ERROR_INVALID_ARGUMENT;
    }
    while (result == SD_OK && out->steps < setup->steps && !Cli_IsStopped()) {
        result = sdWorld_Step(world, (float)setup->dt);
        if (result == SD_OK) {
            out->steps += 1;
            result = CliMeasure_Add(&measure, world, 0.0) ? SD_OK : SD_ERROR_OUT_OF_MEMORY;
        }
    }
    snprintf(out->status, sizeof out->status, result == SD_OK ? "ok" : "failed: %s",
             sdResult_Text(result));
    out->time = out->steps * setup->dt;
    out->end = "";
    if (world != NULL) {
        out->hash = sdWorld_GetHash(world);
        out->energy = sdWorld_GetEnergy(world);
        out->awakeCount = sdWorld_GetStats(world).awakeCount;
        bool isEnd = CliSubject_HasEnd(subject) && out->steps == subject->stepCount &&
                     (float)setup->dt == (float)subject->dt;
        char reason[SD_SCENE_REASON_SIZE];
        if (result == SD_OK && isEnd) {
            out->end = CliSubject_Check(subject, world, reason) ? "yes" : "no";
        }
    }
    out->maxPenetration = measure.maxPenetration;
    out->contactCount = measure.contactCount;
    CliMeasure_Close(&measure);
    sdWorld_Destroy(world);
}

static CliExit runCase(const Sweep* sweep, int caseIndex, CaseResult* out) {
    CaseSetup setup;
    CliExit code = setUp(sweep, caseIndex, &setup);
    CliSubject own = {0};
    const CliSubject* subject = &sweep->base;
    if (code == CLI_OK && setup.hasSizes) {
        code = CliSubject_Find(COMMAND, sweep->name, &setup.sizes, &own);
        subject = &own;
    }
    *out = (CaseResult){0};
    if (code == CLI_OK) {
        runWorld(subject, &setup, out);
    }
    CliSubject_Close(&own);
    return code;
}

// ---- rows ----------------------------------------------------------------------------------

/// A value in a table: in quotes where it has a comma or a quote.
static int addValue(char* out, size_t size, const char* value) {
    if (strpbrk(value, ",\"\n") == NULL) {
        return snprintf(out, size, "%s,", value);
    }
    int length = snprintf(out, size, "\"");
    for (; *value != '\0'; ++value) {
        length +=
            snprintf(out + length, size - (size_t)length, *value == '"' ? "\"\"" : "%c", *value);
    }
    return length + snprintf(out + length, size - (size_t)length, "\",");
}

static void writeRow(const Sweep* sweep, int caseIndex, const CaseResult* r, char* out) {
    int length = snprintf(out, SWEEP_ROW_SIZE, "%d,", caseIndex);
    for (int i = 0; i < sweep->cases.axisCount; ++i) {
        char value[SWEEP_VALUE_SIZE];
        SweepCases_GetValue(&sweep->cases, caseIndex, i, value);
        length += addValue(out + length, SWEEP_ROW_SIZE - (size_t)length, value);
    }
    length += addValue(out + length, SWEEP_ROW_SIZE - (size_t)length, r->status);
    snprintf(out + length, SWEEP_ROW_SIZE - (size_t)length,
             "%d,%.9g,%016" PRIx64 ",%.9g,%.9g,%.9g,%d,%d,%s", r->steps, r->time, r->hash,
             r->energy.kinetic, r->energy.potential, r->maxPenetration, r->contactCount,
             r->awakeCount, r->end);
}

static void writeColumns(const Sweep* sweep, char* out) {
    int length = snprintf(out, SWEEP_ROW_SIZE, "case,");
    for (int i = 0; i < sweep->cases.axisCount; ++i) {
        length += snprintf(out + length, SWEEP_ROW_SIZE - (size_t)length, "%s,",
                           sweep->cases.axes[i].key);
    }
    snprintf(out + length, SWEEP_ROW_SIZE - (size_t)length,
             "status,steps,time_s,hash,kinetic_J,potential_J,max_penetration_m,contacts,awake,end_"
             "holds\n");
}

// ---- workers -------------------------------------------------------------------------------

/// The next case of this process that is not done; -1 after the last.
static int takeCase(Sweep* sweep) {
    while (sweep->next < sweep->cases.count && sweep->code == CLI_OK && !Cli_IsStopped()) {
        int i = sweep->next++;
        if (i % sweep->rankCount == sweep->rank && !sweep->journal.isDone[i]) {
            return i;
        }
    }
    return -1;
}

static void* work(void* arg) {
    Sweep* sweep = arg;
    pthread_mutex_lock(&sweep->mutex);
    for (int i; (i = takeCase(sweep)) >= 0;) {
        pthread_mutex_unlock(&sweep->mutex);
        CaseResult result;
        char row[SWEEP_ROW_SIZE];
        CliExit code = runCase(sweep, i, &result);
        if (code == CLI_OK) {
            writeRow(sweep, i, &result, row);
        }
        pthread_mutex_lock(&sweep->mutex);
        // what was stopped on its way is done again
        if (code == CLI_OK && !Cli_IsStopped()) {
            code = SweepJournal_Add(&sweep->journal, i, row);
            CliProgress_Update(&sweep->progress, ++sweep->doneHere);
        }
        sweep->code = sweep->code == CLI_OK ? code : sweep->code;
    }
    pthread_mutex_unlock(&sweep->mutex);
    return NULL;
}

static int countOwn(const Sweep* sweep) {
    int count = 0;
    for (int i = sweep->rank; i < sweep->cases.count; i += sweep->rankCount) {
        count += !sweep->journal.isDone[i];
    }
    return count;
}

static void runAll(Sweep* sweep) {
    int threads = sweep->options.threads;
    if (threads == 0) {
        // processes that a launcher has started share the machine already
        threads = sweep->rankCount > 1 ? 1 : (int)sysconf(_SC_NPROCESSORS_ONLN);
    }
    threads = threads < 1 ? 1 : threads > SD_MAX_WORKERS ? SD_MAX_WORKERS : threads;
    pthread_t others[SD_MAX_WORKERS];
    int count = 0;
    CliProgress_Start(&sweep->progress, sweep->base.name, countOwn(sweep), "cases",
                      sweep->options.isQuiet || sweep->rank > 0);
    while (count < threads - 1 && pthread_create(&others[count], NULL, work, sweep) == 0) {
        count += 1;
    }
    work(sweep);
    for (int i = 0; i < count; ++i) {
        pthread_join(others[i], NULL);
    }
    CliProgress_End(&sweep->progress);
}

// ---- the command ---------------------------------------------------------------------------

static bool parse(int argc, char** argv, SweepOptions* o, const char** name, CliExit* code) {
    const CliOption options[] = {
        {"--vary", "KEY=VALUES",
         "a setting, dt, size, seed or scale: a list a,b,c or a|b|c, or a range from..to[:log]",
         CLI_LIST, &o->vary, 0, 0},
        {"--samples", "N", "so many random cases instead of all combinations", CLI_INT, &o->samples,
         1, SWEEP_MAX_CASES},
        {"--sample-seed", "N", "of random cases", CLI_SEED, &o->sampleSeed, 0, 0},
        {"--out", "FILE", "the table (sweep.csv)", CLI_TEXT, &o->out, 0, 0},
        {"--time", "S", "seconds to simulate (until the scene's own end)", CLI_NUMBER, &o->time, 0,
         1e9},
        {"--steps", "N", "the same as a number of steps", CLI_INT, &o->steps, 0, MAX_STEPS},
        {"--dt", "S", "seconds a step (the scene's own)", CLI_NUMBER, &o->dt, 1e-6,
         (double)SD_MAX_TIME_STEP},
        {"--size", "N", "size of the scene", CLI_INT, &o->sizes.size, 1, INT32_MAX},
        {"--seed", "N", "of what is random in the scene", CLI_SEED, &o->sizes.seed, 0, 0},
        {"--scale", "X", "of all lengths, in scenes that have it", CLI_NUMBER, &o->sizes.scale,
         1e-6, 1e6},
        {"--set", "KEY=VALUE", "a setting of all cases, any number of times", CLI_LIST,
         &o->settings, 0, 0},
        {"--threads", "N", "worlds at a time (0: one per processor; under a launcher 1)", CLI_INT,
         &o->threads, 0, SD_MAX_WORKERS},
        {"--strict", "", "of imported files: what is left out is an error", CLI_FLAG,
         &o->sizes.isStrict, 0, 0},
        {"--quiet", "", "show no progress", CLI_FLAG, &o->isQuiet, 0, 0},
    };
    const CliSyntax syntax = {
        .command = COMMAND,
        .argument = "SCENE|FILE",
        .summary = "Run a scene, or a scene file, with many settings, and write one table with a "
                   "row for each case.\n"
                   "Started again after it was stopped or killed, it goes on where it was.",
        .notes = "for example:\n  sudar sweep tower --vary subStepCount=2,4,8 --vary "
                 "solver=soft,impulse --out tower.csv\n"
                 "  mpirun -n 8 sudar sweep pile --vary seed=1..1000000 --vary slop=1e-4..1e-2:log "
                 "--samples 500\n"
                 "Processes share a file system; the table is the same for any number of them.",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    return Cli_Parse(&syntax, argc, argv, name, code);
}

/// Which of how many processes this is, as launchers tell: Open MPI, MPICH, Slurm.
static void findRank(Sweep* sweep) {
    static const char* const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_NTASKS"}};
    sweep->rankCount = 1;
    for (int i = 0; i < 3; ++i) {
        const char *rank = getenv(names[i][0]), *count = getenv(names[i][1]);
        if (rank != NULL && count != NULL && atoi(count) > 0 && atoi(rank) >= 0 &&
            atoi(rank) < atoi(count)) {
            sweep->rank = atoi(rank);
            sweep->rankCount = atoi(count);
            return;
        }
    }
}

static uint64_t addPrint(uint64_t print, const void* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        print = (print ^ ((const uint8_t*)bytes)[i]) * 0x100000001b3u;
    }
    return print;
}

/// Of all that rows depend on (FNV-1a), files included.
static CliExit findPrint(const Sweep* sweep, uint64_t* out) {
    const SweepOptions* o = &sweep->options;
    sdVersion version = sdGetVersion();
    char text[512];
    int length = snprintf(text, sizeof text, "%d.%d.%d %d %.17g %.17g %d %llu %.17g %d %llu",
                          version.major, version.minor, version.patch, o->steps, o->time, o->dt,
                          o->sizes.size, (unsigned long long)o->sizes.seed, o->sizes.scale,
                          o->samples, (unsigned long long)o->sampleSeed);
    uint64_t print = addPrint(0xcbf29ce484222325u, text, (size_t)length);
    for (int k = 0; k < 2; ++k) {
        const CliList* list = k == 0 ? &o->vary : &o->settings;
        for (int i = 0; i < list->count; ++i) {
            print = addPrint(print, list->items[i], strlen(list->items[i]) + 1);
        }
    }
    print = addPrint(print, sweep->name, strlen(sweep->name) + 1);
    if (sweep->base.file != NULL) {
        sdContext context = sdContext_Default();
        uint8_t* bytes;
        size_t size;
        if (sdOutput_ReadFile(&context, sweep->name, &bytes, &size) != SD_OK) {
            return Cli_Fail(CLI_FAILED, COMMAND, "%s cannot be read again", sweep->name);
        }
        print = addPrint(print, bytes, size);
        sdOutput_Free(&context, bytes, size);
    }
    *out = print;
    return CLI_OK;
}

/// All values of all axes, before the first step.
static CliExit checkValues(const Sweep* sweep) {
    for (int i = 0; i < sweep->cases.count; ++i) {
        CaseSetup setup;
        CliExit code = setUp(sweep, i, &setup);
        CliSubject own = {0};
        if (code == CLI_OK && setup.hasSizes) {
            code = CliSubject_Find(COMMAND, sweep->name, &setup.sizes, &own);
            CliSubject_Close(&own);
        }
        if (code != CLI_OK) {
            return code;
        }
    }
    return CLI_OK;
}

static CliExit finish(Sweep* sweep) {
    if (sweep->code != CLI_OK) {
        return sweep->code;
    }
    if (Cli_IsStopped()) {
        return Cli_Fail(CLI_STOPPED, COMMAND, "stopped; %d of %s done, the same command goes on",
                        sweep->journal.doneCount,
                        Cli_Count(sweep->cases.count, "case is", "cases are").text);
    }
    char columns[SWEEP_ROW_SIZE];
    writeColumns(sweep, columns);
    bool isMade;
    CliExit code = SweepJournal_Gather(&sweep->journal, columns, &isMade);
    if (code == CLI_OK && !sweep->options.isQuiet) {
        if (isMade && sweep->rankCount == 1) {
            printf("%s: %s\n", sweep->options.out,
                   Cli_Count(sweep->cases.count, "case", "cases").text);
        } else {
            printf("process %d of %d: %s, %s\n", sweep->rank, sweep->rankCount,
                   Cli_Count(sweep->doneHere, "case", "cases").text,
                   isMade ? sweep->options.out : "others are still at work");
        }
    }
    return code;
}

CliExit Cli_Sweep(int argc, char** argv) {
    Sweep sweep = {.options = {.steps = -1, .time = -1.0, .out = "sweep.csv"},
                   .mutex = PTHREAD_MUTEX_INITIALIZER};
    SweepOptions* o = &sweep.options;
    CliExit code;
    if (!parse(argc, argv, o, &sweep.name, &code)) {
        return code;
    }
    if (o->steps >= 0 && o->time >= 0.0) {
        return Cli_Fail(CLI_USAGE, COMMAND, "--steps or --time, not both");
    }
    findRank(&sweep);
    code = SweepCases_Parse(&o->vary, o->samples, o->sampleSeed, &sweep.cases);
    if (code == CLI_OK) {
        code = CliSubject_Find(COMMAND, sweep.name, &o->sizes, &sweep.base);
    }
    uint64_t print = 0;
    if (code == CLI_OK) {
        code = checkValues(&sweep);
    }
    if (code == CLI_OK) {
        code = findPrint(&sweep, &print);
    }
    if (code == CLI_OK) {
        code = SweepJournal_Open(&sweep.journal, o->out, print, sweep.cases.count, sweep.rank);
    }
    if (code == CLI_OK) {
        Cli_CatchSignals();
        runAll(&sweep);
        code = finish(&sweep);
    }
    SweepJournal_Close(&sweep.journal);
    CliSubject_Close(&sweep.base);
    return code;
}
