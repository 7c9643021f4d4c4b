// SPDX-License-Identifier: MIT
// replay.c - `sudar replay FILE.sdr`: a recording to pictures, video, animation, tables.
//
// In:   a recording and options.
// Out:  figures on stdout, files.

#include "outputs.h"
#include "progress.h"

#include <math.h>

typedef struct Replay {
    double from, to; ///< s
    bool isQuiet;
    CliOutputOptions outputs;
} Replay;

static bool parse(int argc, char** argv, Replay* o, const char** path, CliExit* code) {
    const CliOption options[] = {
        {"--from", "S", "begin at this time (0)", CLI_NUMBER, &o->from, 0, 1e12},
        {"--to", "S", "end at this time (the end)", CLI_NUMBER, &o->to, 0, 1e12},
        {"--quiet", "", "show no progress", CLI_FLAG, &o->isQuiet, 0, 0},
        CLI_OUTPUT_ROWS(&o->outputs),
    };
    const CliSyntax syntax = {
        .command = "replay",
        .argument = "FILE",
        .summary = "Check a recording that 'sudar run --record' wrote, and write it as pictures, "
                   "video,\nanimation or table. Contacts are not recorded.",
        .notes =
            "for example:\n  sudar replay rings.sdr --video rings.webm --fps 30 --from 2 --to 4",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    return Cli_Parse(&syntax, argc, argv, path, code);
}

/// From a time on, until another, frame by frame.
static CliExit showAll(const Replay* o, sdRecording* recording, sdWorld* world,
                       CliOutputs* outputs) {
    int count = sdRecording_GetFrameCount(recording);
    CliProgress progress;
    CliProgress_Start(&progress, "replay", count, "frames", o->isQuiet);
    CliExit code = CLI_OK;
    // times are sums of steps, rounded
    double slack = 0.5 * sdRecording_GetInfo(recording).dt;
    double from = o->from - slack, to = o->to + slack;
    double start = (double)NAN, time = 0.0, last = 0.0;
    Cli_CatchSignals();
    for (int i = 0; i < count && code == CLI_OK && !Cli_IsStopped(); ++i) {
        // the time of a frame is known when it is shown
        if (sdRecording_Show(recording, i, world, &time) != SD_OK) {
            code = CLI_FAILED;
        } else if (time >= from && time <= to) {
            start = isnan(start) ? time : start;
            last = time - start;
            code = CliOutputs_Look(outputs, world, last);
        }
        if (time > to) {
            break;
        }
        CliProgress_Update(&progress, i + 1);
    }
    CliProgress_End(&progress);
    if (code == CLI_OK && isnan(start)) {
        code = Cli_Fail(CLI_USAGE, "replay", "the recording ends at %g s", time);
    }
    return code == CLI_OK ? CliOutputs_Finish(outputs, world, last, sdRecording_GetHash(recording))
                          : code;
}

static CliExit replay(const Replay* o, sdRecording* recording) {
    sdContext context = Cli_GetContext();
    CliShow show = sdRecording_GetInfo(recording);
    if (sdRecording_Check(recording) != SD_OK) {
        return CLI_NOT_SO;
    }
    sdWorld* world;
    if (sdRecording_CreateWorld(recording, &context, &world) != SD_OK) {
        return CLI_FAILED;
    }
    CliOutputs outputs;
    CliExit code = CliOutputs_Open(&outputs, "replay", &o->outputs, world, &show);
    if (code == CLI_OK) {
        code = showAll(o, recording, world, &outputs);
    }
    if (code == CLI_OK) {
        printf("%s%s%s\n", Cli_Color(stdout, CLI_BOLD), show.title, Cli_Color(stdout, CLI_PLAIN));
        printf("%-18s%d\n", "bodies", sdRecording_GetBodyCount(recording));
        printf("%-18s%d, all as they were recorded\n", "frames",
               sdRecording_GetFrameCount(recording));
        printf("%-18s%016llx, of the run's end\n", "hash",
               (unsigned long long)sdRecording_GetHash(recording));
        CliOutputs_Print(&outputs, stdout);
    }
    CliOutputs_Close(&outputs);
    sdWorld_Destroy(world);
    return code;
}

CliExit Cli_Replay(int argc, char** argv) {
    Replay o = {.to = 1e12, .outputs = CliOutputOptions_Default()};
    const char* path;
    CliExit code;
    if (!parse(argc, argv, &o, &path, &code)) {
        return code;
    }
    if (path == NULL) {
        return Cli_Fail(CLI_USAGE, "replay",
                        "which file? 'sudar run SCENE --record x.sdr' writes one");
    }
    uint32_t views;
    code = Cli_ReadViews("replay", o.outputs.views, &views);
    if (code != CLI_OK) {
        return code;
    }
    if (views &
        (SD_VIEW_CONTACTS | SD_VIEW_ISLANDS | SD_VIEW_CELLS | SD_VIEW_FAT_BOXES | SD_VIEW_LEVELS)) {
        return Cli_Fail(CLI_USAGE, "replay",
                        "contacts, islands, levels and what the broad phase did are not recorded");
    }
    sdContext context = Cli_GetContext();
    sdRecording* recording;
    if (sdRecording_Load(&context, path, &recording) != SD_OK) {
        return CLI_FAILED;
    }
    code = replay(&o, recording);
    sdRecording_Destroy(recording);
    return code;
}
