// SPDX-License-Identifier: MIT
// view_engine.c - see view_engine.h.
//
// Note: a frame is made only when the page has drawn the last one, so a slow page costs nothing;
//       whoever sends messages of the other kinds is not heard before they are gone.

#include "view_engine.h"

#include "progress.h"
#include "view_motion.h"
#include "view_order.h"

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
#define MAX_STEPS_AT_ONCE 1000
#define MAX_DROPPED 1000
#define LARGEST 1e9 // of coordinates, speeds and lengths that the page may say

struct CliEngine {
    CliStock stock;
    CliReason reason; ///< the last that the library said of an error
    CliSimulation simulation;
    CliMotion motion; ///< a file that is being made
    char title[120];  ///< of what is open
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
    CliEngine_Say(s, s->reason.text[0] != '\0' ? s->reason.text : sdResult_Text(result));
    s->reason.text[0] = '\0';
}

static void noteReason(void* user, sdLogLevel level, const char* text) {
    CliEngine* s = user;
    if (level == SD_LOG_ERROR) {
        snprintf(s->reason.text, sizeof s->reason.text, "%s", text);
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

/// All steps once more, for a file of them; then back to where time stood.
static sdResult workOnMotion(CliEngine* s, double end) {
    bool isDone;
    sdResult result = CliMotion_Work(&s->motion, &s->simulation, s->title, end, &isDone);
    if (result == SD_OK && isDone) {
        result = sdGlbWriter_Finish(s->motion.writer);
    }
    if (result == SD_OK && isDone) {
        size_t size;
        const void* bytes = sdGlbWriter_GetBytes(s->motion.writer, &size);
        queue(s, CliFrame_MakeMotion(bytes, size));
        s->seekTo = s->motion.start;
        CliMotion_End(&s->motion);
    }
    return result;
}

double CliEngine_Work(CliEngine* s) {
    if (!s->isOpen) {
        return (double)INFINITY;
    }
    double now = Cli_Now();
    double end = now + SLICE;
    s->reason.text[0] = '\0';
    sdResult result = s->motion.isOn               ? workOnMotion(s, end)
                      : s->seekTo != SD_NULL_INDEX ? goOn(s, end)
                                                   : keepTime(s, now, end);
    if (result != SD_OK) {
        s->isRunning = false;
        s->seekTo = SD_NULL_INDEX;
        s->isChanged = true; // time may stand elsewhere
        CliMotion_End(&s->motion);
        complain(s, result);
    }
    if (s->motion.isOn || s->seekTo != SD_NULL_INDEX) {
        return 0.0;
    }
    sendFrame(s);
    return s->isRunning ? TICK : (double)INFINITY;
}

/// Whether time is on its way somewhere: what is done now would come at another step.
static bool refuseWhileBusy(const CliEngine* s, CliHeard* h) {
    if (s->motion.isOn) {
        snprintf(h->fault, sizeof h->fault, "all steps are being written to a file: wait for it");
    } else if (s->seekTo != SD_NULL_INDEX) {
        snprintf(h->fault, sizeof h->fault, "time is on its way to step %d: wait for it",
                 s->seekTo);
    }
    return h->fault[0] != '\0';
}

// ---- open ----------------------------------------------------------------------------------

/// Refused at once rather than in the middle of the next step.
/// @param values node of an object
/// @param areNew whether also those of the world, which is made with them
static sdResult applySettings(CliEngine* s, const sdJson* json, int values, bool areNew) {
    CliSimulation* simulation = &s->simulation;
    int child = values == SD_NULL_INDEX ? SD_NULL_INDEX : json->nodes[values].firstChild;
    sdResult result = SD_OK;
    for (; child != SD_NULL_INDEX && result == SD_OK; child = json->nodes[child].next) {
        sdWorldDef def = sdWorld_GetDef(simulation->world);
        CliInput input;
        result = CliOrder_ReadSetting(json, child, &def, &input, &s->reason);
        bool isMaterial = input.kind == CLI_INPUT_MATERIAL;
        if (result == SD_OK && (areNew || isMaterial)) {
            result = isMaterial
                         ? CliSimulation_SetMaterial(simulation, input.material, input.amount)
                         : sdWorld_SetDef(simulation->world, &def);
            result = result == SD_OK ? CliSimulation_Add(simulation, &input) : result;
        }
    }
    return result;
}

static void takeOver(CliEngine* s, CliSimulation* simulation, const CliOrder* order) {
    CliMotion_End(&s->motion);
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
    CliOrder order;
    CliSource source;
    if (!CliOrder_Read(h, &order)) {
        return SD_OK;
    }
    CliSimulation next = {0};
    sdResult result = CliSource_Open(&source, &s->stock, &order, &h->json, &s->reason);
    if (result == SD_OK) {
        result = CliSimulation_Open(&next, &s->stock.context, source.world, source.info.dt);
        source.world = NULL;
    }
    if (result == SD_OK) {
        takeOver(s, &next, &order);
        snprintf(s->title, sizeof s->title, "%.*s", (int)sizeof s->title - 1, source.info.title);
        result = applySettings(s, &h->json, order.settings, false);
        queue(s, CliFrame_MakeOpened(&source.info, &s->simulation, order.number));
    } else {
        CliSimulation_Close(&next);
    }
    CliSource_Close(&source);
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
        result = sdMesh_Create(&s->stock.context, &def, &mesh);
        result = result == SD_OK ? sdConcave_Create(&s->stock.context, mesh, NULL, out) : result;
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
        return applySettings(s, &h->json, CliHeard_Object(h, node, "values"), true);
    }
    if (strcmp(kind, "drop") == 0) {
        return hearDrop(s, h, node);
    }
    if (strcmp(kind, "throw") == 0) {
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
    if (refuseWhileBusy(s, h)) {
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

/// Which algorithm between which bodies, if any.
static void hearExplain(CliHeard* h, int wants, CliWants* out) {
    int node = wants != SD_NULL_INDEX ? sdJson_Find(&h->json, wants, "explain") : SD_NULL_INDEX;
    if (node == SD_NULL_INDEX || h->json.nodes[node].type == SD_JSON_NULL) {
        return;
    }
    node = CliHeard_Object(h, wants, "explain");
    const char* method = CliHeard_Text(h, node, "method");
    int number = 0;
    while (CliExplainMethods[number] != NULL && strcmp(CliExplainMethods[number], method) != 0) {
        ++number;
    }
    if (CliExplainMethods[number] == NULL && h->fault[0] == '\0') {
        snprintf(h->fault, sizeof h->fault, "wants: there is no algorithm '%.40s' to explain",
                 method);
    }
    out->explains = h->fault[0] == '\0';
    out->method = (sdExplainMethod)number;
    out->explainedA = CliHeard_Whole(h, node, "a", SD_NULL_INDEX, INT32_MAX);
    out->explainedB = CliHeard_Whole(h, node, "b", SD_NULL_INDEX, INT32_MAX);
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
        .version = CliHeard_Whole(h, node, "version", 0, CLI_MAX_STEP),
        .selected = CliHeard_Whole(h, node, "selected", SD_NULL_INDEX, INT32_MAX),
    };
    hearExplain(h, node, &wants);
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
    if (refuseWhileBusy(s, h)) {
        return SD_OK;
    }
    sdResult result = SD_OK;
    for (int i = 0; i < steps && h->fault[0] == '\0' && result == SD_OK; ++i) {
        result = advance(s);
    }
    return result;
}

static sdResult hearSeek(CliEngine* s, CliHeard* h) {
    int step = CliHeard_Whole(h, 0, "step", -1, CLI_MAX_STEP);
    if (h->fault[0] == '\0') {
        s->isRunning = false;
        *(s->motion.isOn ? &s->motion.start : &s->seekTo) = step < 0 ? 0 : step;
    }
    return SD_OK;
}

static sdResult hearInputAndTell(CliEngine* s, CliHeard* h) {
    sdResult result = refuseWhileBusy(s, h) ? SD_OK : hearInput(s, h);
    queue(s, CliFrame_MakeSettings(&s->simulation));
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

static sdResult hearMotion(CliEngine* s, CliHeard* h) {
    if (!refuseWhileBusy(s, h)) {
        s->isRunning = false;
        CliMotion_Begin(&s->motion, &s->simulation);
    }
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
    } rows[] = {{"open", openOrder},      {"run", hearRun},       {"speed", hearSpeed},
                {"advance", hearAdvance}, {"seek", hearSeek},     {"input", hearInputAndTell},
                {"grab", grab},           {"pull", hearPull},     {"letGo", letGo},
                {"wants", hearWants},     {"motion", hearMotion}, {"drawn", noteDrawn}};
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
        s->reason.text[0] = '\0';
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
        s->stock = (CliStock){sdContext_Default(), subject, *def};
        s->stock.context.tasks = tasks;
        s->stock.context.logger = (sdLogger){noteReason, s};
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
        CliMotion_End(&s->motion);
        CliSimulation_Close(&s->simulation);
        free(s->known.keys);
        free(s);
    }
}
