// SPDX-License-Identifier: MIT
// view_frame.c - see view_frame.h.

#include "view_frame.h"

#include "view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_CELLS 64 // of a field, along each side

static void putVec(CliWriter* w, const char* key, sdVec3 v) {
    CliWriter_Vector(w, key, (double[3]){(double)v.x, (double)v.y, (double)v.z});
}

CliMessage* CliFrame_MakeError(const char* text) {
    CliWriter w;
    CliWriter_Open(&w, "error");
    CliWriter_Text(&w, "text", text);
    return CliWriter_Finish(&w);
}

CliMessage* CliFrame_MakeMotion(const void* bytes, size_t size) {
    CliWriter w;
    CliWriter_Open(&w, "motion");
    CliWriter_Bytes(&w, "bytes", bytes, size);
    return CliWriter_Finish(&w);
}

// ---- scenes --------------------------------------------------------------------------------

CliSceneInfo CliSceneInfo_OfScene(const sdScene* s) {
    return (CliSceneInfo){s->name,    s->title,   s->text, s->sizeName, s->size,
                          s->minSize, s->maxSize, s->dt,   s->eye,      s->target};
}

CliSceneInfo CliSceneInfo_OfFile(const char* name, const sdSceneFile* file) {
    const sdSceneInfo* i = sdSceneFile_GetInfo(file);
    const char* title = i->title[0] != '\0' ? i->title : (i->name[0] != '\0' ? i->name : name);
    return (CliSceneInfo){.name = name,
                          .title = title,
                          .text = i->text[0] != '\0' ? i->text : "A scene file.",
                          .sizeName = "",
                          .size = 1,
                          .minSize = 1,
                          .maxSize = 1,
                          .dt = i->dt,
                          .eye = i->hasCamera ? i->eye : sdV3(6.0f, 5.0f, 9.0f),
                          .target = i->target};
}

/// All but the brace that opens the object, and the one that closes it.
static void putScene(CliWriter* w, const CliSceneInfo* s) {
    fputs("\"name\":", w->head);
    CliJson_Text(w->head, s->name);
    CliWriter_Text(w, "title", s->title);
    CliWriter_Text(w, "text", s->text);
    CliWriter_Text(w, "sizeName", s->sizeName);
    CliWriter_Number(w, "size", s->size);
    CliWriter_Number(w, "minSize", s->minSize);
    CliWriter_Number(w, "maxSize", s->maxSize);
    CliWriter_Number(w, "dt", (double)s->dt);
    putVec(w, "eye", s->eye);
    putVec(w, "target", s->target);
}

CliMessage* CliFrame_MakeScenes(const CliSubject* subject, int threads) {
    CliWriter w;
    CliWriter_Open(&w, "scenes");
    CliWriter_Number(&w, "threads", threads);
    if (!w.hasFailed) {
        fputs(",\"scenes\":[", w.head);
        const char* separator = "{";
        if (subject->file != NULL) {
            CliSceneInfo info = CliSceneInfo_OfFile(subject->name, subject->file);
            fputs(separator, w.head);
            putScene(&w, &info);
            separator = "},{";
        }
        for (int i = 0; i < sdScene_GetCount(); ++i) {
            CliSceneInfo info = CliSceneInfo_OfScene(sdScene_Get(i));
            fputs(separator, w.head);
            putScene(&w, &info);
            separator = "},{";
        }
        fputs("}]", w.head);
    }
    return CliWriter_Finish(&w);
}

// ---- settings ------------------------------------------------------------------------------

static void putWords(CliWriter* w, const char* words) {
    fputs("[", w->head);
    for (const char* word = words; *word != '\0';) {
        int length = (int)strcspn(word, "|");
        fprintf(w->head, "%s\"%.*s\"", word == words ? "" : ",", length, word);
        word += length + (word[length] == '|' ? 1 : 0);
    }
    fputs("]", w->head);
}

static void putSetting(CliWriter* w, const sdSetting* s) {
    static const char* const kinds[] = {"number", "whole", "boolean", "word"};
    if (s->kind == SD_SETTING_VECTOR) {
        // a number each, as a panel wants them
        const char* value = s->value;
        for (const char* axis = "xyz"; *axis != '\0'; ++axis) {
            int length = (int)strcspn(value, ",");
            fprintf(w->head,
                    "%s{\"path\":\"%s.%c\",\"kind\":\"number\",\"words\":[],\"value\":%.*s}",
                    *axis == 'x' ? "" : ",", s->key, *axis, length, value);
            value += length + 1;
        }
        return;
    }
    fprintf(w->head, "{\"path\":\"%s\",\"kind\":\"%s\",\"words\":", s->key, kinds[s->kind]);
    putWords(w, s->kind == SD_SETTING_WORD ? s->wanted : "");
    bool isWord = s->kind == SD_SETTING_WORD;
    bool isYes = strcmp(s->value, "yes") == 0;
    fprintf(w->head, ",\"value\":%s%s%s}", isWord ? "\"" : "",
            s->kind != SD_SETTING_SWITCH ? s->value : (isYes ? "true" : "false"),
            isWord ? "\"" : "");
}

/// Of the world, and of all bodies.
static void putSettings(CliWriter* w, const CliSimulation* s) {
    sdWorldDef def = sdWorld_GetDef(s->world);
    if (!w->hasFailed) {
        fputs(",\"settings\":[", w->head);
        sdSetting setting;
        for (int i = 0; sdSetting_Get(&def, i, &setting); ++i) {
            fputs(i == 0 ? "" : ",", w->head);
            putSetting(w, &setting);
        }
        for (int i = 0; CliMaterialKeys[i] != NULL; ++i) {
            fprintf(w->head, ",{\"path\":\"%s\",\"kind\":\"number\",\"words\":[],\"value\":",
                    CliMaterialKeys[i]);
            CliJson_Number(w->head, (double)CliSimulation_GetMaterial(s, (CliMaterial)i));
            fputs("}", w->head);
        }
        fputs("]", w->head);
    }
}

CliMessage* CliFrame_MakeOpened(const CliSceneInfo* info, const CliSimulation* s, int number) {
    CliWriter w;
    CliWriter_Open(&w, "opened");
    CliWriter_Number(&w, "number", number);
    if (!w.hasFailed) {
        fputs(",\"scene\":{", w.head);
        putScene(&w, info);
        fputs("}", w.head);
    }
    putSettings(&w, s);
    return CliWriter_Finish(&w);
}

CliMessage* CliFrame_MakeSettings(const CliSimulation* s) {
    CliWriter w;
    CliWriter_Open(&w, "settings");
    putSettings(&w, s);
    return CliWriter_Finish(&w);
}

// ---- looks ---------------------------------------------------------------------------------

/// A shape of a body, by how it looks.
typedef struct Sight {
    uint32_t key;
    int32_t body;
    sdShapeId shape;
} Sight;

static int compareSights(const void* a, const void* b) {
    const Sight *s = a, *t = b;
    if (s->key != t->key) {
        return s->key < t->key ? -1 : 1;
    }
    return s->body < t->body ? -1 : (s->body > t->body ? 1 : 0);
}

static int countShapes(const CliSimulation* s) {
    int total = 0;
    for (int i = 0; i < s->bodyCount; ++i) {
        total += sdBody_GetShapes(s->world, s->bodies[i], NULL, 0);
    }
    return total;
}

/// All shapes of all bodies.
/// @return false when memory is short
static bool listSights(const CliSimulation* s, Sight* out) {
    bool isListed = true;
    for (int i = 0; i < s->bodyCount && isListed; ++i) {
        int count;
        sdShapeId* shapes = CliSimulation_ListShapes(s, i, &count);
        isListed = shapes != NULL;
        for (int k = 0; k < count && isListed; ++k) {
            *out++ = (Sight){sdView_GetShapeKey(s->world, shapes[k]), i, shapes[k]};
        }
        free(shapes);
    }
    return isListed;
}

static int compareKeys(const void* a, const void* b) {
    uint32_t k = *(const uint32_t*)a, m = *(const uint32_t*)b;
    return k < m ? -1 : (k > m ? 1 : 0);
}

static bool isKnown(const CliKnown* known, uint32_t key) {
    return known->count > 0 &&
           bsearch(&key, known->keys, (size_t)known->count, sizeof key, compareKeys) != NULL;
}

typedef struct Group {
    const sdWorld* world;
    const Sight* sights;
    int count;
} Group;

static int fillTriangles(const void* user, void* out, int capacity) {
    const Group* g = user;
    return sdView_GetTriangles(g->world, g->sights[0].shape, out, capacity);
}

static int fillBodies(const void* user, void* out, int capacity) {
    const Group* g = user;
    int32_t* numbers = out;
    for (int i = 0; i < g->count && i < capacity; ++i) {
        numbers[i] = g->sights[i].body;
    }
    return g->count;
}

static void putLook(CliWriter* w, const Group* g, bool isNew) {
    const sdShapeDef* def = sdShapeId_GetDef(g->world, g->sights[0].shape);
    if (w->hasFailed) {
        return;
    }
    fprintf(w->head, "{\"key\":%" PRIu32, g->sights[0].key);
    if (isNew) {
        CliWriter_Array(w, "triangles", "f32", fillTriangles, g);
    } else {
        CliWriter_Null(w, "triangles");
    }
    CliWriter_Array(w, "bodies", "i32", fillBodies, g);
    CliWriter_Bool(w, "isGlass", sdView_IsGlass(g->world, g->sights[0].shape));
    CliWriter_Bool(w, "isEndless", def != NULL && def->shape.type == SD_SHAPE_HALF_SPACE);
    if (!w->hasFailed) {
        fputs("}", w->head);
    }
}

/// All groups; those that are new are put behind the known keys, which have room for them.
static void putGroups(CliWriter* w, const CliSimulation* s, const Sight* sights, int count,
                      CliKnown* known) {
    int keyCount = known->count;
    for (int i = 0; i < count && !w->hasFailed;) {
        Group group = {s->world, &sights[i], 1};
        while (i + group.count < count && sights[i + group.count].key == sights[i].key) {
            ++group.count;
        }
        bool isNew = !isKnown(known, sights[i].key);
        fputs(i == 0 ? "" : ",", w->head);
        putLook(w, &group, isNew);
        if (isNew) {
            known->keys[keyCount++] = sights[i].key;
        }
        i += group.count;
    }
    known->count = keyCount;
    qsort(known->keys, (size_t)keyCount, sizeof *known->keys, compareKeys);
}

CliMessage* CliFrame_MakeLooks(const CliSimulation* s, CliKnown* known) {
    int count = countShapes(s);
    Sight* sights = malloc(((size_t)count + 1) * sizeof *sights);
    uint32_t* keys = realloc(known->keys, (size_t)(known->count + count + 1) * sizeof *keys);
    known->keys = keys != NULL ? keys : known->keys;
    CliWriter w;
    CliWriter_Open(&w, "looks");
    CliWriter_Number(&w, "bodyCount", s->bodyCount);
    w.hasFailed = w.hasFailed || sights == NULL || keys == NULL || !listSights(s, sights);
    if (!w.hasFailed) {
        qsort(sights, (size_t)count, sizeof *sights, compareSights);
        fputs(",\"looks\":[", w.head);
        putGroups(&w, s, sights, count, known);
        fputs("]", w.head);
    }
    free(sights);
    return CliWriter_Finish(&w);
}

// ---- frames --------------------------------------------------------------------------------

static int fillPoses(const void* world, void* out, int capacity) {
    return sdView_GetPoses(world, out, capacity);
}
static int fillContacts(const void* world, void* out, int capacity) {
    return sdView_GetContacts(world, out, capacity);
}
static int fillJoints(const void* world, void* out, int capacity) {
    return sdView_GetJoints(world, out, capacity);
}
static int fillBoxes(const void* world, void* out, int capacity) {
    return sdView_GetBoxes(world, out, capacity);
}
static int fillCells(const void* world, void* out, int capacity) {
    return sdView_GetCells(world, out, capacity);
}
static int fillIslands(const void* world, void* out, int capacity) {
    return sdView_GetIslands(world, out, capacity);
}
static int fillLevels(const void* world, void* out, int capacity) {
    return sdView_GetLevels(world, out, capacity);
}

/// Lines that explain bodies and joints.
typedef struct Lines {
    const sdWorld* world;
    const CliWants* wants;
} Lines;

static int fillLines(const void* user, void* out, int capacity) {
    const Lines* lines = user;
    return sdView_GetLines(lines->world, (uint32_t)lines->wants->lines, lines->wants->lineSize, out,
                           capacity);
}

/// A shape of which samples and a slice are shown.
typedef struct Shown {
    const sdWorld* world;
    int body;
    sdShapeId shape;
} Shown;

static int fillSamples(const void* user, void* out, int capacity) {
    const Shown* shown = user;
    return sdView_GetSamples(shown->world, shown->shape, out, capacity);
}
static int fillSlice(const void* user, void* out, int capacity) {
    const Shown* shown = user;
    return sdView_GetFieldSlice(shown->world, shown->shape, SLICE_CELLS, out, capacity);
}

static bool findMesh(const CliSimulation* s, int body, Shown* out) {
    int count;
    sdShapeId* shapes = CliSimulation_ListShapes(s, body, &count);
    bool isFound = false;
    for (int i = 0; i < count && shapes != NULL && !isFound; ++i) {
        isFound = sdShapeId_GetDef(s->world, shapes[i])->shape.type == SD_SHAPE_MESH;
        *out = (Shown){s->world, body, isFound ? shapes[i] : out->shape};
    }
    free(shapes);
    return isFound;
}

/// The selected body, or the first that has a mesh and moves.
static bool findShown(const CliSimulation* s, const CliWants* wants, Shown* out) {
    *out = (Shown){.body = SD_NULL_INDEX};
    if (!wants->samples && !wants->slice) {
        return false;
    }
    if (wants->selected >= 0 && wants->selected < s->bodyCount) {
        return findMesh(s, wants->selected, out);
    }
    for (int i = 0; i < s->bodyCount; ++i) {
        if (sdBody_GetType(s->world, s->bodies[i]) == SD_BODY_DYNAMIC && findMesh(s, i, out)) {
            return true;
        }
    }
    return false;
}

static void putStats(CliWriter* w, const sdWorld* world) {
    sdWorldStats stats = sdWorld_GetStats(world);
    sdViewFigures figures = sdView_GetFigures(world);
    const struct {
        const char* key;
        double value;
    } rows[] = {
        {"awakeCount", stats.awakeCount},       {"contactCount", stats.contactCount},
        {"pointCount", stats.pointCount},       {"islandCount", stats.islandCount},
        {"pairCount", stats.pairCount},         {"pairMs", (double)stats.pairMs},
        {"contactMs", (double)stats.contactMs}, {"islandMs", (double)stats.islandMs},
        {"solveMs", (double)stats.solveMs},     {"refitMs", (double)stats.refitMs},
        {"sleepMs", (double)stats.sleepMs},     {"stepMs", (double)stats.stepMs},
        {"byteCount", (double)stats.byteCount}, {"kinetic", figures.kinetic},
        {"potential", figures.potential},       {"maxPenetration", (double)figures.maxPenetration},
    };
    if (!w->hasFailed) {
        fprintf(w->head, ",\"stats\":{\"bodyCount\":%d", stats.bodyCount);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
            CliWriter_Number(w, rows[i].key, rows[i].value);
        }
        fputs("}", w->head);
    }
}

static void putArrays(CliWriter* w, const CliSimulation* s, const CliWants* wants) {
    Shown shown;
    bool isShown = findShown(s, wants, &shown);
    Lines lines = {s->world, wants};
    const struct {
        const char *key, *type;
        bool isWanted;
        CliFillFcn* fill;
        const void* user;
    } rows[] = {
        {"poses", "f32", true, fillPoses, s->world},
        {"contacts", "f32", wants->contacts, fillContacts, s->world},
        {"joints", "f32", wants->joints, fillJoints, s->world},
        {"boxes", "f32", wants->boxes, fillBoxes, s->world},
        {"cells", "f32", wants->cells, fillCells, s->world},
        {"islands", "i32", wants->islands, fillIslands, s->world},
        {"levels", "i32", wants->levels, fillLevels, s->world},
        {"samples", "f32", wants->samples && isShown, fillSamples, &shown},
        {"slice", "f32", wants->slice && isShown, fillSlice, &shown},
        {"lines", "f32", wants->lines != 0, fillLines, &lines},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].isWanted) {
            CliWriter_Array(w, rows[i].key, rows[i].type, rows[i].fill, rows[i].user);
        } else {
            CliWriter_Null(w, rows[i].key);
        }
    }
    CliWriter_Number(w, "shown", isShown ? shown.body : SD_NULL_INDEX);
}

// ---- explanation ---------------------------------------------------------------------------

const char* const CliExplainMethods[] = {"gjk", "epa", "sat", "vclip", NULL};

/// A step of it.
typedef struct Told {
    const sdExplanation* explanation;
    int step;
} Told;

static int fillMarks(const void* user, void* out, int capacity) {
    const Told* told = user;
    return sdExplanation_GetMarks(told->explanation, told->step, out, capacity);
}
static int fillIntervals(const void* user, void* out, int capacity) {
    const Told* told = user;
    return sdExplanation_GetIntervals(told->explanation, told->step, out, capacity);
}

/// `,"key":[...]`, an array for each step.
static void putSteps(CliWriter* w, const char* key, const sdExplanation* e, CliFillFcn* fill) {
    if (w->hasFailed) {
        return;
    }
    fprintf(w->head, ",\"%s\":[", key);
    for (int i = 0; i < sdExplanation_GetStepCount(e) && !w->hasFailed; ++i) {
        fputs(i == 0 ? "" : ",", w->head);
        CliWriter_Item(w, "f32", fill, &(Told){e, i});
    }
    if (!w->hasFailed) {
        fputs("]", w->head);
    }
}

static void putExplained(CliWriter* w, const CliWants* wants, const sdExplanation* e) {
    fputs(",\"explanation\":{\"texts\":[", w->head);
    for (int i = 0; i < sdExplanation_GetStepCount(e); ++i) {
        fputs(i == 0 ? "" : ",", w->head);
        CliJson_Text(w->head, sdExplanation_GetText(e, i));
    }
    fputs("]", w->head);
    CliWriter_Text(w, "method", CliExplainMethods[wants->method]);
    CliWriter_Number(w, "a", wants->explainedA);
    CliWriter_Number(w, "b", wants->explainedB);
    CliWriter_Number(w, "found", sdExplanation_GetFound(e));
    CliWriter_Number(w, "answer", sdExplanation_GetAnswer(e));
    CliWriter_Array(w, "shared", "f32", fillMarks, &(Told){e, SD_NULL_INDEX});
    putSteps(w, "marks", e, fillMarks);
    putSteps(w, "intervals", e, fillIntervals);
    if (!w->hasFailed) {
        fputs("}", w->head);
    }
}

/// Of two bodies that are there; null otherwise.
static void putExplanation(CliWriter* w, const CliSimulation* s, const CliWants* wants) {
    int a = wants->explainedA, b = wants->explainedB;
    bool areThere = a >= 0 && b >= 0 && a < s->bodyCount && b < s->bodyCount && a != b;
    sdExplanation* explanation = NULL;
    if (wants->explains && areThere && !w->hasFailed &&
        sdView_Explain(s->context, s->world, s->bodies[a], s->bodies[b], wants->method,
                       &explanation) == SD_OK) {
        putExplained(w, wants, explanation);
        sdExplanation_Destroy(explanation);
    } else {
        CliWriter_Null(w, "explanation");
    }
}

CliMessage* CliFrame_Make(const CliSimulation* s, const CliWants* wants, bool isRunning) {
    CliWriter w;
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, sdWorld_GetHash(s->world));
    CliWriter_Open(&w, "frame");
    CliWriter_Number(&w, "step", s->step);
    CliWriter_Number(&w, "lastStep", s->lastStep);
    CliWriter_Number(&w, "time", sdWorld_GetTime(s->world));
    CliWriter_Text(&w, "hash", hash);
    CliWriter_Bool(&w, "isRunning", isRunning);
    putArrays(&w, s, wants);
    putExplanation(&w, s, wants);
    CliWriter_Number(&w, "version", wants->version);
    putStats(&w, s->world);
    return CliWriter_Finish(&w);
}
