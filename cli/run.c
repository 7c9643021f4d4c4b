// SPDX-License-Identifier: MIT
// run.c - `sudar run SCENE|FILE`: simulate, print figures, write what was asked for.
//
// In:   the name of a scene or scene file, and options.
// Out:  a table or JSON on stdout, progress on stderr, files.
// Note: all that can be wrong with the options is found before the first step.

#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "settings.h"
#include "subject.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_STEPS 1000000000

/// Of a step that ends just at the time asked for, within rounding, s.
#define TIME_TOLERANCE 1e-6

typedef struct RunOptions {
    CliSizes sizes;
    int steps, threads;
    double time, dt;
    const char *solver, *broad, *narrow;
    CliList settings;
    CliOutputOptions outputs;
    bool showStats, asJson, isQuiet;
} RunOptions;

typedef struct Run {
    RunOptions options;
    CliSubject subject;
    sdWorldDef def;
    sdScheduler* scheduler;
    sdContext context;
    sdWorld* world;
    CliShow show;
    CliOutputs outputs;
    CliMeasure measure;
} Run;

// ---- options -------------------------------------------------------------------------------

static bool parse(int argc, char** argv, RunOptions* o, const char** name, CliExit* code) {
    const CliOption options[] = {
        {"--time", "S", "seconds to simulate (until the scene's own end)", CLI_NUMBER, &o->time, 0,
         1e9},
        {"--steps", "N", "the same as a number of steps", CLI_INT, &o->steps, 0, MAX_STEPS},
        {"--dt", "S", "seconds a step (the scene's own)", CLI_NUMBER, &o->dt, 1e-6,
         (double)SD_MAX_TIME_STEP},
        {"--solver", "soft|impulse", "how contacts and joints are solved", CLI_TEXT, &o->solver, 0,
         0},
        {"--broad", "tree|octree|sap|brute|all-pairs", "which boxes meet (tree)", CLI_TEXT,
         &o->broad, 0, 0},
        {"--narrow", "auto|gjk|sat|vclip", "where convex shapes touch (auto: fastest for the pair)",
         CLI_TEXT, &o->narrow, 0, 0},
        {"--threads", "N", "threads (1); 0: one per processor", CLI_INT, &o->threads, 0,
         SD_MAX_WORKERS},
        {"--size", "N", "size of the scene: 'sudar scenes' says of what", CLI_INT, &o->sizes.size,
         1, INT32_MAX},
        {"--seed", "N", "of what is random in the scene", CLI_SEED, &o->sizes.seed, 0, 0},
        {"--scale", "X", "of all lengths, in scenes that have it", CLI_NUMBER, &o->sizes.scale,
         1e-6, 1e6},
        {"--set", "KEY=VALUE", "a setting of the world, any number of times: 'sudar help settings'",
         CLI_LIST, &o->settings, 0, 0},
        {"--strict", "", "of imported files: what is left out is an error", CLI_FLAG,
         &o->sizes.isStrict, 0, 0},
        {"--json", "", "print one JSON object instead of the table", CLI_FLAG, &o->asJson, 0, 0},
        {"--stats", "", "print time by stage, pairs, memory as well", CLI_FLAG, &o->showStats, 0,
         0},
        {"--quiet", "", "show no progress", CLI_FLAG, &o->isQuiet, 0, 0},
        CLI_OUTPUT_ROWS(&o->outputs),
    };
    const CliSyntax syntax = {
        .command = "run",
        .argument = "SCENE|FILE",
        .summary =
            "Simulate a scene, or a scene file, and print a table of figures; write pictures, "
            "video, animation, "
            "tables on request, all at once.\nWithout options: until what must be true at its end "
            "must be true.",
        .notes = "for example:\n  sudar run rings --threads 2 --video rings.mp4 --glb rings.glb\n"
                 "  sudar run pyramid --size 10 --time 2 --set enableSleep=no --json",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    return Cli_Parse(&syntax, argc, argv, name, code);
}

static CliExit applySettings(Run* run) {
    const RunOptions* o = &run->options;
    run->def = run->subject.def;
    CliExit code = CLI_OK;
    for (int i = 0; i < o->settings.count && code == CLI_OK; ++i) {
        code = CliSettings_Set("run", &run->def, o->settings.items[i]);
    }
    if (code == CLI_OK && o->broad != NULL) {
        code = CliSettings_SetKey("run", &run->def, "broadphase.kind", o->broad, "--broad");
    }
    if (code == CLI_OK && o->solver != NULL) {
        code = CliSettings_SetKey("run", &run->def, "solver", o->solver, "--solver");
    }
    if (code == CLI_OK && o->narrow != NULL) {
        code = CliSettings_SetKey("run", &run->def, "narrowphase", o->narrow, "--narrow");
    }
    return code;
}

/// What the scene leaves open, and what options say against each other.
static CliExit settle(Run* run) {
    RunOptions* o = &run->options;
    if (o->steps >= 0 && o->time >= 0.0) {
        return Cli_Fail(CLI_USAGE, "run", "--steps or --time, not both");
    }
    o->dt = o->dt > 0.0 ? o->dt : run->subject.dt;
    if (o->time >= 0.0) {
        double steps = ceil(o->time / o->dt - TIME_TOLERANCE);
        if (steps > MAX_STEPS) {
            return Cli_Fail(CLI_USAGE, "run", "--time %g takes %.0f steps; at most %d are possible",
                            o->time, steps, MAX_STEPS);
        }
        o->steps = (int)steps;
    }
    o->steps = o->steps >= 0 ? o->steps : run->subject.stepCount;
    return applySettings(run);
}

// ---- set-up --------------------------------------------------------------------------------

static CliExit openWorld(Run* run) {
    run->context = sdContext_Default();
    if (sdScheduler_Create(NULL, run->options.threads, &run->scheduler) != SD_OK) {
        return Cli_Fail(CLI_FAILED, "run", "cannot start %s",
                        Cli_Count(run->options.threads, "thread", "threads").text);
    }
    run->context.tasks = sdScheduler_GetTasks(run->scheduler);
    run->subject.options.context = &run->context;
    sdResult result = sdWorld_Create(&run->context, &run->def, &run->world);
    if (result != SD_OK) {
        return Cli_Fail(result == SD_ERROR_INVALID_ARGUMENT ? CLI_USAGE : CLI_FAILED, "run",
                        "no world with these settings: %s", sdResult_Text(result));
    }
    CliMeasure_Open(&run->measure);
    return CliSubject_Build(&run->subject, "run", run->world);
}

static CliExit openOutputs(Run* run) {
    const CliSubject* s = &run->subject;
    CliShow* show = &run->show;
    snprintf(show->name, sizeof show->name, "%s", s->name);
    snprintf(show->title, sizeof show->title, "%s", s->title);
    show->dt = run->options.dt;
    show->eye = s->eye;
    show->target = s->target;
    show->isExactLook = s->isOwnSize;
    return CliOutputs_Open(&run->outputs, "run", &run->options.outputs, run->world, show);
}

// ---- steps ---------------------------------------------------------------------------------

static CliExit stepOnce(Run* run, int number) {
    double start = Cli_Now();
    sdResult result = sdWorld_Step(run->world, (float)run->options.dt);
    double taken = Cli_Now() - start;
    if (result != SD_OK) {
        return Cli_Fail(CLI_FAILED, "run", "step %d: %s", number, sdResult_Text(result));
    }
    if (!CliMeasure_Add(&run->measure, run->world, taken)) {
        return Cli_Fail(CLI_FAILED, "run", "step %d: no memory for figures", number);
    }
    return CliOutputs_Look(&run->outputs, run->world, number * run->options.dt);
}

static CliExit stepAll(Run* run) {
    CliProgress progress;
    CliProgress_Start(&progress, run->subject.name, run->options.steps, "steps",
                      run->options.isQuiet);
    CliExit code = CliOutputs_Look(&run->outputs, run->world, 0.0);
    Cli_CatchSignals();
    int done = 0;
    while (done < run->options.steps && code == CLI_OK && !Cli_IsStopped()) {
        code = stepOnce(run, ++done);
        CliProgress_Update(&progress, done);
    }
    CliProgress_End(&progress);
    run->options.steps = done;
    CliMeasure_Finish(&run->measure);
    double end = run->options.steps * run->options.dt;
    return code == CLI_OK
               ? CliOutputs_Finish(&run->outputs, run->world, end, sdWorld_GetHash(run->world))
               : code;
}

// ---- figures -------------------------------------------------------------------------------

static CliExit report(Run* run) {
    const RunOptions* o = &run->options;
    const CliSubject* s = &run->subject;
    CliReport r = {.name = s->name,
                   .title = s->title,
                   .world = run->world,
                   .measure = &run->measure,
                   .steps = o->steps,
                   .dt = o->dt,
                   .threads = run->context.tasks.workerCount,
                   .solver = run->def.solver == SD_SOLVER_SOFT ? "soft" : "impulse",
                   .isEnd = CliSubject_HasEnd(s) && o->steps == s->stepCount &&
                            (float)o->dt == (float)s->dt,
                   .holds = true,
                   .end = CliSubject_GetEnd(s)};
    r.energy = sdWorld_GetEnergy(run->world);
    if (r.isEnd) {
        r.holds = CliSubject_Check(s, run->world, r.reason);
    }
    if (o->asJson) {
        CliReport_PrintJson(&r);
    } else {
        CliReport_PrintTable(&r);
        if (o->showStats) {
            CliReport_PrintStats(&r);
        }
        CliOutputs_Print(&run->outputs, stdout);
    }
    if (Cli_IsStopped()) {
        return Cli_Fail(CLI_STOPPED, "run", "stopped after %s; the files hold what there is",
                        Cli_Count(o->steps, "step", "steps").text);
    }
    return r.holds ? CLI_OK : CLI_NOT_SO;
}

CliExit Cli_Run(int argc, char** argv) {
    Run run = {.options = {
                   .steps = -1, .threads = 1, .time = -1.0, .outputs = CliOutputOptions_Default()}};
    const char* name;
    CliExit code;
    if (!parse(argc, argv, &run.options, &name, &code)) {
        return code;
    }
    code = CliSubject_Find("run", name, &run.options.sizes, &run.subject);
    if (code == CLI_OK) {
        code = settle(&run);
    }
    if (code == CLI_OK) {
        code = openWorld(&run);
    }
    if (code == CLI_OK) {
        code = openOutputs(&run);
    }
    if (code == CLI_OK) {
        code = stepAll(&run);
    }
    if (code == CLI_OK) {
        code = report(&run);
    }
    CliOutputs_Close(&run.outputs);
    CliMeasure_Close(&run.measure);
    sdWorld_Destroy(run.world);
    CliSubject_Close(&run.subject);
    sdScheduler_Destroy(run.scheduler);
    return code;
}
