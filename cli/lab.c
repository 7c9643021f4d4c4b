// SPDX-License-Identifier: MIT
// lab.c - `sudar lab [NAME...]`: run experiments and write their report.
//
// In:   names of experiments; none: all.
// Out:  a folder with index.html, plots and tables; a line an experiment on stdout.
// Note: what was finished with the same size, sources and machine is kept, unless --again.

#include "cli.h"

#include "lab_report.h"
#include "picture.h"
#include "scenefile.h"

#include <stdio.h>
#include <string.h>

#define COMMAND "lab"
#define DEFAULT_FOLDER "out/lab"

typedef struct LabOptions {
    CliList names;
    const char* folder;
    bool isFull, isAgain, isList, onlyNames;
} LabOptions;

static bool parse(int argc, char** argv, LabOptions* o, CliExit* code) {
    const CliOption options[] = {
        {"--list", "", "list the experiments: name, title and document", CLI_FLAG, &o->isList, 0,
         0},
        {"--names", "", "the names alone", CLI_FLAG, &o->onlyNames, 0, 0},
        {"--full", "", "the documents' sizes; without, small ones in two minutes", CLI_FLAG,
         &o->isFull, 0, 0},
        {"--out", "DIR", "the folder to write to (" DEFAULT_FOLDER ")", CLI_TEXT, &o->folder, 0, 0},
        {"--again", "", "run what is finished once more", CLI_FLAG, &o->isAgain, 0, 0},
    };
    const CliSyntax syntax = {
        .command = COMMAND,
        .argument = "[NAME]",
        .words = &o->names,
        .summary = "Make the experiments of the documents that Sudar grew from again, and some of "
                   "our own: all, or\nthose named. Writes a report with plots (by gnuplot) and "
                   "tables.",
        .notes =
            "What is finished is kept: an interrupted run goes on where it stopped, as long as "
            "size, sources and\nmachine are the same. Exit code 1: an experiment is broken, "
            "or its files could not be written;\n3: a finding of a document does not come out, "
            "and nothing in the data says why.",
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    const char* argument;
    return Cli_Parse(&syntax, argc, argv, &argument, code);
}

static const char* getName(const void* user, int i) {
    (void)user;
    return i < LabExperiment_GetCount() ? LabExperiment_Get(i)->name : NULL;
}

static CliExit checkNames(const CliList* names) {
    for (int i = 0; i < names->count; ++i) {
        if (LabExperiment_Find(names->items[i]) == NULL) {
            const char* nearest = sdNearestWord(names->items[i], getName, NULL);
            return nearest != NULL
                       ? Cli_Fail(CLI_USAGE, COMMAND, "unknown experiment '%s'; did you mean '%s'?",
                                  names->items[i], nearest)
                       : Cli_Fail(CLI_USAGE, COMMAND,
                                  "unknown experiment '%s'; see 'sudar lab --list'",
                                  names->items[i]);
        }
    }
    return CLI_OK;
}

static bool isWanted(const CliList* names, const char* name) {
    bool isNamed = names->count == 0;
    for (int i = 0; i < names->count; ++i) {
        isNamed = isNamed || strcmp(names->items[i], name) == 0;
    }
    return isNamed;
}

static void printList(bool onlyNames) {
    for (int i = 0; i < LabExperiment_GetCount(); ++i) {
        const LabExperiment* e = LabExperiment_Get(i);
        if (onlyNames) {
            printf("%s\n", e->name);
        } else {
            printf("%s%-18s%s%s (%s)\n", Cli_Color(stdout, CLI_BOLD), e->name,
                   Cli_Color(stdout, CLI_PLAIN), e->title, e->source);
        }
    }
}

static void printOutcome(const LabOutcome* outcome, bool isKept) {
    if (outcome->reason[0] != '\0') {
        printf("%sbroken%s: %s\n", Cli_Color(stdout, CLI_RED), Cli_Color(stdout, CLI_PLAIN),
               outcome->reason);
        return;
    }
    const int* counts = outcome->verdictCounts;
    printf("%s%d agree%s, %d differ", Cli_Color(stdout, CLI_GREEN), counts[LAB_AGREES],
           Cli_Color(stdout, CLI_PLAIN), counts[LAB_DIFFERS]);
    if (counts[LAB_UNEXPLAINED] > 0) {
        printf(", %s%d without a reason%s", Cli_Color(stdout, CLI_RED), counts[LAB_UNEXPLAINED],
               Cli_Color(stdout, CLI_PLAIN));
    }
    printf("; %.1f s%s\n", outcome->seconds, isKept ? " (kept)" : "");
}

/// One experiment, unless it is there already.
static CliExit runOne(LabReport* report, int index, bool isAgain) {
    const LabExperiment* e = LabExperiment_Get(index);
    LabOutcome* outcome = &report->outcomes[index];
    printf("%-18s", e->name);
    fflush(stdout);
    bool isKept = outcome->isFinished && !isAgain;
    CliExit code = CLI_OK;
    if (!isKept) {
        Lab* lab = Lab_Run(e, report->size, Cli_IsStopped);
        if (lab == NULL) {
            printf("\n");
            return Cli_Fail(CLI_FAILED, COMMAND, "no memory for '%s'", e->name);
        }
        if (Cli_IsStopped()) {
            printf("stopped\n");
            Lab_Destroy(lab);
            return CLI_STOPPED;
        }
        sdResult result = LabReport_Add(report, index, lab);
        code = result != SD_OK || !outcome->isFinished ? CLI_FAILED : CLI_OK;
        Lab_Destroy(lab);
    }
    printOutcome(outcome, isKept);
    if (outcome->reason[0] != '\0') {
        Cli_Fail(CLI_FAILED, COMMAND, "'%s' is broken: %s", e->name, outcome->reason);
    }
    bool isUnexplained = outcome->verdictCounts[LAB_UNEXPLAINED] > 0;
    return code == CLI_OK && isUnexplained ? CLI_NOT_SO : code;
}

CliExit Cli_Lab(int argc, char** argv) {
    LabOptions o = {.folder = DEFAULT_FOLDER};
    CliExit code;
    if (!parse(argc, argv, &o, &code)) {
        return code;
    }
    if ((o.isList || o.onlyNames) && o.names.count > 0) {
        return Cli_Fail(CLI_USAGE, COMMAND, "--list lists all experiments; '%s' is too much",
                        o.names.items[0]);
    }
    if (o.isList || o.onlyNames) {
        printList(o.onlyNames);
        return CLI_OK;
    }
    if ((code = checkNames(&o.names)) != CLI_OK) {
        return code;
    }
    static LabReport report;
    sdContext context = Cli_GetContext();
    if (LabReport_Open(&report, &context, o.folder, o.isFull ? LAB_FULL : LAB_QUICK) != SD_OK) {
        return CLI_FAILED;
    }
    Cli_CatchSignals();
    for (int i = 0; i < LabExperiment_GetCount() && code != CLI_STOPPED; ++i) {
        if (isWanted(&o.names, LabExperiment_Get(i)->name)) {
            CliExit own = runOne(&report, i, o.isAgain);
            // what could not be done weighs more than what is not so
            code = own == CLI_STOPPED || own == CLI_FAILED || code == CLI_OK ? own : code;
        }
    }
    if (LabReport_SaveIndex(&report) != SD_OK) {
        return CLI_FAILED;
    }
    if (code == CLI_STOPPED) {
        Cli_Fail(CLI_STOPPED, COMMAND, "stopped; the same command goes on from here");
    }
    printf("%s/index.html\n", o.folder);
    return code;
}
