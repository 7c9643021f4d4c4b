// SPDX-License-Identifier: MIT
// view_engine.c - see view_engine.h.
//
// Note: a frame is made only when the page has drawn the last one, so a slow page costs nothing;
//       whoever sends messages of the other kinds is not heard before they are gone.

#include "view_engine.h"

#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// s of stepping after which the page is heard again.
#define SLICE 0.012
/// s that the simulation may be behind before it gives up catching up.
#define MAX_LAG 0.1
/// s between looks at the clock while time runs.
#define TICK 0.002
#define GRAB_LENGTH 1e4f // m
#define MAX_STEP 1000000000
#define MAX_STEPS_AT_ONCE 1000
#define MAX_DROPPED 1000
#define LARGEST 1e9 // of coordinates, speeds and lengths that the page may say

struct CliEngine {
    sdContext context;
    char reason[480]; ///< the last that the library said of an error
    const CliSubject* subject;
    sdWorldDef def; ///< of the subject
    CliSimulation simulation;
    bool isOpen;
    CliMessage *first, *last; ///< to be sent
    CliKnown known;
    int sentRevision;
    CliWants wants;
    bool isRunning, isDrawn, isChanged, isDragging;
    double speed, lag, lastTick;
    int seekTo; ///< SD_NULL_INDEX: nowhere
    CliInput drag;
};

// ---- what the page is told -----------------------------------------------------------------

static void queue(CliEngine* s, CliMessage* message) {
    if (message == NULL) {
        // too large, or no memory: words are short
        message = CliFrame_MakeError("there is no memory for what the page asks for, or it is "
                                     "more than can be sent; take a smaller scene or fewer views");
        s->isRunning = false;
    }
    if (message != NULL) {
        *(s->first == NULL ? &s->first : &s->last->next) = message;
        s->last = message;
    }
}

CliMessage* CliEngine_Take(CliEngine* s) {
    CliMessage* message = s->first;
    if (message != NULL) {
        s->first = message->next;
        message->next = NULL;
    }
    return message;
}

bool CliEngine_HasMessages(const CliEngine* s) {
    return s->first != NULL;
}

void CliEngine_Say(CliEngine* s, const char* text) {
    queue(s, CliFrame_MakeError(text));
}

/// Say why something could not be done.
static void complain(CliEngine* s, sdResult result) {
    CliEngine_Say(s, s->reason[0] != '\0' ? s->reason : sdResult_Text(result));
    s->reason[0] = '\0';
}

static void noteReason(void* user, sdLogLevel level, const char* text) {
    CliEngine* s = user;
    if (level == SD_LOG_ERROR) {
        snprintf(s->reason, sizeof s->reason, "%s", text);
    }
}

static void sendFrame(CliEngine* s) {
    if (!s->isDrawn || !s->isChanged) {
        return;
    }
    if (s->simulation.revision != s->sentRevision) {
        s->sentRevision = s->simulation.revision;
        queue(s, CliFrame_MakeLooks(&s->simulation, &s->known));
    }
    s->isDrawn = false;
    s->isChanged = false;
    queue(s, CliFrame_Make(&s->simulation, &s->wants, s->isRunning));
}

// ---- time ----------------------------------------------------------------------------------

static sdResult advance(CliEngine* s) {
    sdResult result = s->isDragging ? CliSimulation_Add(&s->simulation, &s->drag) : SD_OK;
    result = result == SD_OK ? CliSimulation_Advance(&s->simulation) : result;
    s->isChanged = true;
    return result;
}

static sdResult goOn(CliEngine* s, double end) {
    sdResult result = CliSimulation_Rewind(&s->simulation, s->seekTo);
    while (result == SD_OK && s->simulation.step < s->seekTo && Cli_Now() < end) {
        result = CliSimulation_Advance(&s->simulation);
    }
    s->seekTo = s->simulation.step >= s->seekTo ? SD_NULL_INDEX : s->seekTo;
    s->isChanged = s->seekTo == SD_NULL_INDEX;
    return result;
}

static sdResult keepTime(CliEngine* s, double now, double end) {
    double dt = (double)s->simulation.dt;
    double most = MAX_LAG > dt ? MAX_LAG : dt;
    s->lag = s->isRunning ? fmin(s->lag + s->speed * (now - s->lastTick), most) : 0.0;
    s->lastTick = now;
    sdResult result = SD_OK;
    while (result == SD_OK && s->lag >= dt && Cli_Now() < end) {
        result = advance(s);
        s->lag -= dt;
    }
    return result;
}

double CliEngine_Work(CliEngine* s) {
    if (!s->isOpen) {
        return (double)INFINITY;
    }
    double now = Cli_Now();
    sdResult result =
        s->seekTo != SD_NULL_INDEX ? goOn(s, now + SLICE) : keepTime(s, now, now + SLICE);
    if (result != SD_OK) {
        s->isRunning = false;
        s->seekTo = SD_NULL_INDEX;
        complain(s, result);
    }
    sendFrame(s);
    if (s->seekTo != SD_NULL_INDEX) {
        return 0.0;
    }
    return s->isRunning ? TICK : (double)INFINITY;
}

// ---- open ----------------------------------------------------------------------------------

/// A value of a setting as it would be typed.
/// @return false for a list or an object
static bool valueText(const sdJson* json, int node, char* out, size_t size) {
    switch (json->nodes[node].type) {
        case SD_JSON_BOOL:
            snprintf(out, size, "%s", json->nodes[node].boolean ? "yes" : "no");
            return true;
        case SD_JSON_NUMBER:
        case SD_JSON_TEXT:
            snprintf(out, size, "%s", sdJson_Text(json, node));
            return true;
        default:
            return false;
    }
}

/// "gravity.y" is a part of "gravity": the whole of it, with the part changed.
/// @return false when the path is no part of anything
static bool mergePart(const sdWorldDef* def, const char* path, CliInput* out) {
    const char* dot = strrchr(path, '.');
    const char* axis =
        dot != NULL && dot[1] != '\0' && dot[2] == '\0' ? strchr("xyz", dot[1]) : NULL;
    sdSetting setting;
    for (int i = 0; axis != NULL && sdSetting_Get(def, i, &setting); ++i) {
        size_t length = strlen(setting.key);
        if (setting.kind == SD_SETTING_VECTOR && length == (size_t)(dot - path) &&
            memcmp(setting.key, path, length) == 0) {
            double v[3] = {0};
            sscanf(setting.value, "%lf,%lf,%lf", &v[0], &v[1], &v[2]);
            char number[sizeof out->value];
            snprintf(number, sizeof number, "%s", out->value);
            char* end;
            v[*axis - 'x'] = strtod(number, &end);
            snprintf(out->key, sizeof out->key, "%s", setting.key);
            // what is no number stays as it is, to be refused with words
            snprintf(out->value, sizeof out->value, "%.9g,%.9g,%.9g", v[0], v[1], v[2]);
            if (*end != '\0' || end == number) {
                snprintf(out->value, sizeof out->value, "%.90s", number);
            }
            return true;
        }
    }
    return false;
}

/// One setting of the page's object, as an input.
static sdResult readSetting(CliEngine* s, const sdJson* json, int node, sdWorldDef* def,
                            CliInput* out) {
    const char* path = sdJson_Key(json, node);
    *out = (CliInput){.kind = CLI_INPUT_SETTING};
    snprintf(out->key, sizeof out->key, "%s", path);
    if (!valueText(json, node, out->value, sizeof out->value)) {
        snprintf(s->reason, sizeof s->reason, "'%.60s' must be a number, a switch or a word", path);
        return SD_ERROR_INVALID_ARGUMENT;
    }
    mergePart(def, path, out);
    sdFault fault = {0};
    sdResult result = sdSetting_Set(def, out->key, out->value, &fault);
    if (result != SD_OK && fault.text[0] != '\0') {
        snprintf(s->reason, sizeof s->reason, "%.*s", (int)sizeof s->reason - 1, fault.text);
    }
    return result;
}

static sdResult readSettings(CliEngine* s, const sdJson* json, int object, sdWorldDef* def) {
    sdResult result = SD_OK;
    CliInput ignored;
    int child = object == SD_NULL_INDEX ? SD_NULL_INDEX : json->nodes[object].firstChild;
    for (; child != SD_NULL_INDEX && result == SD_OK; child = json->nodes[child].next) {
        result = readSetting(s, json, child, def, &ignored);
    }
    return result;
}

/// What a page asks to be opened.
typedef struct Order {
    const char* name;
    sdSceneOptions options;
    const char *fileName, *fileText; ///< NULL: none
    int settings;                    ///< node
    int at, number;
} Order;

static bool readOrder(CliHeard* h, Order* out) {
    int o = CliHeard_Object(h, 0, "options");
    *out = (Order){.number = CliHeard_Whole(h, 0, "number", 0, MAX_STEP)};
    out->name = CliHeard_Text(h, o, "scene");
    out->options.size = CliHeard_Whole(h, o, "size", 0, INT32_MAX);
    // what a number of JavaScript holds exactly
    out->options.seed = (uint64_t)CliHeard_Number(h, o, "seed", 0.0, 9007199254740992.0);
    out->settings = CliHeard_Object(h, o, "settings");
    out->at = CliHeard_Whole(h, o, "at", 0, MAX_STEP);
    int file = o != SD_NULL_INDEX ? sdJson_Find(&h->json, o, "file") : SD_NULL_INDEX;
    if (file != SD_NULL_INDEX && h->json.nodes[file].type != SD_JSON_NULL) {
        out->fileName = CliHeard_Text(h, file, "name");
        out->fileText = CliHeard_Text(h, file, "text");
    }
    return h->fault[0] == '\0';
}

/// Where a world comes from.
typedef struct Source {
    const sdScene* scene;
    const sdSceneFile* file;
    sdSceneFile* own; ///< a file that the page sent
    CliSceneInfo info;
    sdWorldDef def;
} Source;

static sdResult parseFile(CliEngine* s, const Order* order, Source* out) {
    sdFault fault = {0};
    sdResult result = sdSceneFile_Parse(&s->context, order->fileName, order->fileText,
                                        strlen(order->fileText), NULL, &out->own, &fault);
    if (result != SD_OK) {
        sdFault_Describe(&fault, order->fileName, s->reason, sizeof s->reason);
        return result;
    }
    out->file = out->own;
    out->info = CliSceneInfo_OfFile(order->fileName, out->own);
    out->def = *sdSceneFile_GetWorldDef(out->own);
    return SD_OK;
}

static sdResult findSource(CliEngine* s, const Order* order, Source* out) {
    *out = (Source){0};
    if (order->fileName != NULL) {
        return parseFile(s, order, out);
    }
    bool isSubject = strcmp(order->name, s->subject->name) == 0;
    if (isSubject && s->subject->file != NULL) {
        out->file = s->subject->file;
        out->info = CliSceneInfo_OfFile(s->subject->name, out->file);
        out->def = s->def;
        return SD_OK;
    }
    out->scene = sdScene_Find(order->name);
    if (out->scene == NULL) {
        snprintf(s->reason, sizeof s->reason, "there is no scene '%.60s'", order->name);
        return SD_ERROR_INVALID_ARGUMENT;
    }
    int size = order->options.size;
    if (size != 0 && (size < out->scene->minSize || size > out->scene->maxSize)) {
        snprintf(s->reason, sizeof s->reason, "the size of %s is from %d to %d (%s), not %d",
                 order->name, out->scene->minSize, out->scene->maxSize, out->scene->sizeName, size);
        return SD_ERROR_INVALID_ARGUMENT;
    }
    out->info = CliSceneInfo_OfScene(out->scene);
    out->def = isSubject ? s->def : sdScene_GetWorldDef(out->scene);
    return SD_OK;
}

static sdResult buildWorld(CliEngine* s, const Source* source, const Order* order, sdWorld** out) {
    sdResult result = sdWorld_Create(&s->context, &source->def, out);
    if (result == SD_OK) {
        sdSceneOptions options = order->options;
        options.context = &s->context;
        result = source->file != NULL ? sdSceneFile_Build(source->file, *out, NULL)
                                      : sdScene_Build(source->scene, *out, &options);
    }
    if (result != SD_OK) {
        sdWorld_Destroy(*out);
        *out = NULL;
    }
    return result;
}

static void takeOver(CliEngine* s, CliSimulation* simulation, const Order* order) {
    CliSimulation_Close(&s->simulation);
    s->simulation = *simulation;
    s->known.count = 0;
    s->sentRevision = SD_NULL_INDEX;
    s->isOpen = s->isDrawn = s->isChanged = true;
    s->isDragging = false;
    s->lag = 0.0;
    s->lastTick = Cli_Now();
    s->seekTo = order->at > 0 ? order->at : SD_NULL_INDEX;
}

static sdResult openOrder(CliEngine* s, CliHeard* h) {
    Order order;
    Source source;
    if (!readOrder(h, &order)) {
        return SD_OK;
    }
    sdWorld* world = NULL;
    CliSimulation next = {0};
    sdResult result = findSource(s, &order, &source);
    if (result == SD_OK) {
        result = readSettings(s, &h->json, order.settings, &source.def);
    }
    if (result == SD_OK) {
        result = buildWorld(s, &source, &order, &world);
    }
    if (result == SD_OK) {
        result = CliSimulation_Open(&next, &s->context, world, source.info.dt);
    }
    if (result == SD_OK) {
        takeOver(s, &next, &order);
        sdWorldDef def = sdWorld_GetDef(world);
        queue(s, CliFrame_MakeOpened(&source.info, &def, order.number));
    } else {
        CliSimulation_Close(&next);
    }
    sdSceneFile_Destroy(source.own);
    return result;
}

// ---- inputs --------------------------------------------------------------------------------

static sdPos toPos(const double v[3]) {
    return (sdPos){v[0], v[1], v[2]};
}

static sdVec3 toVec(const double v[3]) {
    return sdV3((float)v[0], (float)v[1], (float)v[2]);
}

static sdPos hearPos(CliHeard* h, int node, const char* key) {
    double v[3];
    CliHeard_Vector(h, node, key, v);
    for (int i = 0; i < 3; ++i) {
        if (fabs(v[i]) > LARGEST && h->fault[0] == '\0') {
            snprintf(h->fault, sizeof h->fault, "%.40s: '%s' is too far away", h->kind, key);
        }
    }
    return toPos(v);
}

static sdVec3 hearVec(CliHeard* h, int node, const char* key) {
    sdPos p = hearPos(h, node, key);
    return toVec((double[3]){p.x, p.y, p.z});
}

/// Refused at once rather than in the middle of the next step.
static sdResult hearSettings(CliEngine* s, CliHeard* h, int node) {
    int values = CliHeard_Object(h, node, "values");
    int child = values == SD_NULL_INDEX ? SD_NULL_INDEX : h->json.nodes[values].firstChild;
    sdResult result = SD_OK;
    for (; child != SD_NULL_INDEX && result == SD_OK; child = h->json.nodes[child].next) {
        sdWorldDef def = sdWorld_GetDef(s->simulation.world);
        CliInput input;
        result = readSetting(s, &h->json, child, &def, &input);
        result = result == SD_OK ? sdWorld_SetDef(s->simulation.world, &def) : result;
        result = result == SD_OK ? CliSimulation_Add(&s->simulation, &input) : result;
    }
    return result;
}

/// Corners and triangles of a mesh that is dropped, made into what may move.
static sdResult makeConcave(CliEngine* s, CliHeard* h, int node, sdConcave** out) {
    int vertexCount, indexCount;
    double* numbers = CliHeard_Numbers(h, node, "vertices", &vertexCount);
    double* indices = CliHeard_Numbers(h, node, "triangles", &indexCount);
    sdVec3* vertices = malloc(((size_t)vertexCount / 3 + 1) * sizeof *vertices);
    int32_t* triangles = malloc(((size_t)indexCount + 1) * sizeof *triangles);
    sdMesh* mesh = NULL;
    sdResult result = SD_ERROR_OUT_OF_MEMORY;
    if (h->fault[0] == '\0' && vertices != NULL && triangles != NULL) {
        for (int i = 0; i < vertexCount / 3; ++i) {
            vertices[i] = toVec(&numbers[3 * i]);
        }
        for (int i = 0; i < indexCount; ++i) {
            // what is not in range is refused by the mesh itself
            triangles[i] = fabs(indices[i]) < INT32_MAX ? (int32_t)indices[i] : SD_NULL_INDEX;
        }
        sdMeshDef def = sdMeshDef_Default();
        def.data = (sdMeshData){.vertices = vertices,
                                .vertexCount = vertexCount / 3,
                                .triangles = triangles,
                                .triangleCount = indexCount / 3};
        result = sdMesh_Create(&s->context, &def, &mesh);
        result = result == SD_OK ? sdConcave_Create(&s->context, mesh, NULL, out) : result;
    }
    sdMesh_Release(mesh);
    free(numbers);
    free(indices);
    free(vertices);
    free(triangles);
    return result;
}

static sdResult hearDrop(CliEngine* s, CliHeard* h, int node) {
    CliInput input = {.kind = CLI_INPUT_DROP};
    input.count = CliHeard_Whole(h, node, "count", 1, MAX_DROPPED);
    input.size = (float)CliHeard_Number(h, node, "size", 0.0, LARGEST);
    input.place = hearPos(h, node, "at");
    sdConcave* concave = NULL;
    sdResult result = makeConcave(s, h, node, &concave);
    if (h->fault[0] != '\0') {
        result = SD_OK;
    } else if (result == SD_OK) {
        input.concave = concave;
        result = CliSimulation_Add(&s->simulation, &input);
    }
    sdConcave_Release(concave);
    return result;
}

static sdResult hearInput(CliEngine* s, CliHeard* h) {
    int node = CliHeard_Object(h, 0, "input");
    const char* kind = CliHeard_Text(h, node, "kind");
    CliInput input = {0};
    if (strcmp(kind, "settings") == 0) {
        return hearSettings(s, h, node);
    }
    if (strcmp(kind, "drop") == 0) {
        return hearDrop(s, h, node);
    }
    if (strcmp(kind, "materials") == 0) {
        int values = CliHeard_Object(h, node, "values");
        input.kind = CLI_INPUT_MATERIALS;
        input.friction = (float)CliHeard_Number(h, values, "friction", 0.0, LARGEST);
        input.restitution = (float)CliHeard_Number(h, values, "restitution", 0.0, 1.0);
    } else if (strcmp(kind, "throw") == 0) {
        input.kind = CLI_INPUT_THROW;
        input.place = hearPos(h, node, "origin");
        input.velocity = hearVec(h, node, "velocity");
        input.size = (float)CliHeard_Number(h, node, "radius", 0.0, LARGEST);
    } else if (h->fault[0] == '\0') {
        snprintf(h->fault, sizeof h->fault, "the command's engine knows no input '%.40s'", kind);
    }
    return h->fault[0] == '\0' ? CliSimulation_Add(&s->simulation, &input) : SD_OK;
}

// ---- the hand ------------------------------------------------------------------------------

static sdResult grab(CliEngine* s, CliHeard* h) {
    sdVec3 direction = hearVec(h, 0, "direction");
    sdRay ray = {hearPos(h, 0, "origin"), sdScale(GRAB_LENGTH, direction)};
    sdQueryHit hit = {0};
    CliSimulation* simulation = &s->simulation;
    if (h->fault[0] != '\0') {
        return SD_OK;
    }
    sdResult result = sdWorld_Raycast(simulation->world, &ray, NULL, &hit);
    int number = 0;
    while (number < simulation->bodyCount && simulation->bodies[number] != hit.body) {
        ++number;
    }
    bool isHit = result == SD_OK && number < simulation->bodyCount &&
                 sdBody_GetType(simulation->world, hit.body) == SD_BODY_DYNAMIC;
    CliWriter w;
    CliWriter_Open(&w, isHit ? "grabbed" : "missed");
    if (isHit) {
        s->isDragging = true;
        s->drag = (CliInput){.kind = CLI_INPUT_DRAG,
                             .body = number,
                             .local = sdBody_GetLocalPoint(simulation->world, hit.body, hit.point),
                             .place = hit.point};
        CliWriter_Number(&w, "body", number);
        CliWriter_Vector(&w, "point", (double[3]){hit.point.x, hit.point.y, hit.point.z});
    }
    queue(s, CliWriter_Finish(&w));
    return result;
}

static sdResult hearWants(CliEngine* s, CliHeard* h) {
    int node = CliHeard_Object(h, 0, "wants");
    CliWants wants = {
        .contacts = CliHeard_Bool(h, node, "contacts"),
        .joints = CliHeard_Bool(h, node, "joints"),
        .boxes = CliHeard_Bool(h, node, "boxes"),
        .cells = CliHeard_Bool(h, node, "cells"),
        .islands = CliHeard_Bool(h, node, "islands"),
        .levels = CliHeard_Bool(h, node, "levels"),
        .samples = CliHeard_Bool(h, node, "samples"),
        .slice = CliHeard_Bool(h, node, "slice"),
        .lines = CliHeard_Whole(h, node, "lines", 0, INT32_MAX),
        .lineSize = (float)CliHeard_Number(h, node, "lineSize", 0.0, 1e6),
        .version = CliHeard_Whole(h, node, "version", 0, MAX_STEP),
        .selected = CliHeard_Whole(h, node, "selected", SD_NULL_INDEX, INT32_MAX),
    };
    if (h->fault[0] == '\0') {
        s->wants = wants;
        s->isChanged = true;
    }
    return SD_OK;
}

// ---- what the page says --------------------------------------------------------------------

static sdResult hearRun(CliEngine* s, CliHeard* h) {
    s->isRunning = CliHeard_Bool(h, 0, "isRunning");
    s->isChanged = true;
    s->lastTick = Cli_Now();
    return SD_OK;
}

static sdResult hearSpeed(CliEngine* s, CliHeard* h) {
    s->speed = CliHeard_Number(h, 0, "value", 0.0, 100.0);
    return SD_OK;
}

static sdResult hearAdvance(CliEngine* s, CliHeard* h) {
    int steps = CliHeard_Whole(h, 0, "steps", 0, MAX_STEPS_AT_ONCE);
    sdResult result = SD_OK;
    for (int i = 0; i < steps && h->fault[0] == '\0' && result == SD_OK; ++i) {
        result = advance(s);
    }
    return result;
}

static sdResult hearSeek(CliEngine* s, CliHeard* h) {
    int step = CliHeard_Whole(h, 0, "step", -1, MAX_STEP);
    if (h->fault[0] == '\0') {
        s->isRunning = false;
        s->seekTo = step < 0 ? 0 : step;
    }
    return SD_OK;
}

static sdResult hearInputAndTell(CliEngine* s, CliHeard* h) {
    sdResult result = hearInput(s, h);
    sdWorldDef def = sdWorld_GetDef(s->simulation.world);
    queue(s, CliFrame_MakeSettings(&def));
    return result;
}

static sdResult hearPull(CliEngine* s, CliHeard* h) {
    sdPos target = hearPos(h, 0, "target");
    if (h->fault[0] == '\0') {
        s->drag.place = target;
    }
    return SD_OK;
}

static sdResult letGo(CliEngine* s, CliHeard* h) {
    (void)h;
    s->isDragging = false;
    return SD_OK;
}

static sdResult noteDrawn(CliEngine* s, CliHeard* h) {
    (void)h;
    s->isDrawn = true;
    return SD_OK;
}

typedef sdResult HearFcn(CliEngine* s, CliHeard* h);

static HearFcn* findHearer(const char* kind) {
    static const struct {
        const char* kind;
        HearFcn* hear;
    } rows[] = {{"open", openOrder},      {"run", hearRun},    {"speed", hearSpeed},
                {"advance", hearAdvance}, {"seek", hearSeek},  {"input", hearInputAndTell},
                {"grab", grab},           {"pull", hearPull},  {"letGo", letGo},
                {"wants", hearWants},     {"drawn", noteDrawn}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (strcmp(rows[i].kind, kind) == 0) {
            return rows[i].hear;
        }
    }
    return NULL;
}

bool CliEngine_Hear(CliEngine* s, const char* text, size_t size) {
    CliHeard heard;
    bool isMessage = CliHeard_Open(&heard, text, size);
    HearFcn* hear = isMessage ? findHearer(heard.kind) : NULL;
    if (hear != NULL && (hear == openOrder || s->isOpen)) {
        s->reason[0] = '\0';
        sdResult result = hear(s, &heard);
        if (result != SD_OK) {
            complain(s, result);
        }
    } else if (isMessage && hear == NULL) {
        snprintf(heard.fault, sizeof heard.fault,
                 "the command's engine does not know '%.40s': open the page with its own engine",
                 heard.kind);
    }
    if (heard.fault[0] != '\0') {
        CliEngine_Say(s, heard.fault);
    }
    CliHeard_Close(&heard);
    return isMessage;
}

// ---- life ----------------------------------------------------------------------------------

CliEngine* CliEngine_Create(const CliSubject* subject, const sdWorldDef* def, sdTaskSystem tasks) {
    CliEngine* s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->context = sdContext_Default();
        s->context.tasks = tasks;
        s->context.logger = (sdLogger){noteReason, s};
        s->subject = subject;
        s->def = *def;
        s->speed = 1.0;
        s->seekTo = SD_NULL_INDEX;
        s->wants.selected = SD_NULL_INDEX;
        queue(s, CliFrame_MakeScenes(subject, tasks.workerCount));
    }
    return s;
}

void CliEngine_Destroy(CliEngine* s) {
    if (s != NULL) {
        for (CliMessage* message; (message = CliEngine_Take(s)) != NULL;) {
            CliMessage_Free(message);
        }
        CliSimulation_Close(&s->simulation);
        free(s->known.keys);
        free(s);
    }
}
