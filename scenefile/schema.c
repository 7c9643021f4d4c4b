// SPDX-License-Identifier: MIT
// schema.c - the JSON Schema of scene files, from the tables that they are read by.

#include "text_out.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/// Tables that may be told of.
#define MAX_TABLES 64

typedef struct Schema {
    sdTextOut out;
    const sdTable* tables[MAX_TABLES]; ///< known so far, in the order in which they are written
    int tableCount;
} Schema;

static void remember(Schema* s, const sdTable* table) {
    for (int i = 0; i < s->tableCount; ++i) {
        if (s->tables[i] == table) {
            return;
        }
    }
    if (s->tableCount < MAX_TABLES) {
        s->tables[s->tableCount++] = table;
    }
}

/// Kinds of shapes stand apart from what has the same name.
static const char* prefixOf(const sdTable* table) {
    for (int i = 0; i < sdShapeTable.variantCount; ++i) {
        if (sdShapeTable.variants[i] == table) {
            return "shape-";
        }
    }
    return "";
}

static void writeReference(Schema* s, const sdTable* table) {
    remember(s, table);
    sdTextOut_Print(&s->out, "\"$ref\": \"#/$defs/%s%s\"", prefixOf(table), table->id);
}

static void writeWords(Schema* s, const sdWord* words) {
    sdTextOut_Put(&s->out, "\"enum\": [");
    for (int i = 0; words[i].word != NULL; ++i) {
        sdTextOut_Print(&s->out, "%s\"%s\"", i > 0 ? ", " : "", words[i].word);
    }
    sdTextOut_Put(&s->out, "]");
}

static void writeRange(Schema* s, const sdKey* key) {
    bool hasRange = key->min != 0.0 || key->max != 0.0;
    if (hasRange && key->min > -(double)FLT_MAX) {
        sdTextOut_Print(&s->out, ", \"minimum\": %.10g", key->min);
    }
    if (hasRange && key->max < (double)FLT_MAX) {
        sdTextOut_Print(&s->out, ", \"maximum\": %.10g", key->max);
    }
}

/// A number, or a text with a unit.
static void writeNumber(Schema* s, const sdKey* key) {
    if (key->unit == SD_UNIT_NONE) {
        sdTextOut_Put(&s->out, "\"type\": \"number\"");
        writeRange(s, key);
        return;
    }
    sdTextOut_Put(&s->out, "\"anyOf\": [{\"type\": \"number\"");
    writeRange(s, key);
    sdTextOut_Put(&s->out, "}, {\"type\": \"string\", \"pattern\": \"^-?[0-9][-+.0-9eE]* ?");
    if (key->unit == SD_UNIT_DRIVE) {
        sdTextOut_Put(&s->out, "[a-zA-Z/ ]+$\"}]");
        return;
    }
    sdTextOut_Put(&s->out, "(");
    for (const char* c = sdUnit_Words(key->unit); *c != '\0'; ++c) {
        bool isComma = c[0] == ',';
        sdTextOut_Print(&s->out, "%c", isComma ? '|' : *c);
        c += isComma ? 1 : 0;
    }
    sdTextOut_Put(&s->out, ")$\"}]");
}

static void writeNumbers(Schema* s, const sdKey* key, int count) {
    sdTextOut_Put(&s->out, "\"type\": \"array\", \"items\": {");
    writeNumber(s, key);
    sdTextOut_Put(&s->out, "}");
    if (count > 0) {
        sdTextOut_Print(&s->out, ", \"minItems\": %d, \"maxItems\": %d", count, count);
    }
}

static void writeForm(Schema* s, const sdKey* key) {
    switch (key->form) {
        case SD_FORM_OBJECTS:
            sdTextOut_Put(&s->out, "\"type\": \"array\", \"items\": {");
            writeReference(s, key->table);
            sdTextOut_Put(&s->out, "}");
            break;
        case SD_FORM_NAMED:
            sdTextOut_Put(&s->out, "\"type\": \"object\", \"additionalProperties\": {");
            writeReference(s, key->table);
            sdTextOut_Put(&s->out, "}");
            break;
        case SD_FORM_NAME_OR_OBJECT:
            sdTextOut_Put(&s->out, "\"anyOf\": [{\"type\": \"string\"}, {");
            writeReference(s, key->table);
            sdTextOut_Put(&s->out, "}]");
            break;
        case SD_FORM_NAME:
            sdTextOut_Put(&s->out, "\"type\": \"string\"");
            break;
        case SD_FORM_NAME_OR_INDEX:
            sdTextOut_Put(&s->out, "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"integer\", "
                                   "\"minimum\": 0}]");
            break;
        case SD_FORM_NUMBERS:
            writeNumbers(s, key, 0);
            break;
        case SD_FORM_INTEGERS:
            sdTextOut_Put(&s->out, "\"type\": \"array\", \"items\": {\"type\": \"integer\", "
                                   "\"minimum\": 0}");
            break;
    }
}

static void writeRotation(Schema* s) {
    sdTextOut_Put(&s->out,
                  "\"anyOf\": [{\"type\": \"array\", \"items\": {\"type\": \"number\"}, "
                  "\"minItems\": 4, \"maxItems\": 4}, {\"type\": \"object\", \"properties\": "
                  "{\"axis\": {\"type\": \"array\", \"items\": {\"type\": \"number\"}, "
                  "\"minItems\": 3, \"maxItems\": 3}, \"degrees\": {\"type\": \"number\"}, "
                  "\"radians\": {\"type\": \"number\"}}, \"required\": [\"axis\"], ");
    sdTextOut_Put(&s->out, "\"additionalProperties\": false, \"minProperties\": 2, "
                           "\"maxProperties\": 2}]");
}

static void writeValue(Schema* s, const sdTable* table, const sdKey* key) {
    switch (key->kind) {
        case SD_KEY_BOOL:
            sdTextOut_Put(&s->out, "\"type\": \"boolean\"");
            break;
        case SD_KEY_INT:
        case SD_KEY_BITS:
            sdTextOut_Put(&s->out, "\"type\": \"integer\"");
            writeRange(s, key);
            break;
        case SD_KEY_ID:
            sdTextOut_Put(&s->out, "\"type\": \"integer\", \"minimum\": 0");
            break;
        case SD_KEY_FLOAT:
            writeNumber(s, key);
            break;
        case SD_KEY_VECTOR:
        case SD_KEY_POSITION:
            writeNumbers(s, key, 3);
            break;
        case SD_KEY_ROTATION:
            writeRotation(s);
            break;
        case SD_KEY_TENSOR:
            sdTextOut_Put(&s->out, "\"type\": \"array\", \"items\": {");
            writeNumber(s, key);
            sdTextOut_Put(&s->out, "}, \"minItems\": 3, \"maxItems\": 9");
            break;
        case SD_KEY_TEXT:
        case SD_KEY_IGNORED:
            sdTextOut_Put(&s->out, "\"type\": \"string\"");
            break;
        case SD_KEY_WORD:
            writeWords(s, key->words);
            break;
        case SD_KEY_WORDS:
            sdTextOut_Put(&s->out, "\"type\": \"array\", \"items\": {");
            writeWords(s, key->words);
            sdTextOut_Put(&s->out, "}");
            break;
        case SD_KEY_OBJECT:
            writeReference(s, key->table);
            break;
        case SD_KEY_TAG:
            sdTextOut_Print(&s->out, "\"const\": \"%s\"", table->id);
            break;
        case SD_KEY_NODE:
            writeForm(s, key);
            break;
    }
}

static void writeKeys(Schema* s, const sdTable* table, const char* margin) {
    sdTextOut_Print(&s->out, "%s\"type\": \"object\",\n%s\"properties\": {", margin, margin);
    for (int i = 0; i < table->keyCount; ++i) {
        const sdKey* key = &table->keys[i];
        sdTextOut_Print(&s->out, "%s\n%s  \"%s\": {", i > 0 ? "," : "", margin, key->name);
        writeValue(s, table, key);
        sdTextOut_Put(&s->out, ", \"description\": ");
        sdTextOut_Text(&s->out, key->text);
        sdTextOut_Put(&s->out, "}");
    }
    sdTextOut_Print(&s->out, "\n%s},\n%s\"required\": [", margin, margin);
    bool isFirst = true;
    for (int i = 0; i < table->keyCount; ++i) {
        if (table->keys[i].isRequired) {
            sdTextOut_Print(&s->out, "%s\"%s\"", isFirst ? "" : ", ", table->keys[i].name);
            isFirst = false;
        }
    }
    sdTextOut_Print(&s->out, "],\n%s\"additionalProperties\": false", margin);
}

static void writeTable(Schema* s, const sdTable* table, const char* margin) {
    if (table->text != NULL) {
        sdTextOut_Print(&s->out, "%s\"description\": ", margin);
        sdTextOut_Text(&s->out, table->text);
        sdTextOut_Put(&s->out, ",\n");
    }
    if (table->variantCount == 0) {
        writeKeys(s, table, margin);
        return;
    }
    sdTextOut_Print(&s->out, "%s\"oneOf\": [", margin);
    for (int i = 0; i < table->variantCount; ++i) {
        sdTextOut_Put(&s->out, i > 0 ? ", {" : "{");
        writeReference(s, table->variants[i]);
        sdTextOut_Put(&s->out, "}");
    }
    sdTextOut_Put(&s->out, "]");
}

sdResult sdSceneFile_WriteSchema(sdTextFcn* write, void* user) {
    if (write == NULL) {
        return SD_ERROR_INVALID_ARGUMENT;
    }
    Schema s = {.out = {.write = write, .user = user}};
    sdTextOut_Put(&s.out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                          "  \"title\": \"Sudar scene\",\n");
    writeTable(&s, &sdSceneTable, "  ");
    sdTextOut_Put(&s.out, ",\n  \"$defs\": {");
    // writing one may remember others
    for (int i = 0; i < s.tableCount; ++i) {
        const sdTable* table = s.tables[i];
        sdTextOut_Print(&s.out, "%s\n    \"%s%s\": {\n", i > 0 ? "," : "", prefixOf(table),
                        table->id);
        writeTable(&s, table, "      ");
        sdTextOut_Put(&s.out, "\n    }");
    }
    sdTextOut_Put(&s.out, "\n  }\n}\n");
    return sdTextOut_Finish(&s.out);
}
