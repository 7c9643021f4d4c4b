// SPDX-License-Identifier: MIT
// png_file.c - pixels to a PNG file, through libpng.
//
// In:   rows of red, green, blue and a byte that is left out.
// Out:  the whole file under its name, or nothing: it is written beside it and renamed.

// open, fdopen, getpid
#define _POSIX_C_SOURCE 200809L

#include "png_file.h"

#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Of zlib, 0 .. 9: beyond this, pictures become hardly smaller but take several times as long.
#define COMPRESSION 5

static void keepError(png_structp png, png_const_charp text) {
    char* reason = png_get_error_ptr(png);
    snprintf(reason, 128, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void ignoreWarning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

/// @param reason 128 bytes
static bool writeRows(FILE* file, const uint8_t* pixels, int width, int height, char* reason) {
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, reason, keepError, ignoreWarning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL) {
        snprintf(reason, 128, "no memory");
        png_destroy_write_struct(&png, NULL);
        return false;
    }
    if (setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, COMPRESSION);
    png_set_filter(png, 0, PNG_FILTER_SUB | PNG_FILTER_UP | PNG_FILTER_AVG);
    png_write_info(png, info);
    png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (int y = 0; y < height; ++y) {
        png_write_row(png, &pixels[(size_t)y * (size_t)width * 4]);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

/// A new file; an old one of that name, or a link, is not touched.
static FILE* openNew(const char* name) {
    int handle = open(name, O_CREAT | O_EXCL | O_WRONLY, 0666);
    if (handle < 0) {
        return NULL;
    }
    FILE* file = fdopen(handle, "wb");
    if (file == NULL) {
        close(handle);
        unlink(name);
    }
    return file;
}

sdResult sdWritePng(const sdContext* context, const char* path, const uint8_t* pixels, int width,
                    int height) {
    size_t size = strlen(path) + 32;
    char* name = sdRender_Alloc(&context->allocator, size);
    if (name == NULL) {
        return sdRender_Fail(context, SD_ERROR_OUT_OF_MEMORY, "cannot write %s: no memory", path);
    }
    snprintf(name, size, "%s.%ld.part", path, (long)getpid());

    char reason[128] = "";
    bool ok = false;
    FILE* file = openNew(name);
    if (file == NULL) {
        snprintf(reason, sizeof reason, "%s", strerror(errno));
    } else {
        ok = writeRows(file, pixels, width, height, reason);
        // only now is it known that the disk took it all
        if (fclose(file) != 0 && ok) {
            ok = false;
            snprintf(reason, sizeof reason, "%s", strerror(errno));
        }
        if (ok && rename(name, path) != 0) {
            ok = false;
            snprintf(reason, sizeof reason, "%s", strerror(errno));
        }
        if (!ok) {
            unlink(name);
        }
    }
    sdRender_Free(&context->allocator, name, size);
    return ok ? SD_OK : sdRender_Fail(context, SD_ERROR_IO, "cannot write %s: %s", path, reason);
}
