// SPDX-License-Identifier: MIT
// outputs.c - what a run or a replay writes, all at once.

#include "outputs.h"

#include <math.h>

/// s: a frame that is due within rounding is due.
#define TIME_TOLERANCE 1e-6

CliOutputOptions CliOutputOptions_Default(void) {
    return (CliOutputOptions){
        .fps = 60.0, .width = 1280, .height = 720, .camera = {(double)NAN, 0.0, 0.0}};
}

static sdPos toPos(sdVec3 v) {
    return sdPos_Make((double)v.x, (double)v.y, (double)v.z);
}

static CliExit aimCamera(CliOutputs* out, const sdWorld* world, const CliLook* look) {
    const CliOutputOptions* o = &out->options;
    sdCamera* camera = &out->picture.camera;
    *camera = sdCamera_LookAt(toPos(look->eye), toPos(look->target));
    if (!isnan(o->camera[0])) {
        const double* c = o->camera;
        *camera = sdCamera_LookAt(sdPos_Make(c[0], c[1], c[2]), sdPos_Make(c[3], c[4], c[5]));
    } else if (!look->isExact) {
        float aspect = (float)o->width / (float)o->height;
        if (sdCamera_Frame(NULL, world, sdSub(look->eye, look->target), aspect, camera) != SD_OK) {
            return CLI_FAILED;
        }
    }
    // straight down, the top of the picture is to the back
    sdVec3 back = sdPos_Sub(camera->eye, camera->target);
    if (back.x == 0.0f && back.z == 0.0f) {
        camera->up = sdV3(0.0f, 0.0f, -1.0f);
    }
    return sdCamera_IsValid(camera)
               ? CLI_OK
               : Cli_Fail(CLI_USAGE, out->command, "--camera: eye and target are the same place");
}

static CliExit openPictures(CliOutputs* out, const sdWorld* world, const CliLook* look) {
    const CliOutputOptions* o = &out->options;
    if (o->png == NULL && o->frames == NULL) {
        return CLI_OK;
    }
    out->picture.width = o->width;
    out->picture.height = o->height;
    out->picture.showContacts = o->showContacts;
    CliExit code = aimCamera(out, world, look);
    if (code == CLI_OK && o->png != NULL) {
        code = Cli_CheckWritable(out->command, o->png);
    }
    if (code == CLI_OK && o->frames != NULL) {
        code = Cli_MakeFolder(out->command, o->frames);
    }
    return code == CLI_OK ? CliPicture_Open(&out->picture) : code;
}

CliExit CliOutputs_Open(CliOutputs* out, const char* command, const CliOutputOptions* options,
                        const sdWorld* world, const CliLook* look) {
    *out = (CliOutputs){.command = command, .options = *options};
    return openPictures(out, world, look);
}

static CliExit takeFrame(CliOutputs* out, const sdWorld* world) {
    CliExit code = CLI_OK;
    if (out->options.frames != NULL) {
        code = CliPicture_WriteFrame(&out->picture, world, out->options.frames, out->frameCount);
    }
    ++out->frameCount;
    return code;
}

CliExit CliOutputs_Look(CliOutputs* out, const sdWorld* world, double time) {
    double fps = out->options.fps;
    return fps == 0.0 || time * fps >= out->frameCount - TIME_TOLERANCE ? takeFrame(out, world)
                                                                        : CLI_OK;
}

CliExit CliOutputs_Finish(CliOutputs* out, const sdWorld* world) {
    return out->options.png != NULL ? CliPicture_Write(&out->picture, world, out->options.png)
                                    : CLI_OK;
}

void CliOutputs_Print(const CliOutputs* out, FILE* file) {
    const CliOutputOptions* o = &out->options;
    if (o->frames != NULL) {
        fprintf(file, "%-18s%s: %d pictures\n", "frames", o->frames, out->frameCount);
    }
    if (o->png != NULL) {
        fprintf(file, "%-18s%s\n", "picture", o->png);
    }
}

void CliOutputs_Close(CliOutputs* out) {
    CliPicture_Close(&out->picture);
}
