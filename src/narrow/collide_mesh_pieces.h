// SPDX-License-Identifier: MIT
// collide_mesh_pieces.h - two bodies as pairs of convex pieces: triangles and children.

#ifndef SD_NARROW_COLLIDE_MESH_PIECES_H
#define SD_NARROW_COLLIDE_MESH_PIECES_H

#include "narrow/collide_mesh.h"
#include "narrow/collide_mesh_walk.h"
#include "narrow/pair.h"

/// Two convex pieces.
typedef struct sdPiecePair {
    sdShape a, b;
    sdTransform xf;  ///< b in a's frame
    sdTransform xfA; ///< a's frame in A's
    bool isAMoved;   ///< xfA is not the identity
    int childA;      ///< as in sdSeparation
    int childB;
    int subA; ///< triangle of a mesh that is a compound's child; else SD_NULL_INDEX
    int subB;
    double maxDepth; ///< where they overlap, they do so by no more than this; DBL_MAX: not known
} sdPiecePair;

/// A box around a shape placed by xf, rounded outwards.
sdAABB sdPiece_GetBox(const sdShape* shape, sdTransform xf);

typedef struct sdPieceSearch sdPieceSearch;

/// @return the new bound: pieces whose boxes are further apart are not shown any more;
///         SD_WALK_STOP when nothing more is wanted
typedef float sdPieceVisit(void* arg, const sdPiecePair* pair);

/// One body, the child of a compound or all of it, is inside a solid mesh and touches none of its
/// triangles. `inside` tells which, as two simple shapes.
typedef float sdInsideVisit(void* arg, const sdPieceSearch* inside);

/// A search goes through the children of compounds, two simple shapes at a time (convex or mesh),
/// and from these through the trees to the triangles. One of the two bodies may be a half-space;
/// the bound is then a height over it, and the search cannot move.
struct sdPieceSearch {
    const sdShape* wholeA;
    const sdShape* wholeB;
    sdTransform xfAB;
    bool isMoving;      ///< bounds are fractions of the translation, else distances
    sdVec3 translation; ///< of B, in A's frame
    float bound;
    sdPieceVisit* visit;
    sdInsideVisit* visitInside; ///< NULL: not wanted
    void* arg;
    bool isNearest;  ///< only the nearest two pieces are wanted, not all within the bound
    bool isTouching; ///< to be set by `visit` where two pieces overlap
    bool hasAxis;    ///< may be set by `visit`
    sdVec3 axis;     ///< unit, in a's frame: direction in which the pieces so far are apart

    // the simple shapes that are being looked at
    const sdShape* a;
    const sdShape* b;
    sdTransform xf;
    sdTransform xfA;
    bool isAMoved;
    int childA; ///< of a compound, or SD_NULL_INDEX
    int childB;
    sdPose pose;         ///< xf in double
    float slack;         ///< m, by which boxes and planes may be rounded
    sdWalkAxis walkAxis; ///< made of the axis
    bool isBInside;      ///< for visitInside: b is inside a; else a inside b
    sdVec3 insidePoint;  ///< a point of the inner one, in A's frame
};

/// @return false for shapes or numbers that are not valid, or too large for single precision, and
///         for two half-spaces
bool sdPieces_AreValid(const sdShape* a, const sdShape* b, sdTransform xfAB);

/// Fills in all but what is wanted: bound, visit, arg.
/// @return false where sdPieces_AreValid says so
bool sdPieceSearch_Init(sdPieceSearch* search, const sdShape* a, const sdShape* b,
                        sdTransform xfAB);

/// Over all children.
void sdPieceSearch_Run(sdPieceSearch* search);
/// Over the simple shapes that are set.
void sdPieceSearch_RunSimple(sdPieceSearch* search);

#endif
