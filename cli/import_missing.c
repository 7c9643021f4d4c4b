// SPDX-License-Identifier: MIT
// import_missing.c - stands in for the importers of XML where libxml2 is not there.

#include "import.h"

static bool refuse(CliImport* import) {
    return CliImport_Fail(import, 0,
                          "this build cannot read XML; install libxml2-dev and build "
                          "again");
}

bool CliImport_Urdf(CliImport* import) {
    return refuse(import);
}

bool CliImport_Mjcf(CliImport* import) {
    return refuse(import);
}
