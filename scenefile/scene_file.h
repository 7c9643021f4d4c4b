// SPDX-License-Identifier: MIT
// scene_file.h - a scene file in memory, and how it comes there.

#ifndef SD_SCENEFILE_SCENE_FILE_H
#define SD_SCENEFILE_SCENE_FILE_H

#include "json.h"
#include "keys.h"
#include "names.h"
#include "read.h"
#include "scenefile.h"

/// An array that grows.
typedef struct sdList {
    char* data;
    size_t itemSize;
    int count, capacity;
} sdList;

/// Room for one more.
/// @return NULL when there is no memory
void* sdList_Add(sdList* list, const sdAllocator* allocator);
void sdList_Free(sdList* list, const sdAllocator* allocator);

/// What a file holds a reference to.
typedef struct sdOwned {
    sdShape shape; ///< hull, mesh or compound; concave
    bool isMesh;   ///< only the mesh, not what is made of it
} sdOwned;

typedef struct sdFileBody {
    sdBodyDoc doc;
    bool hasMass;
    int firstFixture, fixtureCount;
    int node;
} sdFileBody;

typedef struct sdFileFixture {
    sdShapeDef def;
    int node;
} sdFileFixture;

typedef struct sdFileJoint {
    sdJointDef def; ///< bodies are places in the list of bodies
    bool hasAnchor;
    sdPos anchor;
    sdVec3 axis;
    int node;
} sdFileJoint;

struct sdSceneFile {
    sdContext context;
    sdJson json; ///< texts are borrowed from it
    sdSceneDoc doc;
    sdSceneInfo info;
    sdList owned;     ///< sdOwned
    sdList materials; ///< sdMaterial
    sdList meshes;    ///< const sdMesh*
    sdList shapes;    ///< sdShape
    sdList bodies;    ///< sdFileBody
    sdList fixtures;  ///< sdFileFixture
    sdList joints;    ///< sdFileJoint
    sdNames materialNames, meshNames, shapeNames, bodyNames;
};

/// Words of the library about what it refuses.
typedef struct sdCapture {
    sdContext context; ///< to be given to the library
    char text[320];
} sdCapture;

/// @param capture must stay where it is
void sdCapture_Init(sdCapture* capture, const sdContext* context);
/// The reason, without the names of functions.
const char* sdCapture_Reason(sdCapture* capture);

typedef struct sdLoader {
    sdSceneReader reader;
    sdSceneFile* file;
    const char* path;
    const sdMeshReader* meshReader;
    sdCapture capture;
} sdLoader;

/// The meshes, and then the shapes, that have names.
bool sdLoader_ReadMeshes(sdLoader* loader);
bool sdLoader_ReadShapes(sdLoader* loader);
/// A shape by name, or as an object.
bool sdLoader_ReadShape(sdLoader* loader, int node, sdShape* out);

/// Try it out in a world of its own.
bool sdLoader_TryBuild(sdLoader* loader);

#endif
