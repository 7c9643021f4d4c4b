// SPDX-License-Identifier: MIT
// fuzz_message.c - what a page may say to the engine of `sudar view`: a message on each line.

#include "fuzz.h"

#include "view_engine.h"

#include <stdlib.h>
#include <string.h>

#define MAX_MESSAGES 40
/// Times that the engine is let work after a message.
#define WORK_COUNT 2

static const char file[] =
    "{\"sudar\": 1, \"bodies\": [{\"shapes\": [{\"shape\": {\"type\": \"half-space\"}}]},"
    "{\"type\": \"dynamic\", \"position\": [0, 1, 0], \"shapes\": [{\"shape\": {\"type\": "
    "\"sphere\", \"radius\": 0.5}}]}]}";

static void empty(CliEngine* engine) {
    CliMessage* message;
    while ((message = CliEngine_Take(engine)) != NULL) {
        CHECK(message->size > 0);
        CliMessage_Free(message);
    }
    CHECK(!CliEngine_HasMessages(engine));
}

static uint64_t run(const uint8_t* bytes, size_t size) {
    static CliSubject subject;
    if (subject.file == NULL) {
        subject.name = "ball.json";
        CHECK_INT(
            sdSceneFile_Parse(NULL, subject.name, file, strlen(file), NULL, &subject.file, NULL),
            SD_OK);
    }
    sdWorldDef def = sdWorldDef_Default();
    CliEngine* engine = CliEngine_Create(&subject, &def, sdScheduler_GetTasks(NULL));
    CHECK(engine != NULL);
    uint64_t hash = TEST_HASH_START;
    size_t at = 0;
    for (int i = 0; i < MAX_MESSAGES && at < size; ++i) {
        const uint8_t* end = memchr(bytes + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - bytes) - at : size - at;
        // as a socket hands it over: not ended by a zero
        char* text = malloc(length > 0 ? length : 1);
        CHECK(text != NULL);
        memcpy(text, bytes + at, length);
        bool isMessage = CliEngine_Hear(engine, text, length);
        free(text);
        for (int k = 0; k < WORK_COUNT; ++k) {
            CliEngine_Work(engine);
        }
        empty(engine);
        hash = FuzzHash_Int(hash, isMessage);
        at += length + 1;
    }
    CliEngine_Destroy(engine);
    return hash;
}

static void addSeeds(FuzzSeeds* seeds) {
    FuzzSeeds_AddText(
        seeds,
        "{'kind':'open','number':1,'options':{'scene':'ball.json','size':0,'seed':0,'settings':{},"
        "'at':0}}\n{'kind':'drawn'}\n{'kind':'advance','steps':3}\n{'kind':'wants','wants':"
        "{'contacts':true,'joints':true,'boxes':true,'cells':false,'islands':true,'levels':true,"
        "'samples':true,'slice':true,'lines':7936,'lineSize':1,'version':1,'selected':-1,'explain':"
        "{'method':'gjk','a':0,'b':1}}}\n"
        "{'kind':'drawn'}\n{'kind':'grab','origin':[0,1,5],'direction':[0,0,-1]}\n"
        "{'kind':'pull','target':[1,2,0]}\n{'kind':'advance','steps':2}\n{'kind':'letGo'}\n"
        "{'kind':'motion'}\n{'kind':'seek','step':1}\n{'kind':'drawn'}\n"
        "{'kind':'run','isRunning':true}\n{'kind':'speed','value':2}");
    FuzzSeeds_AddText(
        seeds,
        "{'kind':'open','number':2,'options':{'scene':'x','size':0,'seed':1,'settings':"
        "{'solver':'impulse'},'at':2,'file':{'name':'x.json','text':'{}'}}}\n"
        "{'kind':'open','number':1,'options':{'scene':'ball.json','size':0,'seed':0,'settings':"
        "{'subStepCount':3},'at':1}}\n{'kind':'input','input':{'kind':'throw','origin':[0,2,3],"
        "'velocity':[0,0,-9],'radius':0.2}}\n{'kind':'advance','steps':1}\n{'kind':'input','input':"
        "{'kind':'drop','count':2,'size':1,'at':[0,3,0],'vertices':[0,0,0,1,0,0,0,1,0,0,0,1],"
        "'triangles':[0,2,1,0,1,3,0,3,2,1,2,3]}}\n{'kind':'input','input':{'kind':'settings',"
        "'values':{'solver':'soft','bodies.friction':0.5}}}\n{'kind':'advance','steps':2}\n"
        "{'kind':'motion'}");
}

static const char* const words[] = {"{",         "}",          "[",        "]",
                                    "'",         "\n",         "null",     "true",
                                    "-1",        "1e300",      "1e9",      "0.5",
                                    "\"kind\"",  "\"open\"",   "\"at\"",   "\"step\"",
                                    "\"drawn\"", "\"number\"", "\"size\"", "{\"kind\":\"drawn\"}\n",
                                    "\\u0000",   NULL};

const FuzzTarget fuzzTarget = {"message", run, addSeeds, 4096, words};
