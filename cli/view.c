// SPDX-License-Identifier: MIT
// view.c - `sudar view SCENE|FILE`: the viewer in a browser, with the command's own engine.
//
// In:   the name of a scene or a file, and options.
// Out:  the address of a page on stdout, served until Ctrl-C.
// Note: the page is built by tools/page.sh; it lies beside the build, or where it was installed.

// readlink
#define _POSIX_C_SOURCE 200809L

#include "settings.h"
#include "view_server.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_PORT 8090

typedef struct ViewOptions {
    CliSizes sizes;
    int threads, port;
    const char* page;
    CliList settings;
} ViewOptions;

static bool parse(int argc, char** argv, ViewOptions* o, const char** name, CliExit* code) {
    const CliOption options[] = {
        {"--threads", "N", "threads (0: one per processor)", CLI_INT, &o->threads, 0,
         SD_MAX_WORKERS},
        {"--size", "N", "size of the scene: 'sudar scenes' says of what", CLI_INT, &o->sizes.size,
         1, INT32_MAX},
        {"--seed", "N", "of what is random in the scene", CLI_SEED, &o->sizes.seed, 0, 0},
        {"--set", "KEY=VALUE", "a setting of the world, any number of times: 'sudar help settings'",
         CLI_LIST, &o->settings, 0, 0},
        {"--strict", "", "of imported files: what is left out is an error", CLI_FLAG,
         &o->sizes.isStrict, 0, 0},
        {"--port", "N", "of the address; 0: any that is free (the first from 8090 on)", CLI_INT,
         &o->port, 0, 65535},
        {"--page", "DIR", "where the built page is", CLI_TEXT, &o->page, 0, 0},
    };
    const CliSyntax syntax = {
        .command = "view",
        .argument = "SCENE|FILE",
        .summary = "Show a scene, or a scene file, in a browser: the viewer's page, and the engine "
                   "of this command,\nwith all its threads, behind it. Prints an address that only "
                   "this machine can open; Ctrl-C ends it.",
        .notes = "for example:\n  sudar view rings-500\n  sudar view pile --size 5000 --threads 4",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    return Cli_Parse(&syntax, argc, argv, name, code);
}

// ---- the page ------------------------------------------------------------------------------

static bool hasPage(const char* folder) {
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/index.html", folder);
    return access(path, R_OK) == 0;
}

/// Beside the program: build/web of build/KIND/cli/sudar, share/sudar/page of bin/sudar.
static CliExit findPage(const char* given, char* out, size_t size) {
    if (given != NULL) {
        snprintf(out, size, "%s", given);
        return hasPage(out) ? CLI_OK
                            : Cli_Fail(CLI_USAGE, "view",
                                       "--page %s: there is no index.html; tools/page.sh builds "
                                       "the page into build/web",
                                       given);
    }
    static const char* const places[] = {"../../web", "../share/sudar/page"};
    char program[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char* slash = strrchr(program, '/');
    for (size_t i = 0; slash != NULL && i < sizeof places / sizeof places[0]; ++i) {
        *slash = '\0';
        snprintf(out, size, "%s/%s", program, places[i]);
        if (hasPage(out)) {
            return CLI_OK;
        }
    }
    return Cli_Fail(CLI_FAILED, "view",
                    "the page is not built: run tools/page.sh (or 'make view' once) in the "
                    "sources, or say where it is with --page DIR");
}

// ---- public --------------------------------------------------------------------------------

typedef struct Show {
    const CliSubject* subject;
    int threads;
} Show;

/// The page restores what stands behind the #.
static void announce(const void* user, int port, const char* token) {
    const Show* show = user;
    const CliSubject* s = show->subject;
    printf("%s: open http://127.0.0.1:%d/%s/?stream#scene=", s->title, port, token);
    // names are letters, digits and hyphens; those of files may be anything
    for (const unsigned char* c = (const unsigned char*)s->name; *c != '\0'; ++c) {
        bool isPlain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                       (*c >= '0' && *c <= '9') || strchr("-_.", *c) != NULL;
        printf(isPlain ? "%c" : "%%%02X", *c);
    }
    if (s->options.size != 0) {
        printf("&size=%d", s->options.size);
    }
    if (s->options.seed != 0) {
        printf("&seed=%llu", (unsigned long long)s->options.seed);
    }
    printf("\n%s; Ctrl-C ends it\n", Cli_Count(show->threads, "thread", "threads").text);
    fflush(stdout);
}

static CliExit serve(const ViewOptions* o, const CliSubject* subject, const sdWorldDef* def) {
    char page[PATH_MAX + 32];
    CliExit code = findPage(o->page, page, sizeof page);
    sdScheduler* scheduler = NULL;
    if (code == CLI_OK && sdScheduler_Create(NULL, o->threads, &scheduler) != SD_OK) {
        code = Cli_Fail(CLI_FAILED, "view", "cannot start %s",
                        Cli_Count(o->threads, "thread", "threads").text);
    }
    if (code == CLI_OK) {
        sdTaskSystem tasks = sdScheduler_GetTasks(scheduler);
        Show show = {subject, tasks.workerCount};
        bool isPortGiven = o->port >= 0;
        code = CliServer_Run(&(CliServerDef){.page = page,
                                             .port = isPortGiven ? o->port : FIRST_PORT,
                                             .isPortGiven = isPortGiven,
                                             .subject = subject,
                                             .def = def,
                                             .tasks = tasks,
                                             .announce = announce,
                                             .user = &show});
    }
    sdScheduler_Destroy(scheduler);
    return code;
}

CliExit Cli_View(int argc, char** argv) {
    ViewOptions options = {.port = -1};
    CliSubject subject = {0};
    const char* name;
    CliExit code;
    if (!parse(argc, argv, &options, &name, &code)) {
        return code;
    }
    code = CliSubject_Find("view", name, &options.sizes, &subject);
    sdWorldDef def = subject.def;
    for (int i = 0; i < options.settings.count && code == CLI_OK; ++i) {
        code = CliSettings_Set("view", &def, options.settings.items[i]);
    }
    if (code == CLI_OK) {
        code = serve(&options, &subject, &def);
    }
    CliSubject_Close(&subject);
    return code;
}
