// SPDX-License-Identifier: MIT
// machine.h - where and by what something was measured, so that a report can be cited.

#ifndef SD_LAB_MACHINE_H
#define SD_LAB_MACHINE_H

typedef struct LabMachine {
    char processor[96]; ///< its name
    int coreCount;
    char memory[32];    ///< "16 GiB"
    char system[192];   ///< name, release and kind of machine
    char compiler[256]; ///< "gcc 12.2.0, -O3"
    char commit[80];  ///< of the sources, with a mark when they were changed; "unknown" outside git
    char program[24]; ///< what tells this program from others, though of the same commit
    char version[16]; ///< of the library
    char date[32];    ///< now, UTC, ISO 8601
} LabMachine;

LabMachine LabMachine_Look(void);

#endif
