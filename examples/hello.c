// SPDX-License-Identifier: MIT
#include <sudar/sudar.h>
int main(void) {
    return sdGetVersion().major == SD_VERSION_MAJOR ? 0 : 1;
}
