// SPDX-License-Identifier: MIT
// sweep.h - many runs of one scene: which cases there are, and where their results are gathered.
//
// A case is a number; what it stands for follows from the number and the words of the user alone,
// so any process knows all of them. Processes of one sweep (those that mpirun or srun has started)
// meet in a folder beside the table: each writes the rows of its own cases to a journal there, and
// whichever sees all rows makes the table of them. One that was killed leaves whole rows behind, so
// the same command goes on where it was, with any number of processes.

#ifndef SD_CLI_SWEEP_H
#define SD_CLI_SWEEP_H

#include "cli.h"
#include "scenefile.h"

// ---- cases (sweep_cases.c) -----------------------------------------------------------------

#define SWEEP_MAX_AXES 16
#define SWEEP_MAX_VALUES 4096
#define SWEEP_MAX_CASES 10000000
#define SWEEP_VALUE_SIZE 64

/// What is varied: one setting of the world, or dt, size, seed or scale.
typedef struct SweepAxis {
    char key[SD_SETTING_KEY_SIZE];
    const char* text; ///< behind the '='
    char separator;   ///< of a list
    int valueCount;   ///< of a list
    bool isRange, isLog;
    bool isWhole;        ///< of a range: only whole numbers
    double lower, upper; ///< of a range
} SweepAxis;

typedef struct SweepCases {
    SweepAxis axes[SWEEP_MAX_AXES];
    int axisCount;
    int sampleCount; ///< 0: all combinations
    uint64_t seed;   ///< of samples
    int count;
} SweepCases;

/// From "--vary key=..." words. Says what is wrong.
CliExit SweepCases_Parse(const CliList* words, int sampleCount, uint64_t seed, SweepCases* out);
/// What an axis is in a case, as somebody would type it.
void SweepCases_GetValue(const SweepCases* cases, int caseIndex, int axis, char* out);

// ---- journals (sweep_journal.c) ------------------------------------------------------------

#define SWEEP_ROW_SIZE 2048

typedef struct SweepJournal {
    const char* table; ///< path of the table
    char folder[1024];
    char own[1100]; ///< path of the own journal
    char head[64];  ///< what all journals of this sweep begin with
    FILE* file;
    bool* isDone; ///< by case
    int caseCount, doneCount;
} SweepJournal;

/// Find what is done already. Says what is wrong: also when the folder is that of another sweep.
/// @param print of the sweep's words: journals of another one are refused
CliExit SweepJournal_Open(SweepJournal* journal, const char* table, uint64_t print, int caseCount,
                          int rank);
/// A row without its end; whole or not at all. Not from two threads at once.
CliExit SweepJournal_Add(SweepJournal* journal, int caseIndex, const char* row);
/// Make the table if all rows are there by now, and take the folder away.
/// @param isMade whether it is there
CliExit SweepJournal_Gather(SweepJournal* journal, const char* columns, bool* isMade);
void SweepJournal_Close(SweepJournal* journal);

#endif
