// SPDX-License-Identifier: MIT
// record_read.c - reading a recording: every byte is checked before it is believed.
//
// In:   the bytes of a file.
// Out:  frames, one after the other or by number.

#include "record_read.h"

#include "file.h"

static sdResult failFile(const sdContext* context, const char* why) {
    return sdRender_Fail(context, SD_ERROR_BAD_FILE, "not a whole recording: %s", why);
}

static sdResult failMemory(const sdContext* context) {
    return sdRender_Fail(context, SD_ERROR_OUT_OF_MEMORY, "no memory for a recording");
}

// ---- chunks --------------------------------------------------------------------------------

/// The content of the chunk at *offset, which moves on behind it.
static bool readChunk(const sdRecording* r, size_t* offset, char tag[4], sdByteReader* content) {
    const uint8_t* bytes = r->bytes;
    if (*offset > r->size || r->size - *offset < 12) {
        return false;
    }
    sdByteReader head = {bytes + *offset, 8, 4, true};
    size_t size = (size_t)sdGet(&head, 4);
    if (size > r->size - *offset - 12) {
        return false;
    }
    sdByteReader tail = {bytes + *offset + 8 + size, 4, 0, true};
    if (sdCrc32(0, bytes + *offset, size + 8) != (uint32_t)sdGet(&tail, 4)) {
        return false;
    }
    memcpy(tag, bytes + *offset, 4);
    *content = (sdByteReader){bytes + *offset + 8, size, 0, true};
    *offset += size + 12;
    return true;
}

static void getText(sdByteReader* in, char text[SD_RECORD_TEXT_SIZE]) {
    size_t length = (size_t)sdGet(in, 1);
    if (length >= SD_RECORD_TEXT_SIZE || in->size - in->at < length) {
        in->isOk = false;
        return;
    }
    memcpy(text, in->data + in->at, length);
    text[length] = '\0';
    in->at += length;
}

static sdVec3 getVector(sdByteReader* in) {
    float x = sdGetFloat(in), y = sdGetFloat(in), z = sdGetFloat(in);
    return sdV3(x, y, z);
}

static bool readHead(sdRecording* r, sdByteReader* in) {
    getText(in, r->info.name);
    getText(in, r->info.title);
    r->info.dt = sdGetDouble(in);
    r->info.eye = getVector(in);
    r->info.target = getVector(in);
    r->info.isExactLook = sdGet(in, 1) != 0;
    return in->isOk && in->at == in->size;
}

static sdResult readIndex(sdRecording* r, sdByteReader* in, size_t limit) {
    r->frameCount = (int)sdGet(in, 4);
    r->worldHash = sdGet(in, 8);
    r->frameHash = sdGet(in, 8);
    r->groupCount = sdGetCount(in, 12);
    if (!in->isOk || r->frameCount < 0) {
        r->groupCount = 0;
        return failFile(&r->context, "its index is damaged");
    }
    r->groups = sdOutput_Alloc(&r->context, (size_t)r->groupCount * sizeof *r->groups);
    if (r->groups == NULL) {
        return failMemory(&r->context);
    }
    bool ok = (r->groupCount == 0) == (r->frameCount == 0);
    for (int i = 0; i < r->groupCount; ++i) {
        uint64_t offset = sdGet(in, 8), first = sdGet(in, 4);
        int last = i > 0 ? r->groups[i - 1].firstFrame : -1;
        ok = ok && offset < limit && first < (uint64_t)r->frameCount &&
             (i == 0 ? first == 0 : (int)first > last && (int)first - last <= SD_RECORD_GROUP);
        r->groups[i] = (sdRecordGroup){(size_t)offset, (int)first};
    }
    return ok && in->isOk && in->at == in->size ? SD_OK
                                                : failFile(&r->context, "its index is damaged");
}

/// All chunks, one after the other, with their checksums.
static sdResult readAll(sdRecording* r) {
    static const char order[][5] = {"HEAD", "OBJS", "BODY", "JNTS"};
    size_t end = r->size - SD_RECORD_TAIL_SIZE, offset = SD_RECORD_HEADER_SIZE;
    sdByteReader tail = {r->bytes + end, SD_RECORD_TAIL_SIZE, 0, true}, content;
    uint64_t indexOffset = sdGet(&tail, 8);
    char tag[4];
    for (int i = 0; i < 4; ++i) {
        if (!readChunk(r, &offset, tag, &content) || memcmp(tag, order[i], 4) != 0) {
            return failFile(&r->context, "its beginning is damaged");
        }
        if (i == 0 && !readHead(r, &content)) {
            return failFile(&r->context, "its head is damaged");
        }
        r->parts[i] = content;
    }
    while (offset < indexOffset) {
        if (!readChunk(r, &offset, tag, &content) || memcmp(tag, "FRMS", 4) != 0) {
            return failFile(&r->context, "frames are damaged");
        }
    }
    if (offset != indexOffset || !readChunk(r, &offset, tag, &content) ||
        memcmp(tag, "INDX", 4) != 0 || offset != end) {
        return failFile(&r->context, "its index is damaged");
    }
    sdResult result = readIndex(r, &content, (size_t)indexOffset);
    if (result != SD_OK) {
        return result;
    }
    r->bodyCount = sdGetCount(&r->parts[SD_RECORD_PART_BODIES], 4);
    return r->parts[SD_RECORD_PART_BODIES].isOk ? SD_OK
                                                : failFile(&r->context, "its bodies are damaged");
}

// ---- frames --------------------------------------------------------------------------------

static void getMask(const sdRecording* r, sdByteReader* in, bool* isSet) {
    for (int i = 0; i < r->bodyCount; i += 8) {
        uint64_t byte = sdGet(in, 1);
        for (int k = 0; k < 8 && i + k < r->bodyCount; ++k) {
            isSet[i + k] = (byte >> k & 1) != 0;
        }
    }
}

static void getState(sdByteReader* in, const sdRecordState* last, const sdRecordState* before,
                     sdRecordState* out) {
    for (int k = 0; k < SD_RECORD_DOUBLES; ++k) {
        out->d[k] = 2 * last->d[k] - before->d[k] + (uint64_t)sdGetDifference(in);
    }
    for (int k = 0; k < SD_RECORD_FLOATS; ++k) {
        out->f[k] = 2 * last->f[k] - before->f[k] + (uint32_t)sdGetDifference(in);
    }
}

/// The next frame of the group that is being read.
static bool nextFrame(sdRecording* r) {
    sdByteReader* in = &r->frames;
    size_t stateSize = (size_t)r->bodyCount * sizeof(sdRecordState);
    bool isFirst = in->at == 0;
    if (isFirst) {
        memset(r->history.last, 0, stateSize);
        memset(r->history.before, 0, stateSize);
    }
    r->time = sdGetDouble(in);
    uint64_t flags = sdGet(in, 1);
    memcpy(r->states, r->history.last, stateSize);
    if (flags & SD_RECORD_AWAKE) {
        getMask(r, in, r->isSet);
        for (int i = 0; i < r->bodyCount; ++i) {
            r->states[i].isAwake = r->isSet[i];
        }
    }
    if (flags & SD_RECORD_CHANGED) {
        getMask(r, in, r->isSet);
        for (int i = 0; i < r->bodyCount && in->isOk; ++i) {
            if (r->isSet[i]) {
                getState(in, &r->history.last[i], &r->history.before[i], &r->states[i]);
            }
        }
    }
    memcpy(r->history.before, isFirst ? r->states : r->history.last, stateSize);
    memcpy(r->history.last, r->states, stateSize);
    ++r->frame;
    return in->isOk;
}

static bool openGroup(sdRecording* r, int group) {
    size_t offset = r->groups[group].offset;
    char tag[4];
    r->frame = r->groups[group].firstFrame - 1;
    return readChunk(r, &offset, tag, &r->frames) && memcmp(tag, "FRMS", 4) == 0;
}

/// The group in which a frame is.
static int findGroup(const sdRecording* r, int frame) {
    int low = 0, high = r->groupCount - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (r->groups[middle].firstFrame <= frame) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

sdResult sdRecording_Seek(sdRecording* r, int frame) {
    if (frame < 0 || frame >= r->frameCount) {
        return sdRender_Fail(&r->context, SD_ERROR_INVALID_ARGUMENT,
                             "there is no frame %d: the recording has %d", frame, r->frameCount);
    }
    int group = findGroup(r, frame);
    bool isInside = r->frame >= r->groups[group].firstFrame && r->frame <= frame;
    bool ok = isInside || openGroup(r, group);
    while (ok && r->frame < frame) {
        ok = nextFrame(r);
    }
    if (!ok) {
        r->frame = -1;
        return failFile(&r->context, "frames are damaged");
    }
    return SD_OK;
}

sdResult sdRecording_Check(sdRecording* r) {
    uint64_t hash = SD_RECORD_HASH_START;
    for (int i = 0; i < r->frameCount; ++i) {
        sdResult result = sdRecording_Seek(r, i);
        if (result != SD_OK) {
            return result;
        }
        hash = sdRecord_HashFrame(hash, r->time, r->states, r->bodyCount);
    }
    return hash == r->frameHash
               ? SD_OK
               : failFile(&r->context, "its frames have another hash than it says");
}

// ---- public --------------------------------------------------------------------------------

static sdResult allocStates(sdRecording* r) {
    size_t count = (size_t)r->bodyCount;
    r->states = sdOutput_Alloc(&r->context, count * sizeof *r->states);
    r->history.last = sdOutput_Alloc(&r->context, count * sizeof *r->states);
    r->history.before = sdOutput_Alloc(&r->context, count * sizeof *r->states);
    r->isSet = sdOutput_Alloc(&r->context, count * sizeof *r->isSet);
    return r->states != NULL && r->history.last != NULL && r->history.before != NULL &&
                   r->isSet != NULL
               ? SD_OK
               : failMemory(&r->context);
}

/// Takes the bytes over, also when it fails.
static sdResult open(const sdContext* ctx, uint8_t* bytes, size_t size, sdRecording** out) {
    sdRecording* r = sdOutput_Alloc(ctx, sizeof *r);
    if (r == NULL) {
        sdOutput_Free(ctx, bytes, size);
        return failMemory(ctx);
    }
    *r = (sdRecording){.context = *ctx, .bytes = bytes, .size = size, .frame = -1};
    sdResult result = SD_OK;
    if (size < 12 || memcmp(bytes, SD_RECORD_MAGIC, 8) != 0) {
        result = failFile(ctx, "it does not begin as one");
    } else {
        sdByteReader version = {bytes + 8, 4, 0, true};
        uint32_t number = (uint32_t)sdGet(&version, 4);
        if (number != SD_RECORD_VERSION) {
            result = sdRender_Fail(ctx, SD_ERROR_VERSION,
                                   "a recording of version %u; this program reads version %d",
                                   number, SD_RECORD_VERSION);
        } else if (size < SD_RECORD_HEADER_SIZE + SD_RECORD_TAIL_SIZE ||
                   memcmp(bytes + size - 8, SD_RECORD_END, 8) != 0) {
            result = failFile(ctx, "its end is missing");
        }
    }
    if (result == SD_OK) {
        result = readAll(r);
    }
    if (result == SD_OK) {
        result = allocStates(r);
    }
    if (result != SD_OK) {
        sdRecording_Destroy(r);
        return result;
    }
    *out = r;
    return SD_OK;
}

sdResult sdRecording_Read(const sdContext* context, const void* bytes, size_t size,
                          sdRecording** out) {
    *out = NULL;
    sdContext ctx = sdRender_GetContext(context);
    uint8_t* copy = sdOutput_Alloc(&ctx, size);
    if (copy == NULL) {
        return failMemory(&ctx);
    }
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    return open(&ctx, copy, size, out);
}

sdResult sdRecording_Load(const sdContext* context, const char* path, sdRecording** out) {
    *out = NULL;
    sdContext ctx = sdRender_GetContext(context);
    uint8_t* bytes;
    size_t size;
    sdResult result = sdOutput_ReadFile(&ctx, path, &bytes, &size);
    return result == SD_OK ? open(&ctx, bytes, size, out) : result;
}

void sdRecording_Destroy(sdRecording* r) {
    if (r == NULL) {
        return;
    }
    sdContext ctx = r->context;
    size_t count = (size_t)r->bodyCount;
    sdOutput_Free(&ctx, r->states, count * sizeof *r->states);
    sdOutput_Free(&ctx, r->history.last, count * sizeof *r->states);
    sdOutput_Free(&ctx, r->history.before, count * sizeof *r->states);
    sdOutput_Free(&ctx, r->isSet, count * sizeof *r->isSet);
    sdOutput_Free(&ctx, r->groups, (size_t)r->groupCount * sizeof *r->groups);
    sdOutput_Free(&ctx, r->bytes, r->size);
    sdOutput_Free(&ctx, r, sizeof *r);
}

sdRecordInfo sdRecording_GetInfo(const sdRecording* r) {
    return r->info;
}

int sdRecording_GetBodyCount(const sdRecording* r) {
    return r->bodyCount;
}

int sdRecording_GetFrameCount(const sdRecording* r) {
    return r->frameCount;
}

uint64_t sdRecording_GetHash(const sdRecording* r) {
    return r->worldHash;
}
