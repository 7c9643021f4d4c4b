// SPDX-License-Identifier: MIT
// snapshot.h - a world as it was: kept, gone back to, and sent elsewhere.
//
//     sdSnapshot* snapshot;
//     sdSnapshot_Create(NULL, &snapshot);
//     sdWorld_Save(world, snapshot);
//     ... any number of steps and changes
//     sdWorld_Restore(world, snapshot);   // as if they had never been
//
// A restored world goes on to the same bits as the one that was saved would have: poses, contacts
// with their impulses and caches, joints, who sleeps, pairs, events that are due, settings. Ids of
// what was there are valid again, and what comes next gets the ids that it would have got.
// Callbacks and the context are not part of it.
//
// Hulls, meshes and compounds are shared and never change, so a snapshot does not copy them: it
// holds references, and a body that was destroyed together with its hull comes back with it. That
// is why a snapshot is an object and not just bytes. The bytes can be had, too, to be stored or
// sent. They have no addresses; in the place of each hull, mesh or compound stands its number in a
// list that the reader has to give again, in the same order: sdSnapshot_GetObjects.
//
// Many snapshots in a row, one a step, are an sdHistory.

#ifndef SUDAR_SNAPSHOT_H
#define SUDAR_SNAPSHOT_H

#include "sudar/world.h"

SD_BEGIN_C

typedef struct sdSnapshot sdSnapshot;

/// Of nothing yet.
/// @param context of its memory; NULL for the default one; copied
SD_API sdResult sdSnapshot_Create(const sdContext* context, sdSnapshot** out);
/// NULL is allowed.
SD_API void sdSnapshot_Destroy(sdSnapshot* snapshot);

/// Keep a world as it is now, in the place of what the snapshot held. Memory is used again.
/// @return SD_ERROR_LOCKED from a callback, SD_ERROR_OUT_OF_MEMORY: the snapshot is as it was
SD_API sdResult sdWorld_Save(const sdWorld* world, sdSnapshot* snapshot);

/// Make a world what it was, or what another one was. The other may have had any number of threads,
/// but must have been made with the same margins and limits of the broad phase.
/// @return SD_ERROR_INVALID_ARGUMENT for an empty snapshot or one of other settings,
///         SD_ERROR_LOCKED from a callback, SD_ERROR_OUT_OF_MEMORY: the world is as it was
SD_API sdResult sdWorld_Restore(sdWorld* world, const sdSnapshot* snapshot);

// ---- as bytes ------------------------------------------------------------------------------

/// The snapshot in one run of bytes, with version and checksum; borrowed until it is changed.
/// @param size receives their number; 0 when the snapshot is empty
/// @return NULL when it is empty
SD_API const void* sdSnapshot_GetBytes(sdSnapshot* snapshot, size_t* size);

/// The hulls, meshes and compounds of the shapes, in the order of the shapes' slots; one that
/// several shapes share is there as often. Borrowed.
/// @return how many there are; the first `capacity` are written
SD_API int sdSnapshot_GetObjects(const sdSnapshot* snapshot, sdShape* out, int capacity);

/// Take bytes that sdSnapshot_GetBytes gave, here or elsewhere, in a build of the same kind. They
/// may come from strangers: the checksum finds accidents, and everything that they say is looked
/// at, so that a world which is restored from them can be used as any other. (It may still be a
/// world that nobody would make.)
/// @param bytes copied
/// @param objects in the order of sdSnapshot_GetObjects; the snapshot keeps references
/// @return SD_ERROR_VERSION for bytes of another version or build, SD_ERROR_BAD_FILE for bytes that
///         are cut short, altered or do not agree with themselves (the log says in what),
///         SD_ERROR_INVALID_ARGUMENT for objects that are not those which were there;
///         the snapshot is as it was
SD_API sdResult sdSnapshot_SetBytes(sdSnapshot* snapshot, const void* bytes, size_t size,
                                    const sdShape* objects, int objectCount);

// ---- history -------------------------------------------------------------------------------

/// The last steps of a world, for going back a few of them and on again, as games do whose players
/// are far apart. The newest is kept as it is, and of each one before it only how it differs from
/// the next.
typedef struct sdHistory sdHistory;

/// Most snapshots of a history.
#define SD_HISTORY_MAX_COUNT 65536

/// @param capacity snapshots that are kept, 1 .. SD_HISTORY_MAX_COUNT; 60 are a second
SD_API sdResult sdHistory_Create(const sdContext* context, int capacity, sdHistory** out);
SD_API void sdHistory_Destroy(sdHistory* history);

/// Add a world as it is now. When the history is full, it forgets the oldest.
/// @return as sdWorld_Save; the history is as it was
SD_API sdResult sdHistory_Record(sdHistory* history, const sdWorld* world);

/// Make a world what it was, and forget what came after.
/// @param back 0: the newest that was recorded; 1: the one before ...
/// @return SD_ERROR_INVALID_ARGUMENT when that was not recorded or is forgotten, else as
///         sdWorld_Restore: history and world are as they were
SD_API sdResult sdHistory_Restore(sdHistory* history, sdWorld* world, int back);

/// Snapshots that there are.
SD_API int sdHistory_GetCount(const sdHistory* history);
/// Memory of all of them.
SD_API size_t sdHistory_GetByteCount(const sdHistory* history);

SD_END_C

#endif
