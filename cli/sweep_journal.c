// SPDX-License-Identifier: MIT
// sweep_journal.c - rows of a sweep as they come, and the table when all are there.
//
// Note: a row counts when its end of line is there. What a killed process had begun to write is cut
//       off when somebody opens that journal again, and passed over by all who only read it.

// for truncating, locking and copying
#define _POSIX_C_SOURCE 200809L

#include "sweep.h"

#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL_END ".rows"

static CliExit failIo(const char* path) {
    return Cli_Fail(CLI_FAILED, "sweep", "%s: %s", path, strerror(errno));
}

// ---- reading -------------------------------------------------------------------------------

/// Takes a whole row and its case.
typedef bool TakeRow(void* user, int caseIndex, const char* row, size_t length);

/// Hand over the rows of a journal, without their ends.
static CliExit readJournal(const SweepJournal* journal, const char* path, TakeRow* take,
                           void* user) {
    sdContext context = sdContext_Default();
    uint8_t* bytes;
    size_t size;
    // it may have been taken away by a process that has made the table
    if (access(path, F_OK) != 0) {
        return CLI_OK;
    }
    if (sdOutput_ReadFile(&context, path, &bytes, &size) != SD_OK) {
        return failIo(path);
    }
    CliExit code = CLI_OK;
    const char* text = (const char*)bytes;
    size_t headLength = strlen(journal->head);
    if (size > headLength &&
        (memcmp(text, journal->head, headLength) != 0 || text[headLength] != '\n')) {
        code =
            Cli_Fail(CLI_USAGE, "sweep",
                     "%s holds rows of another sweep; finish that with its own words, or remove %s",
                     path, journal->folder);
    }
    for (size_t at = headLength + 1; code == CLI_OK && at < size;) {
        const char* end = memchr(text + at, '\n', size - at);
        if (end == NULL) {
            break;
        }
        char* comma;
        long caseIndex = strtol(text + at, &comma, 10);
        if (*comma == ',' && caseIndex >= 0 && caseIndex < journal->caseCount &&
            !take(user, (int)caseIndex, text + at, (size_t)(end - text) - at)) {
            code = Cli_Fail(CLI_FAILED, "sweep", "no memory for the rows of %s", path);
        }
        at = (size_t)(end - text) + 1;
    }
    sdOutput_Free(&context, bytes, size);
    return code;
}

static bool isJournal(const char* name) {
    size_t length = strlen(name), end = strlen(JOURNAL_END);
    return length > end && strcmp(name + length - end, JOURNAL_END) == 0;
}

static CliExit readAll(const SweepJournal* journal, TakeRow* take, void* user) {
    DIR* folder = opendir(journal->folder);
    if (folder == NULL) {
        return errno == ENOENT ? CLI_OK : failIo(journal->folder);
    }
    CliExit code = CLI_OK;
    for (struct dirent* entry; code == CLI_OK && (entry = readdir(folder)) != NULL;) {
        if (isJournal(entry->d_name)) {
            char path[1400];
            snprintf(path, sizeof path, "%s/%s", journal->folder, entry->d_name);
            code = readJournal(journal, path, take, user);
        }
    }
    closedir(folder);
    return code;
}

static bool noteDone(void* user, int caseIndex, const char* row, size_t length) {
    (void)row, (void)length;
    SweepJournal* journal = user;
    journal->doneCount += !journal->isDone[caseIndex];
    journal->isDone[caseIndex] = true;
    return true;
}

// ---- writing -------------------------------------------------------------------------------

/// Cut off a row that was begun, or begin the journal.
static CliExit openOwn(SweepJournal* journal) {
    journal->file = fopen(journal->own, "a+b");
    if (journal->file == NULL) {
        return failIo(journal->own);
    }
    long end = 0, at = 0;
    rewind(journal->file);
    for (int c; (c = fgetc(journal->file)) != EOF;) {
        at += 1;
        end = c == '\n' ? at : end;
    }
    if (ftruncate(fileno(journal->file), end) != 0 || fseek(journal->file, 0, SEEK_END) != 0 ||
        (end == 0 && fprintf(journal->file, "%s\n", journal->head) < 0) ||
        fflush(journal->file) != 0) {
        return failIo(journal->own);
    }
    return CLI_OK;
}

CliExit SweepJournal_Open(SweepJournal* journal, const char* table, uint64_t print, int caseCount,
                          int rank) {
    *journal = (SweepJournal){.table = table, .caseCount = caseCount};
    snprintf(journal->head, sizeof journal->head, "sudar sweep %016llx", (unsigned long long)print);
    int length = snprintf(journal->folder, sizeof journal->folder, "%s.sweep", table);
    if (length >= (int)sizeof journal->folder) {
        return Cli_Fail(CLI_USAGE, "sweep", "--out: the name is too long");
    }
    snprintf(journal->own, sizeof journal->own, "%s/rank-%d" JOURNAL_END, journal->folder, rank);
    journal->isDone = calloc((size_t)caseCount + 1, sizeof *journal->isDone);
    if (journal->isDone == NULL) {
        return Cli_Fail(CLI_FAILED, "sweep", "no memory for %d cases", caseCount);
    }
    if (mkdir(journal->folder, 0777) != 0 && errno != EEXIST) {
        return failIo(journal->folder);
    }
    CliExit code = readAll(journal, noteDone, journal);
    return code == CLI_OK ? openOwn(journal) : code;
}

CliExit SweepJournal_Add(SweepJournal* journal, int caseIndex, const char* row) {
    if (fprintf(journal->file, "%s\n", row) < 0 || fflush(journal->file) != 0) {
        return failIo(journal->own);
    }
    journal->isDone[caseIndex] = true;
    journal->doneCount += 1;
    return CLI_OK;
}

// ---- the table -----------------------------------------------------------------------------

typedef struct Rows {
    char** rows; ///< by case
    int count;
} Rows;

static bool keepRow(void* user, int caseIndex, const char* row, size_t length) {
    Rows* rows = user;
    if (rows->rows[caseIndex] != NULL) {
        return true;
    }
    rows->rows[caseIndex] = strndup(row, length);
    rows->count += 1;
    return rows->rows[caseIndex] != NULL;
}

static CliExit writeTable(const SweepJournal* journal, const char* columns, const Rows* rows) {
    sdOutFile file;
    sdResult result = sdOutFile_Open(NULL, journal->table, &file);
    if (result == SD_OK) {
        result = sdOutFile_Write(&file, columns, strlen(columns));
        for (int i = 0; i < journal->caseCount && result == SD_OK; ++i) {
            result = sdOutFile_Write(&file, rows->rows[i], strlen(rows->rows[i]));
            result = result == SD_OK ? sdOutFile_Write(&file, "\n", 1) : result;
        }
        result = result == SD_OK ? sdOutFile_Commit(&file) : result;
        sdOutFile_Close(&file);
    }
    return result == SD_OK ? CLI_OK
                           : Cli_Fail(CLI_FAILED, "sweep", "%s: %s; the rows stay in %s",
                                      journal->table, sdResult_Text(result), journal->folder);
}

static void removeFolder(const SweepJournal* journal) {
    DIR* folder = opendir(journal->folder);
    for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (isJournal(entry->d_name) || strcmp(entry->d_name, "lock") == 0) {
            char path[1400];
            snprintf(path, sizeof path, "%s/%s", journal->folder, entry->d_name);
            unlink(path);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    rmdir(journal->folder);
}

/// One process at a time. @return the lock; -1: the folder is gone, or cannot be locked
static int lockFolder(const SweepJournal* journal) {
    char path[1100];
    snprintf(path, sizeof path, "%s/lock", journal->folder);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (lock >= 0 && fcntl(lock, F_SETLKW, &whole) != 0) {
        close(lock);
        lock = -1;
    }
    return lock;
}

CliExit SweepJournal_Gather(SweepJournal* journal, const char* columns, bool* isMade) {
    *isMade = false;
    int lock = lockFolder(journal);
    // another process may have been quicker
    if (lock < 0 || access(journal->own, F_OK) != 0) {
        *isMade = access(journal->table, F_OK) == 0;
        if (lock >= 0) {
            close(lock);
        }
        return *isMade ? CLI_OK : failIo(journal->folder);
    }
    Rows rows = {.rows = calloc((size_t)journal->caseCount + 1, sizeof(char*))};
    CliExit code = rows.rows != NULL ? readAll(journal, keepRow, &rows)
                                     : Cli_Fail(CLI_FAILED, "sweep", "no memory for the table");
    if (code == CLI_OK && rows.count == journal->caseCount) {
        code = writeTable(journal, columns, &rows);
        *isMade = code == CLI_OK;
    }
    for (int i = 0; rows.rows != NULL && i < journal->caseCount; ++i) {
        free(rows.rows[i]);
    }
    free(rows.rows);
    if (*isMade) {
        removeFolder(journal);
    }
    close(lock);
    return code;
}

void SweepJournal_Close(SweepJournal* journal) {
    if (journal->file != NULL) {
        fclose(journal->file);
    }
    free(journal->isDone);
    *journal = (SweepJournal){0};
}
