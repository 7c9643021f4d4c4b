// SPDX-License-Identifier: MIT
// outputs.c - what a run or a replay writes, all at once.

#include "outputs.h"

#include <math.h>
#include <string.h>

/// s: a frame that is due within rounding is due.
#define TIME_TOLERANCE 1e-6

CliOutputOptions CliOutputOptions_Default(void) {
    return (CliOutputOptions){
        .fps = 60.0, .width = 1280, .height = 720, .zoom = 1.0, .camera = {(double)NAN, 0.0, 0.0}};
}

static sdPos toPos(sdVec3 v) {
    return sdPos_Make((double)v.x, (double)v.y, (double)v.z);
}

/// The eye around the target: about the upright, then up, then nearer.
static void goAround(sdCamera* camera, const CliOutputOptions* o) {
    const float radians = SD_PI / 180.0f;
    sdVec3 up = sdV3(0.0f, 1.0f, 0.0f), back = sdPos_Sub(camera->eye, camera->target);
    sdVec3 side = sdCross(up, back);
    if (o->rise != 0.0 && sdLength(side) > 1e-3f * sdLength(back)) {
        back = sdRotate(sdQuat_FromAxisAngle(sdNormalize(side), -(float)o->rise * radians), back);
    }
    back = sdRotate(sdQuat_FromAxisAngle(up, (float)o->turn * radians), back);
    if (o->rise != 0.0 || o->turn != 0.0 || o->zoom != 1.0) {
        camera->eye = sdPos_Add(camera->target, sdScale(1.0f / (float)o->zoom, back));
    }
}

CliExit CliOutputs_Aim(CliOutputs* out, const sdWorld* world, const CliShow* show) {
    const CliOutputOptions* o = &out->options;
    sdCamera* camera = &out->picture.camera;
    *camera = sdCamera_LookAt(toPos(show->eye), toPos(show->target));
    if (!isnan(o->camera[0])) {
        const double* c = o->camera;
        *camera = sdCamera_LookAt(sdPos_Make(c[0], c[1], c[2]), sdPos_Make(c[3], c[4], c[5]));
    } else if (!show->isExactLook) {
        float aspect = (float)o->width / (float)o->height;
        bool isFilm = o->frames != NULL || o->video != NULL;
        sdVec3 back = sdSub(show->eye, show->target);
        sdResult result = isFilm ? sdCamera_FrameFall(NULL, world, back, aspect, camera)
                                 : sdCamera_Frame(NULL, world, back, aspect, camera);
        if (result != SD_OK) {
            return CLI_FAILED;
        }
    }
    goAround(camera, o);
    // straight down, the top of the picture is to the back
    sdVec3 look = sdPos_Sub(camera->eye, camera->target);
    if (look.x == 0.0f && look.z == 0.0f) {
        camera->up = sdV3(0.0f, 0.0f, -1.0f);
    }
    return sdCamera_IsValid(camera)
               ? CLI_OK
               : Cli_Fail(CLI_USAGE, out->command, "--camera: eye and target are the same place");
}

static CliExit openPictures(CliOutputs* out, const sdWorld* world, const CliShow* show) {
    const CliOutputOptions* o = &out->options;
    if (o->png == NULL && o->frames == NULL && o->video == NULL) {
        return CLI_OK;
    }
    out->picture.width = o->width;
    out->picture.height = o->height;
    CliExit code = Cli_ReadViews(out->command, o->views, &out->picture.views);
    if (code == CLI_OK) {
        code = CliOutputs_Aim(out, world, show);
    }
    if (code == CLI_OK && o->frames != NULL) {
        code = Cli_MakeFolder(out->command, o->frames);
    }
    return code == CLI_OK ? CliPicture_Open(&out->picture) : code;
}

static CliExit openVideo(CliOutputs* out, const sdContext* context, const CliShow* show) {
    const CliOutputOptions* o = &out->options;
    sdVideoDef def = {o->width, o->height, o->fps > 0.0 ? o->fps : 1.0 / show->dt};
    return sdVideo_Create(context, o->video, &def, &out->video) == SD_OK ? CLI_OK : CLI_FAILED;
}

static CliExit openFiles(CliOutputs* out, const sdWorld* world, const CliShow* show) {
    const CliOutputOptions* o = &out->options;
    sdContext context = Cli_GetContext();
    CliExit code = o->video != NULL ? openVideo(out, &context, show) : CLI_OK;
    if (code == CLI_OK && o->glb != NULL &&
        sdGlbWriter_Create(&context, world, show->title, &out->glb) != SD_OK) {
        code = CLI_FAILED;
    }
    if (code == CLI_OK && o->csv != NULL &&
        (sdOutFile_Open(&context, o->csv, &out->csv) != SD_OK ||
         sdCsv_WriteHead(&out->csv) != SD_OK)) {
        code = CLI_FAILED;
    }
    if (code == CLI_OK && o->record != NULL &&
        sdRecorder_Create(&context, o->record, world, show, &out->recorder) != SD_OK) {
        code = CLI_FAILED;
    }
    return code;
}

/// A file that is asked for twice would be lost once.
static CliExit checkFiles(const char* command, const CliOutputOptions* o) {
    const struct {
        const char *option, *file;
    } rows[] = {{"--png", o->png},
                {"--video", o->video},
                {"--glb", o->glb},
                {"--csv", o->csv},
                {"--record", o->record}};
    const int count = (int)(sizeof rows / sizeof rows[0]);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < i && rows[i].file != NULL; ++k) {
            if (rows[k].file != NULL && strcmp(rows[i].file, rows[k].file) == 0) {
                return Cli_Fail(CLI_USAGE, command, "%s and %s want the same file: '%s'",
                                rows[k].option, rows[i].option, rows[i].file);
            }
        }
        CliExit code = rows[i].file != NULL ? Cli_CheckWritable(command, rows[i].file) : CLI_OK;
        if (code != CLI_OK) {
            return code;
        }
    }
    return CLI_OK;
}

CliExit CliOutputs_Open(CliOutputs* out, const char* command, const CliOutputOptions* options,
                        const sdWorld* world, const CliShow* show) {
    *out = (CliOutputs){.command = command, .options = *options, .show = show};
    CliExit code = checkFiles(command, options);
    if (code == CLI_OK && options->video != NULL && !sdVideo_IsName(options->video)) {
        code = Cli_Fail(CLI_USAGE, command,
                        "--video wants a name that ends in .mp4, .webm or .gif, "
                        "not '%s'",
                        options->video);
    }
    if (code == CLI_OK) {
        code = openPictures(out, world, show);
    }
    return code == CLI_OK ? openFiles(out, world, show) : code;
}

/// Steps may be longer than pictures are shown: then one is shown several times.
static CliExit film(CliOutputs* out, double time) {
    int width, height;
    const uint8_t* pixels = sdRenderer_GetPixels(out->picture.renderer, &width, &height);
    double due = out->options.fps > 0.0 ? time * out->options.fps + TIME_TOLERANCE : 0.0;
    do {
        if (sdVideo_AddPicture(out->video, pixels) != SD_OK) {
            return CLI_FAILED;
        }
        ++out->filmCount;
    } while (out->filmCount <= due);
    return CLI_OK;
}

static CliExit takePictures(CliOutputs* out, const sdWorld* world, double time) {
    const CliOutputOptions* o = &out->options;
    CliExit code = CliPicture_Draw(&out->picture, world);
    if (code == CLI_OK && o->frames != NULL) {
        code = CliPicture_WriteFrame(&out->picture, o->frames, out->frameCount);
    }
    if (code == CLI_OK && out->video != NULL) {
        code = film(out, time);
    }
    return code;
}

/// All but pictures, which are for even times only.
static CliExit takePoses(CliOutputs* out, const sdWorld* world, double time) {
    const CliOutputOptions* o = &out->options;
    bool ok = true;
    if (out->glb != NULL) {
        ok = sdGlbWriter_AddFrame(out->glb, world, time) == SD_OK;
    }
    if (ok && o->csv != NULL) {
        ok = sdCsv_WriteFrame(&out->csv, world, time) == SD_OK;
    }
    if (ok && out->recorder != NULL) {
        ok = sdRecorder_AddFrame(out->recorder, world, time) == SD_OK;
    }
    out->lastTime = time;
    return ok ? CLI_OK : CLI_FAILED;
}

static CliExit takeFrame(CliOutputs* out, const sdWorld* world, double time) {
    const CliOutputOptions* o = &out->options;
    CliExit code = o->frames != NULL || o->video != NULL ? takePictures(out, world, time) : CLI_OK;
    ++out->frameCount;
    return code == CLI_OK ? takePoses(out, world, time) : code;
}

CliExit CliOutputs_Look(CliOutputs* out, const sdWorld* world, double time) {
    double fps = out->options.fps;
    bool isDue = fps == 0.0 || time * fps >= out->frameCount - TIME_TOLERANCE;
    return isDue ? takeFrame(out, world, time) : CLI_OK;
}

CliExit CliOutputs_Finish(CliOutputs* out, const sdWorld* world, double time, uint64_t hash) {
    const CliOutputOptions* o = &out->options;
    bool ok = time <= out->lastTime || takePoses(out, world, time) == CLI_OK;
    // a picture of the end alone shows where things are by then
    if (ok && o->png != NULL && o->frames == NULL && o->video == NULL) {
        ok = CliOutputs_Aim(out, world, out->show) == CLI_OK;
    }
    if (ok && o->png != NULL) {
        ok = CliPicture_Draw(&out->picture, world) == CLI_OK &&
             CliPicture_Write(&out->picture, o->png) == CLI_OK;
    }
    if (ok && out->video != NULL) {
        ok = sdVideo_Finish(out->video) == SD_OK;
    }
    if (ok && out->glb != NULL) {
        ok = sdGlbWriter_Write(out->glb, o->glb) == SD_OK;
    }
    if (ok && o->csv != NULL) {
        ok = sdOutFile_Commit(&out->csv) == SD_OK;
    }
    if (ok && out->recorder != NULL) {
        ok = sdRecorder_Finish(out->recorder, hash) == SD_OK;
    }
    return ok ? CLI_OK : CLI_FAILED;
}

void CliOutputs_Print(const CliOutputs* out, FILE* file) {
    const CliOutputOptions* o = &out->options;
    if (o->frames != NULL) {
        fprintf(file, "%-18s%s: %s\n", "frames", o->frames,
                Cli_Count(out->frameCount, "picture", "pictures").text);
    }
    const struct {
        const char *name, *path;
    } files[] = {{"picture", o->png},
                 {"video", o->video},
                 {"animation", o->glb},
                 {"table", o->csv},
                 {"recording", o->record}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        if (files[i].path != NULL) {
            fprintf(file, "%-18s%s\n", files[i].name, files[i].path);
        }
    }
}

void CliOutputs_Close(CliOutputs* out) {
    CliPicture_Close(&out->picture);
    sdVideo_Destroy(out->video);
    sdGlbWriter_Destroy(out->glb);
    sdRecorder_Destroy(out->recorder);
    sdOutFile_Close(&out->csv);
    out->video = NULL;
    out->glb = NULL;
    out->recorder = NULL;
}
