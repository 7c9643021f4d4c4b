// SPDX-License-Identifier: MIT
// video.c - pictures to a video file, through a pipe to ffmpeg.
//
// In:   pixels, one picture after the other.
// Out:  an .mp4 (H.264), .webm (VP9) or .gif, under its name only when ffmpeg is done with it.
// Note: what ffmpeg says goes to a file without a name, and from there to the log if it fails.

// fork, pipe, kill, mkstemp
#define _POSIX_C_SOURCE 200809L

#include "video.h"

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Longest words of ffmpeg that are passed on, bytes.
#define MAX_WORDS 600

#define EXIT_NOT_FOUND 127

typedef struct Format {
    const char *ending, *name;
    const char* const* words; ///< options of ffmpeg, NULL after the last
} Format;

#define EVEN "crop=trunc(iw/2)*2:trunc(ih/2)*2"

static const char* const mp4Words[] = {"-vf",       EVEN,         "-c:v", "libx264",  "-preset",
                                       "veryfast",  "-crf",       "20",   "-pix_fmt", "yuv420p",
                                       "-movflags", "+faststart", NULL};
static const char* const webmWords[] = {
    "-vf", EVEN,   "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-row-mt",
    "1",   "-crf", "30",   "-b:v",       "0",         "-pix_fmt", "yuv420p",   NULL};
// colours chosen for each picture: those for all would keep all of them in memory
static const char* const gifWords[] = {
    "-filter_complex", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1",
    NULL};

static const Format formats[] = {
    {".mp4", "mp4", mp4Words}, {".webm", "webm", webmWords}, {".gif", "gif", gifWords}};

struct sdVideo {
    sdContext context;
    size_t pictureSize;
    int handle; ///< of the pipe; -1: closed
    int words;  ///< file with what ffmpeg says
    pid_t process;
    char* path;
    char* part; ///< as it is called until it is complete
    size_t size;
    bool isBroken;
};

static const Format* findFormat(const char* path) {
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i) {
        size_t own = strlen(formats[i].ending);
        if (length > own && strcmp(path + length - own, formats[i].ending) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

bool sdVideo_IsName(const char* path) {
    return findFormat(path) != NULL;
}

// ---- ffmpeg --------------------------------------------------------------------------------

/// In the child: become ffmpeg. Does not return.
static void becomeFfmpeg(const sdVideo* v, const Format* format, const sdVideoDef* def, int input) {
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", def->width, def->height);
    snprintf(rate, sizeof rate, "%.6g", def->fps);
    const char* argv[48] = {"ffmpeg", "-hide_banner", "-loglevel", "error", "-xerror", "-y",
                            "-f",     "rawvideo",     "-pix_fmt",  "rgb0",  "-s",      size,
                            "-r",     rate,           "-i",        "-",     "-an"};
    int count = 17;
    for (int i = 0; format->words[i] != NULL; ++i) {
        argv[count++] = format->words[i];
    }
    argv[count++] = "-f";
    argv[count++] = format->name;
    argv[count++] = v->part;
    signal(SIGPIPE, SIG_DFL);
    // Ctrl-C is for us, who then end the video as it should be
    setpgid(0, 0);
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(v->words, STDERR_FILENO) >= 0 &&
        dup2(v->words, STDOUT_FILENO) >= 0) {
        execvp("ffmpeg", (char* const*)argv);
    }
    _exit(EXIT_NOT_FOUND);
}

static sdResult start(sdVideo* v, const Format* format, const sdVideoDef* def) {
    int ends[2];
    FILE* nameless = tmpfile();
    v->words = nameless != NULL ? dup(fileno(nameless)) : -1;
    if (nameless != NULL) {
        fclose(nameless);
    }
    if (v->words < 0 || pipe(ends) != 0) {
        return sdRender_Fail(&v->context, SD_ERROR_IO, "cannot write %s: %s", v->path,
                             strerror(errno));
    }
    // other children must not hold the pipe open
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fcntl(v->words, F_SETFD, FD_CLOEXEC);
    v->process = fork();
    if (v->process == 0) {
        becomeFfmpeg(v, format, def, ends[0]);
    }
    close(ends[0]);
    v->handle = ends[1];
    if (v->process < 0) {
        return sdRender_Fail(&v->context, SD_ERROR_IO, "cannot start ffmpeg: %s", strerror(errno));
    }
    return SD_OK;
}

/// The last of what ffmpeg said, without the line's end.
static void readWords(const sdVideo* v, char text[MAX_WORDS]) {
    off_t end = lseek(v->words, 0, SEEK_END);
    lseek(v->words, end > MAX_WORDS - 1 ? end - (MAX_WORDS - 1) : 0, SEEK_SET);
    ssize_t length = read(v->words, text, MAX_WORDS - 1);
    length = length < 0 ? 0 : length;
    while (length > 0 && text[length - 1] == '\n') {
        --length;
    }
    text[length] = '\0';
}

/// Wait for ffmpeg and judge how it ended.
static sdResult finish(sdVideo* v) {
    if (v->handle >= 0) {
        close(v->handle);
        v->handle = -1;
    }
    int status = 0;
    pid_t process = v->process;
    v->process = 0;
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) {
            return sdRender_Fail(&v->context, SD_ERROR_IO, "cannot write %s: ffmpeg is gone",
                                 v->path);
        }
    }
    char text[MAX_WORDS];
    readWords(v, text);
    // it ends well even when the disk was full, but not without a word
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && text[0] == '\0') {
        return SD_OK;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_FOUND) {
        return sdRender_Fail(&v->context, SD_ERROR_IO,
                             "cannot write %s: there is no program 'ffmpeg' here; install it "
                             "(Debian: apt-get install ffmpeg), or ask for pictures instead",
                             v->path);
    }
    return sdRender_Fail(&v->context, SD_ERROR_IO, "cannot write %s: ffmpeg failed: %s", v->path,
                         text[0] != '\0' ? text : "without a word");
}

/// Look for it before hours of work.
static bool isInstalled(void) {
    const char* path = getenv("PATH");
    char name[4096];
    while (path != NULL && *path != '\0') {
        int length = (int)strcspn(path, ":");
        snprintf(name, sizeof name, "%.*s/ffmpeg", length, path);
        if (access(name, X_OK) == 0) {
            return true;
        }
        path += length;
        path += *path == ':';
    }
    return false;
}

// ---- public --------------------------------------------------------------------------------

sdResult sdVideo_Create(const sdContext* context, const char* path, const sdVideoDef* def,
                        sdVideo** out) {
    *out = NULL;
    sdContext ctx = sdRender_GetContext(context);
    const Format* format = findFormat(path);
    if (format == NULL) {
        return sdRender_Fail(&ctx, SD_ERROR_IO,
                             "cannot write %s: videos end in .mp4, .webm or .gif", path);
    }
    if (!isInstalled()) {
        return sdRender_Fail(&ctx, SD_ERROR_IO,
                             "cannot write %s: there is no program 'ffmpeg' here; install it "
                             "(Debian: apt-get install ffmpeg), or ask for pictures instead",
                             path);
    }
    sdVideo* v = sdOutput_Alloc(&ctx, sizeof *v);
    size_t length = strlen(path), size = 2 * length + 48;
    char* texts = sdOutput_Alloc(&ctx, size);
    if (v == NULL || texts == NULL) {
        sdOutput_Free(&ctx, v, sizeof *v);
        sdOutput_Free(&ctx, texts, size);
        return sdRender_Fail(&ctx, SD_ERROR_OUT_OF_MEMORY, "no memory for a video");
    }
    *v = (sdVideo){.context = ctx,
                   .pictureSize = (size_t)def->width * (size_t)def->height * 4,
                   .handle = -1,
                   .words = -1,
                   .path = texts,
                   .part = texts + length + 1,
                   .size = size};
    memcpy(v->path, path, length);
    // with a slash, no name begins with a dash or a protocol
    snprintf(v->part, length + 40, "%s%s.%ld.part", strchr(path, '/') != NULL ? "" : "./", path,
             (long)getpid());
    sdResult result = start(v, format, def);
    if (result != SD_OK) {
        sdVideo_Destroy(v);
        return result;
    }
    *out = v;
    return SD_OK;
}

sdResult sdVideo_AddPicture(sdVideo* v, const uint8_t* pixels) {
    size_t done = 0;
    while (done < v->pictureSize && !v->isBroken) {
        ssize_t count = write(v->handle, pixels + done, v->pictureSize - done);
        if (count > 0) {
            done += (size_t)count;
        } else if (count < 0 && errno != EINTR) {
            // it has ended: it will have said why
            v->isBroken = true;
            sdResult result = finish(v);
            return result != SD_OK
                       ? result
                       : sdRender_Fail(&v->context, SD_ERROR_IO,
                                       "cannot write %s: ffmpeg ended too soon", v->path);
        }
    }
    return v->isBroken ? SD_ERROR_IO : SD_OK;
}

sdResult sdVideo_Finish(sdVideo* v) {
    if (v->isBroken) {
        return SD_ERROR_IO;
    }
    sdResult result = finish(v);
    if (result == SD_OK && rename(v->part, v->path) != 0) {
        result = sdRender_Fail(&v->context, SD_ERROR_IO, "cannot write %s: %s", v->path,
                               strerror(errno));
    }
    if (result != SD_OK) {
        unlink(v->part);
    }
    return result;
}

void sdVideo_Destroy(sdVideo* v) {
    if (v == NULL) {
        return;
    }
    sdContext ctx = v->context;
    if (v->handle >= 0) {
        close(v->handle);
    }
    bool isRunning = v->process > 0;
    if (isRunning) {
        kill(v->process, SIGTERM);
        while (waitpid(v->process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (v->isBroken || isRunning) {
        unlink(v->part);
    }
    if (v->words >= 0) {
        close(v->words);
    }
    sdOutput_Free(&ctx, v->path, v->size);
    sdOutput_Free(&ctx, v, sizeof *v);
}
