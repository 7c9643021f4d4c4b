// SPDX-License-Identifier: MIT
// still.c - `sudar render SCENE|FILE`: one picture of a scene or recording at a time.
//
// In:   a scene, or a recording, a time, where to look from and what to show.
// Out:  a PNG file.

#include "outputs.h"
#include "progress.h"
#include "settings.h"
#include "subject.h"

#include <math.h>
#include <string.h>

typedef struct Still {
    CliSizes sizes;
    double time;
    int threads;
    CliList settings;
    const char* path;
    bool isQuiet;
    CliOutputOptions outputs;
} Still;

static bool parse(int argc, char** argv, Still* o, const char** name, CliExit* code) {
    const CliOption options[] = {
        {"--out", "FILE", "the picture (NAME.png)", CLI_TEXT, &o->path, 0, 0},
        {"--time", "S", "seconds from the start on (0)", CLI_NUMBER, &o->time, 0, 1e9},
        {"--threads", "N", "threads (1); 0: one per processor", CLI_INT, &o->threads, 0,
         SD_MAX_WORKERS},
        {"--size", "N", "size of the scene: 'sudar scenes' says of what", CLI_INT, &o->sizes.size,
         1, INT32_MAX},
        {"--seed", "N", "of what is random in the scene", CLI_SEED, &o->sizes.seed, 0, 0},
        {"--scale", "X", "of all lengths, in scenes that have it", CLI_NUMBER, &o->sizes.scale,
         1e-6, 1e6},
        {"--set", "KEY=VALUE", "a setting of the world: 'sudar help settings'", CLI_LIST,
         &o->settings, 0, 0},
        {"--quiet", "", "show no progress", CLI_FLAG, &o->isQuiet, 0, 0},
        CLI_PICTURE_ROWS(&o->outputs),
    };
    const CliSyntax syntax = {
        .command = "render",
        .argument = "SCENE|FILE",
        .summary = "Draw a scene, a scene file or a recording (.sdr), as it is at a time.",
        .notes = "for example:\n  sudar render rings --time 3 --view wireframe,contacts --turn 30\n"
                 "  sudar render rings.sdr --time 3 --view field --out field.png",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    return Cli_Parse(&syntax, argc, argv, name, code);
}

static bool isRecording(const char* name) {
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".sdr") == 0;
}

// ---- worlds --------------------------------------------------------------------------------

/// The frame of a recording that is nearest to the time.
static CliExit openRecording(const Still* o, const char* name, sdWorld** world, CliShow* show) {
    sdContext context = Cli_GetContext();
    sdRecording* recording;
    if (sdRecording_Load(&context, name, &recording) != SD_OK) {
        return CLI_FAILED;
    }
    *show = sdRecording_GetInfo(recording);
    CliExit code =
        sdRecording_CreateWorld(recording, &context, world) == SD_OK ? CLI_OK : CLI_FAILED;
    // times grow: the first frame that is not before
    int low = 0, high = sdRecording_GetFrameCount(recording) - 1;
    double time = 0.0;
    while (low < high && code == CLI_OK) {
        int middle = (low + high) / 2;
        code = sdRecording_Show(recording, middle, *world, &time) == SD_OK ? CLI_OK : CLI_FAILED;
        if (time < o->time - 0.5 * show->dt) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (code == CLI_OK) {
        code = sdRecording_Show(recording, low, *world, &time) == SD_OK ? CLI_OK : CLI_FAILED;
    }
    sdRecording_Destroy(recording);
    return code;
}

static CliExit simulate(const Still* o, const CliSubject* subject, sdWorld* world) {
    int steps = (int)fmin(1e9, ceil(o->time / subject->dt - 1e-6));
    CliProgress progress;
    CliProgress_Start(&progress, subject->name, steps, "steps", o->isQuiet);
    sdResult result = SD_OK;
    for (int i = 1; i <= steps && result == SD_OK; ++i) {
        result = sdWorld_Step(world, (float)subject->dt);
        CliProgress_Update(&progress, i);
    }
    CliProgress_End(&progress);
    return result == SD_OK ? CLI_OK : Cli_Fail(CLI_FAILED, "render", "%s", sdResult_Text(result));
}

static CliExit openSubject(const Still* o, const char* name, const sdContext* context,
                           CliSubject* subject, sdWorld** world) {
    CliExit code = CliSubject_Find("render", name, &o->sizes, subject);
    for (int i = 0; i < o->settings.count && code == CLI_OK; ++i) {
        code = CliSettings_Set("render", &subject->def, o->settings.items[i]);
    }
    if (code != CLI_OK) {
        return code;
    }
    subject->options.context = context;
    if (sdWorld_Create(context, &subject->def, world) != SD_OK) {
        return Cli_Fail(CLI_USAGE, "render", "no world with these settings");
    }
    return CliSubject_Build(subject, "render", *world);
}

static CliExit openScene(const Still* o, const char* name, const sdContext* context,
                         sdWorld** world, CliShow* show) {
    CliSubject subject = {0};
    CliExit code = openSubject(o, name, context, &subject, world);
    if (code == CLI_OK) {
        *show = (CliShow){.dt = subject.dt,
                          .eye = subject.eye,
                          .target = subject.target,
                          .isExactLook = subject.isOwnSize};
        code = simulate(o, &subject, *world);
    }
    CliSubject_Close(&subject);
    return code;
}

// ---- picture -------------------------------------------------------------------------------

static CliExit draw(const Still* o, const sdWorld* world, const CliShow* show) {
    CliOutputs outputs;
    CliOutputOptions options = o->outputs;
    options.png = o->path;
    CliExit code = CliOutputs_Open(&outputs, "render", &options, world, show);
    if (code == CLI_OK) {
        code = CliOutputs_Finish(&outputs, world, 0.0, 0);
    }
    if (code == CLI_OK) {
        printf("%s\n", o->path);
    }
    CliOutputs_Close(&outputs);
    return code;
}

CliExit Cli_Render(int argc, char** argv) {
    Still o = {.threads = 1, .outputs = CliOutputOptions_Default()};
    const char* name;
    CliExit code;
    if (!parse(argc, argv, &o, &name, &code)) {
        return code;
    }
    char path[256];
    if (o.path == NULL && name != NULL) {
        const char* slash = strrchr(name, '/');
        const char* base = slash != NULL ? slash + 1 : name;
        snprintf(path, sizeof path, "%.*s.png", (int)strcspn(base, "."), base);
        o.path = path;
    }
    sdWorld* world = NULL;
    sdScheduler* scheduler = NULL;
    CliShow show = {.dt = 0.0};
    sdContext context = sdContext_Default();
    uint32_t views;
    code = Cli_ReadViews("render", o.outputs.views, &views);
    if (code == CLI_OK && name != NULL && isRecording(name)) {
        code = openRecording(&o, name, &world, &show);
    } else if (code == CLI_OK) {
        if (sdScheduler_Create(NULL, o.threads, &scheduler) != SD_OK) {
            return Cli_Fail(CLI_FAILED, "render", "cannot start %s",
                            Cli_Count(o.threads, "thread", "threads").text);
        }
        context.tasks = sdScheduler_GetTasks(scheduler);
        code = openScene(&o, name, &context, &world, &show);
    }
    if (code == CLI_OK) {
        code = draw(&o, world, &show);
    }
    sdWorld_Destroy(world);
    sdScheduler_Destroy(scheduler);
    return code;
}
