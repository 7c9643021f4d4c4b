// SPDX-License-Identifier: MIT
// run.c - `sudar run SCENE`: simulate a scene, print figures, draw pictures.
//
// In:   the name of a scene and options.
// Out:  figures on stdout; pictures where asked for.
// Note: all that can be wrong with the options is found before the first step.

// clock_gettime
#define _POSIX_C_SOURCE 200809L

#include "cli.h"
#include "picture.h"

#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MAX_STEPS 1000000000
#define MAX_PIXELS 16384
#define MAX_SUB_STEPS 1000

/// Of a step that ends just at the time asked for, within rounding, s.
#define TIME_TOLERANCE 1e-6

typedef struct RunOptions {
    int size, steps, threads, subSteps;
    uint64_t seed;
    double time, dt;
    const char* png;
    int width, height;
    double camera[6]; ///< eye, target; NaN: not given
    CliEvery frames;
    bool showStats, showContacts;
} RunOptions;

typedef struct Stage {
    const char* name;
    double sum, most; ///< ms
} Stage;

enum { STAGE_PAIRS, STAGE_CONTACTS, STAGE_ISLANDS, STAGE_SOLVE, STAGE_REFIT, STAGE_SLEEP };
#define STAGE_COUNT 6

typedef struct Run {
    const sdScene* scene;
    RunOptions options;
    sdSceneOptions sceneOptions;
    sdScheduler* scheduler;
    sdContext context;
    sdWorld* world;
    CliPicture picture;
    double seconds; ///< in steps
    double slowest; ///< ms of a step
    Stage stages[STAGE_COUNT];
} Run;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- options -------------------------------------------------------------------------------

static const char* getSceneName(const void* user, int i) {
    (void)user;
    const sdScene* scene = sdScene_Get(i);
    return scene != NULL ? scene->name : NULL;
}

static CliExit findScene(const char* name, const sdScene** scene) {
    if (name == NULL) {
        return Cli_Fail(CLI_USAGE, "run", "which scene? 'sudar scenes' lists them");
    }
    *scene = sdScene_Find(name);
    if (*scene != NULL) {
        return CLI_OK;
    }
    const char* nearest = Cli_Nearest(name, getSceneName, NULL);
    return nearest != NULL
               ? Cli_Fail(CLI_USAGE, "run", "unknown scene '%s'; did you mean '%s'?", name, nearest)
               : Cli_Fail(CLI_USAGE, "run", "unknown scene '%s'; 'sudar scenes' lists them", name);
}

static bool parse(int argc, char** argv, RunOptions* o, const char** name, CliExit* code) {
    const CliOption options[] = {
        {"--size", "N", "size of the scene: 'sudar scenes' says of what", CLI_INT, &o->size, 1,
         INT32_MAX},
        {"--seed", "N", "of what is random in the scene", CLI_SEED, &o->seed, 0, 0},
        {"--steps", "N", "number of steps (the scene's own)", CLI_INT, &o->steps, 0, MAX_STEPS},
        {"--time", "S", "seconds to simulate, instead of steps", CLI_NUMBER, &o->time, 0, 1e9},
        {"--dt", "S", "seconds a step (the scene's own)", CLI_NUMBER, &o->dt, 1e-6,
         (double)SD_MAX_TIME_STEP},
        {"--threads", "N", "threads (1); 0: one per processor", CLI_INT, &o->threads, 0,
         SD_MAX_WORKERS},
        {"--solver-substeps", "N", "sub-steps of the solver (the scene's own)", CLI_INT,
         &o->subSteps, 1, MAX_SUB_STEPS},
        {"--png", "FILE", "draw the end as a picture", CLI_TEXT, &o->png, 0, 0},
        {"--frames", "EVERY DIR", "draw every so many steps: DIR/frame_00000.png ...",
         CLI_EVERY_TEXT, &o->frames, 1, MAX_STEPS},
        {"--width", "W", "pixels (1280)", CLI_INT, &o->width, 1, MAX_PIXELS},
        {"--height", "H", "pixels (720)", CLI_INT, &o->height, 1, MAX_PIXELS},
        {"--camera", "ex,ey,ez,tx,ty,tz", "where the eye is, and what it looks at, m", CLI_NUMBERS,
         o->camera, 0, 6},
        {"--contacts", "", "draw contact points: new ones cyan, kept ones white", CLI_FLAG,
         &o->showContacts, 0, 0},
        {"--stats", "", "print time by stage, contacts, memory", CLI_FLAG, &o->showStats, 0, 0},
    };
    const CliSyntax syntax = {
        .command = "run",
        .argument = "SCENE",
        .summary = "Simulate a scene, print figures, draw pictures. Without options: as long as "
                   "it takes\nuntil what must be true at its end must be true.",
        .notes = "for example:\n  sudar run pyramid --size 10 --time 2 --png pyramid.png\n"
                 "  sudar run pile --threads 2 --frames 10 frames --stats",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    return Cli_Parse(&syntax, argc, argv, name, code);
}

/// What the scene leaves open, and what options say against each other.
static CliExit settle(Run* run) {
    RunOptions* o = &run->options;
    const sdScene* scene = run->scene;
    if (o->steps >= 0 && o->time >= 0.0) {
        return Cli_Fail(CLI_USAGE, "run", "--steps or --time, not both");
    }
    if (o->size != 0 && (o->size < scene->minSize || o->size > scene->maxSize)) {
        return Cli_Fail(CLI_USAGE, "run", "--size of %s is from %d to %d (%s), not %d", scene->name,
                        scene->minSize, scene->maxSize, scene->sizeName, o->size);
    }
    o->dt = o->dt > 0.0 ? o->dt : (double)scene->dt;
    if (o->time >= 0.0) {
        double steps = ceil(o->time / o->dt - TIME_TOLERANCE);
        if (steps > MAX_STEPS) {
            return Cli_Fail(CLI_USAGE, "run", "--time %g takes %.0f steps; at most %d are possible",
                            o->time, steps, MAX_STEPS);
        }
        o->steps = (int)steps;
    }
    o->steps = o->steps >= 0 ? o->steps : scene->stepCount;
    run->sceneOptions = (sdSceneOptions){.size = o->size, .seed = o->seed};
    return CLI_OK;
}

// ---- set-up --------------------------------------------------------------------------------

static CliExit openWorld(Run* run) {
    run->context = sdContext_Default();
    if (sdScheduler_Create(NULL, run->options.threads, &run->scheduler) != SD_OK) {
        return Cli_Fail(CLI_FAILED, "run", "cannot start %d threads", run->options.threads);
    }
    run->context.tasks = sdScheduler_GetTasks(run->scheduler);
    sdWorldDef def = sdScene_GetWorldDef(run->scene);
    if (run->options.subSteps > 0) {
        def.subStepCount = run->options.subSteps;
    }
    sdResult result = sdWorld_Create(&run->context, &def, &run->world);
    if (result == SD_OK) {
        result = sdScene_Build(run->scene, run->world, &run->sceneOptions);
    }
    return result == SD_OK ? CLI_OK
                           : Cli_Fail(CLI_FAILED, "run", "cannot build %s: %s", run->scene->name,
                                      sdResult_Text(result));
}

static sdPos toPos(sdVec3 v) {
    return sdPos_Make((double)v.x, (double)v.y, (double)v.z);
}

/// The scene's view at its own size; from the same direction at others.
static CliExit aimCamera(Run* run) {
    const RunOptions* o = &run->options;
    const sdScene* scene = run->scene;
    sdCamera* camera = &run->picture.camera;
    *camera = sdCamera_LookAt(toPos(scene->eye), toPos(scene->target));
    if (!isnan(o->camera[0])) {
        const double* c = o->camera;
        *camera = sdCamera_LookAt(sdPos_Make(c[0], c[1], c[2]), sdPos_Make(c[3], c[4], c[5]));
    } else if (o->size != 0 && o->size != scene->size) {
        float aspect = (float)o->width / (float)o->height;
        if (sdCamera_Frame(NULL, run->world, sdSub(scene->eye, scene->target), aspect, camera) !=
            SD_OK) {
            return CLI_FAILED;
        }
    }
    // straight down, the top of the picture is to the back
    sdVec3 back = sdPos_Sub(camera->eye, camera->target);
    if (back.x == 0.0f && back.z == 0.0f) {
        camera->up = sdV3(0.0f, 0.0f, -1.0f);
    }
    return sdCamera_IsValid(camera)
               ? CLI_OK
               : Cli_Fail(CLI_USAGE, "run", "--camera: eye and target are the same place");
}

static CliExit openPictures(Run* run) {
    const RunOptions* o = &run->options;
    if (o->png == NULL && o->frames.text == NULL) {
        return CLI_OK;
    }
    run->picture.width = o->width;
    run->picture.height = o->height;
    run->picture.showContacts = o->showContacts;
    CliExit code = aimCamera(run);
    if (code == CLI_OK && o->png != NULL) {
        code = Cli_CheckWritable("run", o->png);
    }
    if (code == CLI_OK && o->frames.text != NULL) {
        code = Cli_MakeFolder("run", o->frames.text);
    }
    return code == CLI_OK ? CliPicture_Open(&run->picture) : code;
}

// ---- steps ---------------------------------------------------------------------------------

static void addStage(Stage* stage, const char* name, float ms) {
    stage->name = name;
    stage->sum += (double)ms;
    stage->most = fmax(stage->most, (double)ms);
}

static void addStages(Run* run) {
    sdWorldStats stats = sdWorld_GetStats(run->world);
    addStage(&run->stages[STAGE_PAIRS], "pairs", stats.pairMs);
    addStage(&run->stages[STAGE_CONTACTS], "contacts", stats.contactMs);
    addStage(&run->stages[STAGE_ISLANDS], "islands", stats.islandMs);
    addStage(&run->stages[STAGE_SOLVE], "solve", stats.solveMs);
    addStage(&run->stages[STAGE_REFIT], "refit", stats.refitMs);
    addStage(&run->stages[STAGE_SLEEP], "sleep", stats.sleepMs);
}

static CliExit writeFrame(Run* run, int step) {
    const CliEvery* frames = &run->options.frames;
    return frames->text != NULL && step % frames->every == 0
               ? CliPicture_WriteFrame(&run->picture, run->world, frames->text,
                                       step / frames->every)
               : CLI_OK;
}

static CliExit stepAll(Run* run) {
    CliExit code = writeFrame(run, 0);
    for (int i = 1; i <= run->options.steps && code == CLI_OK; ++i) {
        double start = now();
        sdResult result = sdWorld_Step(run->world, (float)run->options.dt);
        double taken = now() - start;
        if (result != SD_OK) {
            return Cli_Fail(CLI_FAILED, "run", "step %d: %s", i, sdResult_Text(result));
        }
        run->seconds += taken;
        run->slowest = fmax(run->slowest, 1e3 * taken);
        addStages(run);
        code = writeFrame(run, i);
    }
    if (code == CLI_OK && run->options.png != NULL) {
        code = CliPicture_Write(&run->picture, run->world, run->options.png);
    }
    return code;
}

// ---- figures -------------------------------------------------------------------------------

static void printStats(const Run* run) {
    sdWorldStats stats = sdWorld_GetStats(run->world);
    int steps = run->options.steps > 0 ? run->options.steps : 1;
    printf("stage        mean ms    most ms\n");
    for (int i = 0; i < STAGE_COUNT && run->options.steps > 0; ++i) {
        const Stage* stage = &run->stages[i];
        printf("  %-10s%8.3f   %8.3f\n", stage->name, stage->sum / steps, stage->most);
    }
    printf("  %-10s%8.3f   %8.3f\n", "step", 1e3 * run->seconds / steps, run->slowest);
    printf("awake %d, pairs %d, contacts %d, points %d, islands %d, colours %d, memory %zu KB\n",
           stats.awakeCount, stats.pairCount, stats.contactCount, stats.pointCount,
           stats.islandCount, stats.colorCount, stats.byteCount / 1024);
}

/// What must be true at the end, when it was the scene's own end.
static void printEnd(const Run* run) {
    const RunOptions* o = &run->options;
    bool isOwn = o->steps == run->scene->stepCount && (float)o->dt == run->scene->dt;
    if (isOwn) {
        char reason[SD_SCENE_REASON_SIZE];
        bool holds =
            sdScene_Check(run->scene, run->world, &run->sceneOptions, reason, (int)sizeof reason);
        printf("%s: %s\n", holds ? "as it must be" : "NOT as it must be", reason);
    }
}

static void printSummary(const Run* run) {
    const RunOptions* o = &run->options;
    double simulated = sdWorld_GetTime(run->world);
    int threads = run->context.tasks.workerCount;
    printf("%s: %d bodies, %d thread%s\n", run->scene->title,
           sdWorld_GetStats(run->world).bodyCount, threads, threads == 1 ? "" : "s");
    printf("%d steps, %.2f s simulated in %.2f s", o->steps, simulated, run->seconds);
    if (o->steps > 0 && run->seconds > 0.0) {
        printf(": %.3f ms a step, %.1f times as fast as time", 1e3 * run->seconds / o->steps,
               simulated / run->seconds);
    }
    printf("\n");
    if (o->showStats) {
        printStats(run);
    }
    printEnd(run);
    printf("hash %016llx\n", (unsigned long long)sdWorld_GetHash(run->world));
    if (o->frames.text != NULL) {
        printf("%d pictures in %s\n", o->steps / o->frames.every + 1, o->frames.text);
    }
    if (o->png != NULL) {
        printf("picture %s\n", o->png);
    }
}

CliExit Cli_Run(int argc, char** argv) {
    Run run = {.options = {.steps = -1,
                           .threads = 1,
                           .time = -1.0,
                           .width = 1280,
                           .height = 720,
                           .camera = {(double)NAN}}};
    const char* name;
    CliExit code;
    if (!parse(argc, argv, &run.options, &name, &code)) {
        return code;
    }
    code = findScene(name, &run.scene);
    if (code == CLI_OK) {
        code = settle(&run);
    }
    if (code == CLI_OK) {
        code = openWorld(&run);
    }
    if (code == CLI_OK) {
        code = openPictures(&run);
    }
    if (code == CLI_OK) {
        code = stepAll(&run);
    }
    if (code == CLI_OK) {
        printSummary(&run);
    }
    CliPicture_Close(&run.picture);
    sdWorld_Destroy(run.world);
    sdScheduler_Destroy(run.scheduler);
    return code;
}
