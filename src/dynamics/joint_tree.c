// SPDX-License-Identifier: MIT
// joint_tree.c - find slender sets of joints and put those of the same build into lanes.
//
// In:   the active joints of a step, with their rows.
// Out:  groups; joints that are in none are left to sweeps.
// Note: joints of a set are taken in the order of elimination. Two sets are of the same build when
// in
//       that order each joint has as many rows, the same neighbours, and shares the same sides of
//       its bodies with them. Costs about 0.2 µs a joint.

#include "dynamics/joint_tree.h"

#include "base/hash.h"

/// Joints that a body of a slender set has at most.
#define MAX_JOINTS_AT_BODY 8
#define BUCKET_COUNT 64
/// How much rows give, of their inverse masses. Where a loop of joints locks the same twice, enough
/// for floats to tell the two apart.
#define TREE_SOFTNESS 1e-5f
#define LOOP_SOFTNESS 1e-4f

/// Joints that are connected through dynamic bodies.
typedef struct Set {
    int first; ///< in the arrays of joints
    int count;
    int firstEdge, edgeCapacity;
    int firstCoupling, couplingCapacity, couplingCount;
    int belowCount;
    int size;
    int bodyCount; ///< that move
    bool isWide;
    uint64_t build; ///< hash
    int group;
} Set;

/// What is found out about the joints, in the step's memory.
typedef struct Forest {
    sdJointSolver* solver;
    int* parents;             ///< of union and find, then the set of each joint
    Set* sets;                ///< of each root
    int* members;             ///< joints by set, ascending
    int* locals;              ///< of each joint: its place among the members, later its position
    sdEliminated* eliminated; ///< by set, in the order of elimination
    sdTreeCoupling* couplings;
    sdGraphNode* graphNodes;
    sdGraphEdge* graphEdges;
    int* nextInBucket; ///< groups of the same bucket
    int* laneCounts;   ///< of each group
    int* firstSets;    ///< of each group
    int* nextSets;     ///< of each set: the next of its group, by root
} Forest;

static bool hasLocks(const sdActiveJoint* joint) {
    return joint->rows.hasBlock || joint->rows.lockCount > 0;
}

static int findRoot(int* parents, int i) {
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static void unite(int* parents, int a, int b) {
    int rootA = findRoot(parents, a), rootB = findRoot(parents, b);
    parents[sdMaxI(rootA, rootB)] = sdMinI(rootA, rootB);
}

/// The joints with locks at a body, with the side that it has.
/// @return how many; MAX_JOINTS_AT_BODY + 1: too many
static int listAtBody(const sdJointSolver* solver, int state, int* edges) {
    const sdWorld* world = solver->step->world;
    const sdBody* body = &world->bodies.data[solver->step->motions[state].body];
    int count = 0;
    for (int edge = body->firstJoint; edge != SD_NULL_INDEX && count <= MAX_JOINTS_AT_BODY;
         edge = world->joints.data[edge >> 1].next[edge & 1]) {
        int index = world->joints.data[edge >> 1].activeIndex;
        if (index != SD_NULL_INDEX && hasLocks(&solver->joints[index])) {
            if (count < MAX_JOINTS_AT_BODY) {
                edges[count] = index << 1 | (edge & 1);
            }
            count += 1;
        }
    }
    return count;
}

// ---- sets ----------------------------------------------------------------------------------

/// Connect joints through bodies; count what each set will need.
static void findSets(Forest* forest) {
    const sdJointSolver* solver = forest->solver;
    const sdStep* step = solver->step;
    int edges[MAX_JOINTS_AT_BODY];
    for (int i = 0; i < solver->jointCount; ++i) {
        forest->parents[i] = i;
        forest->sets[i] = (Set){.group = SD_NULL_INDEX, .isWide = !hasLocks(&solver->joints[i])};
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < step->bodyCount; ++i) {
            bool isHeld = sdStep_IsPushed(step, i) && step->motions[i].hasJoints;
            int count = isHeld ? listAtBody(solver, i, edges) : 0;
            int listed = sdMinI(count, MAX_JOINTS_AT_BODY);
            for (int j = 1; pass == 0 && j < listed; ++j) {
                unite(forest->parents, edges[0] >> 1, edges[j] >> 1);
            }
            if (pass == 1 && count > 0) {
                Set* set = &forest->sets[findRoot(forest->parents, edges[0] >> 1)];
                set->bodyCount += 1;
                set->couplingCapacity += listed * (listed - 1) / 2;
                set->isWide = set->isWide || count > MAX_JOINTS_AT_BODY;
            }
        }
    }
}

/// Give each set its place in the arrays.
static void placeSets(Forest* forest) {
    const sdJointSolver* solver = forest->solver;
    int member = 0, edge = 0, coupling = 0;
    for (int i = 0; i < solver->jointCount; ++i) {
        forest->sets[findRoot(forest->parents, i)].count += 1;
    }
    for (int i = 0; i < solver->jointCount; ++i) {
        Set* set = &forest->sets[i];
        set->first = member;
        set->firstEdge = edge;
        set->firstCoupling = coupling;
        set->edgeCapacity = set->couplingCapacity + SD_FILL_PER_NODE * set->count;
        member += set->count;
        edge += set->edgeCapacity;
        coupling += set->couplingCapacity;
        set->count = 0;
    }
    for (int i = 0; i < solver->jointCount; ++i) {
        Set* set = &forest->sets[findRoot(forest->parents, i)];
        forest->locals[i] = set->count;
        forest->members[set->first + set->count++] = i;
    }
}

/// Join all joints at the bodies of a joint that come after it among the members.
static bool joinNeighbours(const Forest* forest, sdGraph* graph, int joint) {
    const sdActiveJoint* active = &forest->solver->joints[joint];
    int states[2] = {active->stateA, active->stateB}, edges[MAX_JOINTS_AT_BODY];
    for (int side = 0; side < 2; ++side) {
        bool isPushed = sdStep_IsPushed(forest->solver->step, states[side]);
        int count = isPushed ? listAtBody(forest->solver, states[side], edges) : 0;
        for (int i = 0; i < count; ++i) {
            int other = edges[i] >> 1;
            if (other > joint &&
                !sdGraph_Join(graph, forest->locals[joint], forest->locals[other])) {
                return false;
            }
        }
    }
    return true;
}

/// List the couplings of a joint with those that go before it.
static void listCouplings(const Forest* forest, Set* set, int joint) {
    const sdActiveJoint* active = &forest->solver->joints[joint];
    int states[2] = {active->stateA, active->stateB}, edges[MAX_JOINTS_AT_BODY];
    for (int side = 0; side < 2; ++side) {
        bool isPushed = sdStep_IsPushed(forest->solver->step, states[side]);
        int count = isPushed ? listAtBody(forest->solver, states[side], edges) : 0;
        for (int i = 0; i < count; ++i) {
            int row = forest->locals[joint], column = forest->locals[edges[i] >> 1];
            if (column < row) {
                forest->couplings[set->firstCoupling + set->couplingCount++] =
                    (sdTreeCoupling){row, column, side == 1, (edges[i] & 1) == 1};
            }
        }
    }
}

static int sizeOf(const sdActiveJoint* joint) {
    return (joint->rows.hasBlock ? 3 : 0) + joint->rows.lockCount;
}

/// Hash of all that two sets of the same build have in common.
static uint64_t hashSet(const Forest* forest, const Set* set) {
    uint64_t hash = (uint64_t)set->count;
    for (int i = 0; i < set->count; ++i) {
        const sdEliminated* e = &forest->eliminated[set->first + i];
        const sdJointRows* rows =
            &forest->solver->joints[forest->members[set->first + e->node]].rows;
        uint32_t words[2 + SD_SLENDER_DEGREE] = {rows->hasBlock ? 1u : 0u,
                                                 (uint32_t)rows->lockCount};
        for (int j = 0; j < e->neighbourCount; ++j) {
            words[2 + j] = (uint32_t)e->neighbours[j];
        }
        hash = sdHash_Words(words, (size_t)(2 + e->neighbourCount), hash);
    }
    for (int i = 0; i < set->couplingCount; ++i) {
        const sdTreeCoupling* c = &forest->couplings[set->firstCoupling + i];
        uint32_t words[4] = {(uint32_t)c->row, (uint32_t)c->column, c->rowIsB, c->columnIsB};
        hash = sdHash_Words(words, 4, hash);
    }
    return hash;
}

static void eliminateSet(Forest* forest, Set* set) {
    const int* members = forest->members + set->first;
    sdEliminated* eliminated = forest->eliminated + set->first;
    sdGraph graph = sdGraph_Make(forest->graphNodes + set->first, set->count,
                                 forest->graphEdges + set->firstEdge, set->edgeCapacity);
    bool isSlender = true;
    set->size = 3;
    for (int i = 0; i < set->count && isSlender; ++i) {
        isSlender = joinNeighbours(forest, &graph, members[i]);
        set->size = sizeOf(&forest->solver->joints[members[i]]) > 3 ? 6 : set->size;
    }
    set->isWide = !isSlender || !sdGraph_Eliminate(&graph, eliminated);
    for (int i = 0; !set->isWide && i < set->count; ++i) {
        forest->locals[members[eliminated[i].node]] = i;
        set->belowCount += eliminated[i].neighbourCount;
    }
    for (int i = 0; !set->isWide && i < set->count; ++i) {
        listCouplings(forest, set, members[eliminated[i].node]);
    }
    set->build = set->isWide ? 0 : hashSet(forest, set);
}

static void eliminateSets(void* arg, int begin, int end, int worker) {
    (void)worker;
    Forest* forest = (Forest*)arg;
    for (int i = begin; i < end; ++i) {
        Set* set = &forest->sets[i];
        if (set->count > 0 && !set->isWide) {
            eliminateSet(forest, set);
        }
    }
}

// ---- groups --------------------------------------------------------------------------------

/// Whether two sets are of the same build, whatever their hashes say.
static bool isSameBuild(const Forest* forest, const Set* a, const Set* b) {
    if (a->build != b->build || a->count != b->count || a->couplingCount != b->couplingCount ||
        a->size != b->size || (a->count > a->bodyCount) != (b->count > b->bodyCount)) {
        return false;
    }
    for (int i = 0; i < a->count; ++i) {
        const sdEliminated* ea = &forest->eliminated[a->first + i];
        const sdEliminated* eb = &forest->eliminated[b->first + i];
        const sdJointRows* ra = &forest->solver->joints[forest->members[a->first + ea->node]].rows;
        const sdJointRows* rb = &forest->solver->joints[forest->members[b->first + eb->node]].rows;
        if (ea->neighbourCount != eb->neighbourCount || ra->hasBlock != rb->hasBlock ||
            ra->lockCount != rb->lockCount) {
            return false;
        }
        for (int j = 0; j < ea->neighbourCount; ++j) {
            if (ea->neighbours[j] != eb->neighbours[j]) {
                return false;
            }
        }
    }
    for (int i = 0; i < a->couplingCount; ++i) {
        const sdTreeCoupling* ca = &forest->couplings[a->firstCoupling + i];
        const sdTreeCoupling* cb = &forest->couplings[b->firstCoupling + i];
        if (ca->row != cb->row || ca->column != cb->column || ca->rowIsB != cb->rowIsB ||
            ca->columnIsB != cb->columnIsB) {
            return false;
        }
    }
    return true;
}

/// Put sets into groups of up to eight.
/// @return how many groups there are
static int groupSets(Forest* forest) {
    int buckets[BUCKET_COUNT], groupCount = 0;
    for (int i = 0; i < BUCKET_COUNT; ++i) {
        buckets[i] = SD_NULL_INDEX;
    }
    for (int i = 0; i < forest->solver->jointCount; ++i) {
        Set* set = &forest->sets[i];
        if (set->count == 0 || set->isWide) {
            continue;
        }
        int* bucket = &buckets[set->build % BUCKET_COUNT];
        int group = *bucket;
        while (group != SD_NULL_INDEX &&
               (forest->laneCounts[group] == SD_LANES ||
                !isSameBuild(forest, set, &forest->sets[forest->firstSets[group]]))) {
            group = forest->nextInBucket[group];
        }
        if (group == SD_NULL_INDEX) {
            group = groupCount++;
            forest->nextInBucket[group] = *bucket;
            *bucket = group;
            forest->laneCounts[group] = 0;
            forest->firstSets[group] = SD_NULL_INDEX;
        }
        forest->laneCounts[group] += 1;
        forest->nextSets[i] = forest->firstSets[group];
        forest->firstSets[group] = i;
        set->group = group;
    }
    return groupCount;
}

static int jointAt(const Forest* forest, const Set* set, int position) {
    return forest->members[set->first + forest->eliminated[set->first + position].node];
}

/// Most rows that a lane of a node has.
static int countRows(const Forest* forest, int group, int position) {
    int most = 0;
    for (int s = forest->firstSets[group]; s != SD_NULL_INDEX; s = forest->nextSets[s]) {
        int joint = jointAt(forest, &forest->sets[s], position);
        most = sdMaxI(most, forest->solver->joints[joint].rows.count);
    }
    return most;
}

/// Take a group's memory and tell its joints where they are.
static bool makeGroup(Forest* forest, sdTreeGroup* group, int index) {
    sdArena* arena = &forest->solver->step->world->arena;
    const Set* set = &forest->sets[forest->firstSets[index]];
    size_t nodes = (size_t)set->count, size = (size_t)set->size;
    *group = (sdTreeGroup){
        .size = set->size,
        .nodeCount = set->count,
        .couplingCount = set->couplingCount,
        .couplings = forest->couplings + set->firstCoupling,
        .belowCount = set->belowCount,
        .nodes = sdArena_Alloc(arena, nodes, sizeof *group->nodes),
        .rows = sdArena_Alloc(arena, nodes * size, sizeof *group->rows),
        .diagonal = sdArena_Alloc(arena, nodes * size * size, sizeof *group->diagonal),
        .below = sdArena_Alloc(arena, (size_t)set->belowCount * size * size + 1, sizeof(sdF8)),
        .vector = sdArena_Alloc(arena, nodes * size, sizeof *group->vector),
        .gives = sdArena_Alloc(arena, nodes * size, sizeof *group->gives),
        .softness = set->count > set->bodyCount ? LOOP_SOFTNESS : TREE_SOFTNESS,
    };
    if (group->nodes == NULL || group->rows == NULL || group->diagonal == NULL ||
        group->below == NULL || group->vector == NULL || group->gives == NULL) {
        return false;
    }
    int below = 0;
    for (int i = 0; i < set->count; ++i) {
        sdTreeNode* node = &group->nodes[i];
        int rowCount = countRows(forest, index, i), lane = 0;
        node->pattern = &forest->eliminated[set->first + i];
        node->firstBelow = below;
        below += node->pattern->neighbourCount;
        node->batch = sdJointBatch_Alloc(arena, rowCount);
        if (node->batch == NULL) {
            return false;
        }
        for (int s = forest->firstSets[index]; s != SD_NULL_INDEX; s = forest->nextSets[s]) {
            sdActiveJoint* joint = &forest->solver->joints[jointAt(forest, &forest->sets[s], i)];
            joint->batch = node->batch;
            joint->lane = lane;
            joint->isInTree = true;
            node->batch->joints[lane++] = jointAt(forest, &forest->sets[s], i);
        }
    }
    return true;
}

static bool takeMemory(Forest* forest) {
    sdArena* arena = &forest->solver->step->world->arena;
    size_t count = (size_t)forest->solver->jointCount;
    forest->parents = sdArena_Alloc(arena, count, sizeof *forest->parents);
    forest->sets = sdArena_Alloc(arena, count, sizeof *forest->sets);
    forest->members = sdArena_Alloc(arena, count, sizeof *forest->members);
    forest->locals = sdArena_Alloc(arena, count, sizeof *forest->locals);
    forest->eliminated = sdArena_Alloc(arena, count, sizeof *forest->eliminated);
    forest->graphNodes = sdArena_Alloc(arena, count, sizeof *forest->graphNodes);
    forest->nextInBucket = sdArena_Alloc(arena, count, sizeof *forest->nextInBucket);
    forest->laneCounts = sdArena_Alloc(arena, count, sizeof *forest->laneCounts);
    forest->firstSets = sdArena_Alloc(arena, count, sizeof *forest->firstSets);
    forest->nextSets = sdArena_Alloc(arena, count, sizeof *forest->nextSets);
    return forest->parents != NULL && forest->sets != NULL && forest->members != NULL &&
           forest->locals != NULL && forest->eliminated != NULL && forest->graphNodes != NULL &&
           forest->nextInBucket != NULL && forest->laneCounts != NULL &&
           forest->firstSets != NULL && forest->nextSets != NULL;
}

bool sdJointSolver_FindTrees(sdJointSolver* solver) {
    sdArena* arena = &solver->step->world->arena;
    const sdTaskSystem* tasks = &solver->step->world->context.tasks;
    Forest forest = {.solver = solver};
    if (!takeMemory(&forest)) {
        return false;
    }
    findSets(&forest);
    placeSets(&forest);
    const Set* last = &forest.sets[solver->jointCount - 1];
    size_t edges = (size_t)(last->firstEdge + last->edgeCapacity);
    size_t couplings = (size_t)(last->firstCoupling + last->couplingCapacity);
    forest.graphEdges = sdArena_Alloc(arena, edges + 1, sizeof *forest.graphEdges);
    forest.couplings = sdArena_Alloc(arena, couplings + 1, sizeof *forest.couplings);
    if (forest.graphEdges == NULL || forest.couplings == NULL) {
        return false;
    }
    tasks->parallelFor(tasks->user, eliminateSets, &forest, solver->jointCount, 16);
    solver->groupCount = groupSets(&forest);
    solver->groups = sdArena_Alloc(arena, (size_t)solver->groupCount + 1, sizeof *solver->groups);
    for (int i = 0; i < solver->groupCount; ++i) {
        if (solver->groups == NULL || !makeGroup(&forest, &solver->groups[i], i)) {
            return false;
        }
    }
    return solver->groups != NULL;
}
