// SPDX-License-Identifier: MIT
// consumer.c - the smallest program that needs the headers and the library.

#include <sudar/sudar.h>

#include <stdio.h>

int main(void) {
    sdVersion version = sdGetVersion();
    sdQuat quarter = sdQuat_FromAxisAngle(sdV3(0.0f, 1.0f, 0.0f), 0.5f * SD_PI);
    sdVec3 turned = sdRotate(quarter, sdV3(1.0f, 0.0f, 0.0f));
    printf("sudar %d.%d.%d turns x to z = %.6f\n", version.major, version.minor, version.patch,
           (double)turned.z);
    return turned.z < -0.999f ? 0 : 1;
}
