// SPDX-License-Identifier: MIT
// view_order.c - see view_order.h.

#include "view_order.h"

#include <stdlib.h>
#include <string.h>

/// Of friction and restitution, by CliMaterial.
static const double maxAmounts[] = {1000.0, 1.0};

// ---- settings ------------------------------------------------------------------------------

/// A value of a setting as it would be typed.
/// @return false for a list, an object, or what is too long for a value
static bool valueText(const sdJson* json, int node, char* out, size_t size) {
    switch (json->nodes[node].type) {
        case SD_JSON_BOOL:
            return snprintf(out, size, "%s", json->nodes[node].boolean ? "yes" : "no") > 0;
        case SD_JSON_NUMBER:
        case SD_JSON_TEXT:
            return (size_t)snprintf(out, size, "%s", sdJson_Text(json, node)) < size;
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

/// A setting of all bodies, whose value is a text so far.
static sdResult readMaterial(CliMaterial material, CliInput* out, CliReason* reason) {
    char* end;
    double amount = strtod(out->value, &end), most = maxAmounts[material];
    if (end == out->value || *end != '\0' || !(amount >= 0.0 && amount <= most)) {
        snprintf(reason->text, sizeof reason->text, "%s must be a number from 0 to %g, not '%.40s'",
                 out->key, most, out->value);
        return SD_ERROR_INVALID_ARGUMENT;
    }
    out->kind = CLI_INPUT_MATERIAL;
    out->material = material;
    out->amount = (float)amount;
    return SD_OK;
}

sdResult CliOrder_ReadSetting(const sdJson* json, int node, sdWorldDef* def, CliInput* out,
                              CliReason* reason) {
    const char* path = sdJson_Key(json, node);
    *out = (CliInput){.kind = CLI_INPUT_SETTING};
    snprintf(out->key, sizeof out->key, "%s", path);
    if (!valueText(json, node, out->value, sizeof out->value)) {
        snprintf(reason->text, sizeof reason->text,
                 "'%.60s' must be a number, a switch or a word, and a short one", path);
        return SD_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; CliMaterialKeys[i] != NULL; ++i) {
        if (strcmp(path, CliMaterialKeys[i]) == 0) {
            return readMaterial((CliMaterial)i, out, reason);
        }
    }
    mergePart(def, path, out);
    sdFault fault = {0};
    sdResult result = sdSetting_Set(def, out->key, out->value, &fault);
    if (result != SD_OK && fault.text[0] != '\0') {
        snprintf(reason->text, sizeof reason->text, "%.*s", (int)sizeof reason->text - 1,
                 fault.text);
    }
    return result;
}

static sdResult readSettings(const sdJson* json, int object, sdWorldDef* def, CliReason* reason) {
    sdResult result = SD_OK;
    CliInput ignored;
    int child = object == SD_NULL_INDEX ? SD_NULL_INDEX : json->nodes[object].firstChild;
    for (; child != SD_NULL_INDEX && result == SD_OK; child = json->nodes[child].next) {
        result = CliOrder_ReadSetting(json, child, def, &ignored, reason);
    }
    return result;
}

// ---- orders --------------------------------------------------------------------------------

bool CliOrder_Read(CliHeard* h, CliOrder* out) {
    int o = CliHeard_Object(h, 0, "options");
    *out = (CliOrder){.number = CliHeard_Whole(h, 0, "number", 0, CLI_MAX_STEP)};
    out->name = CliHeard_Text(h, o, "scene");
    out->options.size = CliHeard_Whole(h, o, "size", 0, INT32_MAX);
    // what a number of JavaScript holds exactly
    out->options.seed = (uint64_t)CliHeard_Number(h, o, "seed", 0.0, 9007199254740992.0);
    out->settings = CliHeard_Object(h, o, "settings");
    out->at = CliHeard_Whole(h, o, "at", 0, CLI_MAX_STEP);
    int file = o != SD_NULL_INDEX ? sdJson_Find(&h->json, o, "file") : SD_NULL_INDEX;
    if (file != SD_NULL_INDEX && h->json.nodes[file].type != SD_JSON_NULL) {
        out->fileName = CliHeard_Text(h, file, "name");
        out->fileText = CliHeard_Text(h, file, "text");
    }
    return h->fault[0] == '\0';
}

// ---- worlds --------------------------------------------------------------------------------

static sdResult parseFile(const CliStock* s, const CliOrder* order, CliSource* out,
                          CliReason* reason) {
    sdFault fault = {0};
    sdResult result = sdSceneFile_Parse(&s->context, order->fileName, order->fileText,
                                        strlen(order->fileText), NULL, &out->own, &fault);
    if (result != SD_OK) {
        sdFault_Describe(&fault, order->fileName, reason->text, sizeof reason->text);
        return result;
    }
    out->file = out->own;
    out->info = CliSceneInfo_OfFile(order->fileName, out->own);
    out->def = *sdSceneFile_GetWorldDef(out->own);
    return SD_OK;
}

static sdResult findSource(const CliStock* s, const CliOrder* order, CliSource* out,
                           CliReason* reason) {
    if (order->fileName != NULL) {
        return parseFile(s, order, out, reason);
    }
    bool isSubject = order->name[0] == '\0' || strcmp(order->name, s->subject->name) == 0;
    if (isSubject && s->subject->file != NULL) {
        out->file = s->subject->file;
        out->info = CliSceneInfo_OfFile(s->subject->name, out->file);
        out->def = s->def;
        return SD_OK;
    }
    out->scene = sdScene_Find(isSubject ? s->subject->name : order->name);
    if (out->scene == NULL) {
        snprintf(reason->text, sizeof reason->text, "there is no scene '%.60s'", order->name);
        return SD_ERROR_INVALID_ARGUMENT;
    }
    int size = order->options.size;
    if (size != 0 && (size < out->scene->minSize || size > out->scene->maxSize)) {
        snprintf(reason->text, sizeof reason->text, "the size of %s is from %d to %d (%s), not %d",
                 order->name, out->scene->minSize, out->scene->maxSize, out->scene->sizeName, size);
        return SD_ERROR_INVALID_ARGUMENT;
    }
    out->info = CliSceneInfo_OfScene(out->scene);
    out->def = isSubject ? s->def : sdScene_GetWorldDef(out->scene);
    return SD_OK;
}

static sdResult buildWorld(const CliStock* s, const CliOrder* order, CliSource* out) {
    sdResult result = sdWorld_Create(&s->context, &out->def, &out->world);
    if (result == SD_OK) {
        sdSceneOptions options = order->options;
        options.context = &s->context;
        result = out->file != NULL ? sdSceneFile_Build(out->file, out->world, NULL)
                                   : sdScene_Build(out->scene, out->world, &options);
    }
    return result;
}

sdResult CliSource_Open(CliSource* out, const CliStock* stock, const CliOrder* order,
                        const sdJson* json, CliReason* reason) {
    *out = (CliSource){0};
    sdResult result = findSource(stock, order, out, reason);
    result = result == SD_OK ? readSettings(json, order->settings, &out->def, reason) : result;
    return result == SD_OK ? buildWorld(stock, order, out) : result;
}

void CliSource_Close(CliSource* source) {
    sdWorld_Destroy(source->world);
    sdSceneFile_Destroy(source->own);
    *source = (CliSource){0};
}
