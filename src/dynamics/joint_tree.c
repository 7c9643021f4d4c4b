// SPDX-License-Identifier: MIT
// joint_tree.c - find slender sets of joints and put those of the same build into lanes.
//
// In:   the active joints of a step, with their rows.
// Out:  groups; joints that are in none are left to sweeps.
// Note: joints of a set are taken in the order of elimination. Two sets are of the same build when
//       in that order each joint has as many rows, the same neighbours, and the same bodies, which
//       are numbered as they come. That costs about 0.5 µs a joint, so it is kept (joint_plan.h).

#include "dynamics/joint_plan.h"

#include "base/hash.h"

/// Joints that a body of a slender set has at most.
#define MAX_JOINTS_AT_BODY 8
#define BUCKET_COUNT 64
/// How much rows give, of their inverse masses. Where a loop of joints locks the same twice, enough
/// for floats to tell the two apart.
#define TREE_SOFTNESS 1e-5f
#define LOOP_SOFTNESS 1e-4f
/// Couplings of two joints that share both bodies.
#define MAX_COUPLINGS (2 * SD_TREE_JOINT_BLOCKS * SD_TREE_JOINT_BLOCKS)

/// Joints that are connected through dynamic bodies.
typedef struct Set {
    int first; ///< in the arrays of joints
    int count;
    int firstEdge, edgeCapacity;
    int pairCount; ///< of joints at a body
    int bodyCount; ///< that move
    int slotCount; ///< those that do not count for each joint
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
    int* stateSlots;          ///< of each state that moves
    int* slotsA;              ///< of each joint's bodies
    int* slotsB;
    sdGraphNode* graphNodes;
    sdGraphEdge* graphEdges;
    int* nextInBucket; ///< of each group that is the first of its family: that of another one
    int* lastGroups;   ///< of these: of the family
    int* families;     ///< of each group: the first of its family
    int* laneCounts;   ///< of each group
    int* firstSets;    ///< of each group
    int* nextSets;     ///< of each set: the next of its group, by root
} Forest;

static bool hasLocks(const sdActiveJoint* joint) {
    return joint->rows->hasBlock || joint->rows->lockCount > 0;
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

/// Connect the joints with locks at a body, however many there are.
static void uniteAtBody(const Forest* forest, int state) {
    const sdJointSolver* solver = forest->solver;
    const sdWorld* world = solver->step->world;
    const sdBody* body = &world->bodies.data[solver->step->motions[state].body];
    int first = SD_NULL_INDEX;
    for (int edge = body->firstJoint; edge != SD_NULL_INDEX;
         edge = world->joints.data[edge >> 1].next[edge & 1]) {
        int index = world->joints.data[edge >> 1].activeIndex;
        if (index != SD_NULL_INDEX && hasLocks(&solver->joints[index])) {
            first = first != SD_NULL_INDEX ? first : index;
            unite(forest->parents, first, index);
        }
    }
}

/// Count what the set of the joints at a body will need.
static void countAtBody(const Forest* forest, int state) {
    int edges[MAX_JOINTS_AT_BODY], count = listAtBody(forest->solver, state, edges);
    int listed = sdMinI(count, MAX_JOINTS_AT_BODY);
    if (count > 0) {
        Set* set = &forest->sets[findRoot(forest->parents, edges[0] >> 1)];
        set->bodyCount += 1;
        set->pairCount += listed * (listed - 1) / 2;
        set->isWide = set->isWide || count > MAX_JOINTS_AT_BODY;
    }
}

/// Connect joints through bodies; count what each set will need.
static void findSets(Forest* forest) {
    const sdJointSolver* solver = forest->solver;
    const sdStep* step = solver->step;
    for (int i = 0; i < solver->jointCount; ++i) {
        forest->parents[i] = i;
        forest->sets[i] = (Set){.group = SD_NULL_INDEX, .isWide = !hasLocks(&solver->joints[i])};
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < step->bodyCount; ++i) {
            if (!sdStep_IsPushed(step, i) || !step->motions[i].hasJoints) {
                continue;
            }
            if (pass == 0) {
                uniteAtBody(forest, i);
            } else {
                countAtBody(forest, i);
            }
        }
    }
}

/// Give each set its place in the arrays.
static void placeSets(Forest* forest) {
    const sdJointSolver* solver = forest->solver;
    int member = 0, edge = 0;
    for (int i = 0; i < solver->jointCount; ++i) {
        forest->sets[findRoot(forest->parents, i)].count += 1;
    }
    for (int i = 0; i < solver->jointCount; ++i) {
        Set* set = &forest->sets[i];
        set->first = member;
        set->firstEdge = edge;
        set->edgeCapacity = set->pairCount + SD_FILL_PER_NODE * set->count;
        member += set->count;
        edge += set->edgeCapacity;
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

static int jointAt(const Forest* forest, const Set* set, int position) {
    return forest->members[set->first + forest->eliminated[set->first + position].node];
}

/// Number the bodies of a set as its joints come.
static void numberBodies(Forest* forest, Set* set) {
    const sdStep* step = forest->solver->step;
    for (int i = 0; i < set->count; ++i) {
        int joint = jointAt(forest, set, i);
        const sdActiveJoint* active = &forest->solver->joints[joint];
        int states[2] = {active->stateA, active->stateB}, slots[2];
        for (int side = 0; side < 2; ++side) {
            bool isPushed = sdStep_IsPushed(step, states[side]);
            int known = isPushed ? forest->stateSlots[states[side]] : SD_NULL_INDEX;
            slots[side] = known != SD_NULL_INDEX ? known : set->slotCount++;
            if (isPushed) {
                forest->stateSlots[states[side]] = slots[side];
            }
        }
        forest->slotsA[joint] = slots[0];
        forest->slotsB[joint] = slots[1];
    }
}

/// What two sets of the same build have in common of a joint.
/// @return how many words
static int describe(const Forest* forest, const Set* set, int position,
                    uint32_t words[4 + SD_SLENDER_DEGREE]) {
    const sdEliminated* e = &forest->eliminated[set->first + position];
    int joint = jointAt(forest, set, position);
    const sdJointRows* rows = forest->solver->joints[joint].rows;
    words[0] = rows->hasBlock ? 1u : 0u;
    words[1] = (uint32_t)rows->lockCount;
    words[2] = (uint32_t)forest->slotsA[joint];
    words[3] = (uint32_t)forest->slotsB[joint];
    for (int j = 0; j < e->neighbourCount; ++j) {
        words[4 + j] = (uint32_t)e->neighbours[j];
    }
    return 4 + e->neighbourCount;
}

static uint64_t hashSet(const Forest* forest, const Set* set) {
    uint64_t hash = (uint64_t)set->count;
    for (int i = 0; i < set->count; ++i) {
        uint32_t words[4 + SD_SLENDER_DEGREE];
        int count = describe(forest, set, i, words);
        hash = sdHash_Words(words, (size_t)count, hash);
    }
    return hash;
}

static void eliminateSet(Forest* forest, Set* set) {
    const int* members = forest->members + set->first;
    sdEliminated* eliminated = forest->eliminated + set->first;
    sdGraph graph = sdGraph_Make(forest->graphNodes + set->first, set->count,
                                 forest->graphEdges + set->firstEdge, set->edgeCapacity);
    bool isSlender = true;
    for (int i = 0; i < set->count && isSlender; ++i) {
        isSlender = joinNeighbours(forest, &graph, members[i]);
    }
    set->isWide = !isSlender || !sdGraph_Eliminate(&graph, eliminated);
    if (!set->isWide) {
        numberBodies(forest, set);
        set->build = hashSet(forest, set);
    }
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
    if (a->build != b->build || a->count != b->count || a->slotCount != b->slotCount ||
        a->bodyCount != b->bodyCount) {
        return false;
    }
    for (int i = 0; i < a->count; ++i) {
        uint32_t wordsA[4 + SD_SLENDER_DEGREE], wordsB[4 + SD_SLENDER_DEGREE];
        int count = describe(forest, a, i, wordsA);
        if (describe(forest, b, i, wordsB) != count ||
            memcmp(wordsA, wordsB, (size_t)count * sizeof wordsA[0]) != 0) {
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
        int family = *bucket;
        while (family != SD_NULL_INDEX &&
               !isSameBuild(forest, set, &forest->sets[forest->firstSets[family]])) {
            family = forest->nextInBucket[family];
        }
        if (family == SD_NULL_INDEX) {
            family = groupCount;
            forest->nextInBucket[family] = *bucket;
            *bucket = family;
        }
        if (family == groupCount || forest->laneCounts[forest->lastGroups[family]] == SD_LANES) {
            forest->lastGroups[family] = groupCount;
            forest->families[groupCount] = family;
            forest->laneCounts[groupCount] = 0;
            forest->firstSets[groupCount] = SD_NULL_INDEX;
            groupCount += 1;
        }
        int group = forest->lastGroups[family];
        forest->laneCounts[group] += 1;
        forest->nextSets[i] = forest->firstSets[group];
        forest->firstSets[group] = i;
        set->group = group;
    }
    return groupCount;
}

// ---- plans ---------------------------------------------------------------------------------

/// A plan while it is made.
typedef struct Draft {
    const Forest* forest;
    const Set* set;
    sdTreePlan* plan;
    sdTreeNode* nodes;
    sdTreeBlock* blocks;
    sdTreeCoupling* couplings;
    int* targets;
    sdTreeSlot* slots;
} Draft;

static int countBlocks(const sdJointRows* rows) {
    return (rows->hasBlock ? 1 : 0) + (rows->lockCount + 2) / 3;
}

static const sdJointRows* rowsAt(const Draft* draft, int position) {
    return draft->forest->solver->joints[jointAt(draft->forest, draft->set, position)].rows;
}

/// Where the block of two is, below the diagonal.
static int belowOf(const Draft* draft, int row, int column) {
    const sdTreeBlock* block = &draft->blocks[column];
    int i = 0;
    while (i + 1 < block->neighbourCount && block->neighbours[i] != row) {
        i += 1;
    }
    return block->firstBelow + i;
}

static void addNodes(Draft* draft) {
    const Forest* forest = draft->forest;
    sdTreePlan* plan = draft->plan;
    for (int i = 0; i < draft->set->count; ++i) {
        int joint = jointAt(forest, draft->set, i), count = countBlocks(rowsAt(draft, i));
        draft->nodes[i] =
            (sdTreeNode){forest->slotsA[joint], forest->slotsB[joint], plan->blockCount, count};
        draft->slots[forest->slotsA[joint]] = (sdTreeSlot){i, false};
        draft->slots[forest->slotsB[joint]] = (sdTreeSlot){i, true};
        plan->blockCount += count;
    }
}

/// Blocks of a joint are neighbours of each other and of all blocks of the joint's neighbours.
static void addBlocks(Draft* draft, int position) {
    const sdEliminated* e = &draft->forest->eliminated[draft->set->first + position];
    const sdTreeNode* node = &draft->nodes[position];
    bool hasBlock = rowsAt(draft, position)->hasBlock;
    for (int i = 0; i < node->blockCount; ++i) {
        sdTreeBlock* block = &draft->blocks[node->firstBlock + i];
        *block =
            (sdTreeBlock){.node = position,
                          .firstRow = hasBlock ? (i == 0 ? SD_NULL_INDEX : 3 * (i - 1)) : 3 * i,
                          .firstBelow = draft->plan->belowCount};
        for (int j = i + 1; j < node->blockCount; ++j) {
            block->neighbours[block->neighbourCount++] = node->firstBlock + j;
        }
        for (int j = 0; j < e->neighbourCount; ++j) {
            const sdTreeNode* other = &draft->nodes[e->neighbours[j]];
            for (int k = 0; k < other->blockCount; ++k) {
                block->neighbours[block->neighbourCount++] = other->firstBlock + k;
            }
        }
        draft->plan->belowCount += block->neighbourCount;
    }
}

/// Couplings of a joint with another that comes later, or with itself.
static void addCouplings(Draft* draft, int position, int later) {
    const sdTreeNode *column = &draft->nodes[position], *row = &draft->nodes[later];
    int rowSlots[2] = {row->bodyA, row->bodyB}, columnSlots[2] = {column->bodyA, column->bodyB};
    for (int i = 0; i < 4 * row->blockCount * column->blockCount; ++i) {
        int sideR = i & 1, sideC = i >> 1 & 1;
        int r = row->firstBlock + (i >> 2) % row->blockCount;
        int c = column->firstBlock + (i >> 2) / row->blockCount;
        if (rowSlots[sideR] == columnSlots[sideC] && r > c) {
            draft->couplings[draft->plan->couplingCount++] =
                (sdTreeCoupling){r, c, sideR == 1, sideC == 1, belowOf(draft, r, c)};
        }
    }
}

/// Where the products of the neighbours of blocks go.
static void addTargets(Draft* draft) {
    int count = 0;
    for (int b = 0; b < draft->plan->blockCount; ++b) {
        sdTreeBlock* block = &draft->blocks[b];
        block->firstTarget = count;
        for (int i = 0; i < block->neighbourCount; ++i) {
            for (int j = i; j < block->neighbourCount; ++j) {
                draft->targets[count++] =
                    i == j ? SD_NULL_INDEX
                           : belowOf(draft, block->neighbours[j], block->neighbours[i]);
            }
        }
    }
}

static int countTargets(const Draft* draft) {
    int count = 0;
    for (int b = 0; b < draft->plan->blockCount; ++b) {
        int n = draft->blocks[b].neighbourCount;
        count += n * (n + 1) / 2;
    }
    return count;
}

/// Tell which joints a group has.
static bool addJoints(const Forest* forest, int group, sdArena* arena, sdTreePlan* plan) {
    int* joints = sdArena_Alloc(arena, (size_t)plan->nodeCount * SD_LANES, sizeof *joints);
    if (joints == NULL) {
        return false;
    }
    for (int i = 0; i < plan->nodeCount * SD_LANES; ++i) {
        joints[i] = SD_NULL_INDEX;
    }
    int lane = 0;
    for (int s = forest->firstSets[group]; s != SD_NULL_INDEX; s = forest->nextSets[s], ++lane) {
        for (int i = 0; i < plan->nodeCount; ++i) {
            joints[i * SD_LANES + lane] = jointAt(forest, &forest->sets[s], i);
        }
    }
    plan->joints = joints;
    plan->laneCount = lane;
    return true;
}

/// Draw up the plan of a family in memory that stays.
static bool makePlan(const Forest* forest, const Set* set, sdArena* arena, sdTreePlan* plan) {
    size_t count = (size_t)set->count, blocks = count * SD_TREE_JOINT_BLOCKS;
    size_t pairs = (size_t)set->pairCount + count;
    *plan = (sdTreePlan){.nodeCount = set->count,
                         .bodyCount = set->slotCount,
                         .isLoop = set->count > set->bodyCount,
                         .softness = set->count > set->bodyCount ? LOOP_SOFTNESS : TREE_SOFTNESS};
    Draft draft = {
        .forest = forest,
        .set = set,
        .plan = plan,
        .nodes = sdArena_Alloc(arena, count, sizeof *draft.nodes),
        .blocks = sdArena_Alloc(arena, blocks, sizeof *draft.blocks),
        .couplings = sdArena_Alloc(arena, pairs * MAX_COUPLINGS, sizeof *draft.couplings),
        .slots = sdArena_Alloc(arena, (size_t)set->slotCount, sizeof *draft.slots),
    };
    if (draft.nodes == NULL || draft.blocks == NULL || draft.couplings == NULL ||
        draft.slots == NULL) {
        return false;
    }
    addNodes(&draft);
    for (int i = 0; i < set->count; ++i) {
        addBlocks(&draft, i);
    }
    draft.targets = sdArena_Alloc(arena, (size_t)countTargets(&draft) + 1, sizeof *draft.targets);
    if (draft.targets == NULL) {
        return false;
    }
    addTargets(&draft);
    for (int i = 0; i < set->count; ++i) {
        const sdEliminated* e = &forest->eliminated[set->first + i];
        addCouplings(&draft, i, i);
        for (int j = 0; j < e->neighbourCount; ++j) {
            addCouplings(&draft, i, e->neighbours[j]);
        }
    }
    plan->nodes = draft.nodes;
    plan->blocks = draft.blocks;
    plan->couplings = draft.couplings;
    plan->targets = draft.targets;
    plan->slots = draft.slots;
    return true;
}

/// The plans of all groups.
static bool makePlans(const Forest* forest, int groupCount, sdArena* arena, sdTreePlan* plans) {
    bool isThere = plans != NULL;
    for (int i = 0; i < groupCount && isThere; ++i) {
        int family = forest->families[i];
        if (family == i) {
            isThere = makePlan(forest, &forest->sets[forest->firstSets[i]], arena, &plans[i]);
        } else {
            plans[i] = plans[family];
        }
        isThere = isThere && addJoints(forest, i, arena, &plans[i]);
        plans[i].family = family;
        plans[i].next = SD_NULL_INDEX;
        if (family != i) {
            plans[forest->lastGroups[family]].next = i;
        }
        // from here on: of those whose plans there are
        forest->lastGroups[family] = i;
    }
    return isThere;
}

static bool takeMemory(Forest* forest) {
    sdArena* arena = &forest->solver->step->world->arena;
    size_t count = (size_t)forest->solver->jointCount;
    size_t states = (size_t)forest->solver->step->bodyCount + 1;
    forest->parents = sdArena_Alloc(arena, count, sizeof *forest->parents);
    forest->sets = sdArena_Alloc(arena, count, sizeof *forest->sets);
    forest->members = sdArena_Alloc(arena, count, sizeof *forest->members);
    forest->locals = sdArena_Alloc(arena, count, sizeof *forest->locals);
    forest->eliminated = sdArena_Alloc(arena, count, sizeof *forest->eliminated);
    forest->graphNodes = sdArena_Alloc(arena, count, sizeof *forest->graphNodes);
    forest->nextInBucket = sdArena_Alloc(arena, count, sizeof *forest->nextInBucket);
    forest->lastGroups = sdArena_Alloc(arena, count, sizeof *forest->lastGroups);
    forest->families = sdArena_Alloc(arena, count, sizeof *forest->families);
    forest->laneCounts = sdArena_Alloc(arena, count, sizeof *forest->laneCounts);
    forest->firstSets = sdArena_Alloc(arena, count, sizeof *forest->firstSets);
    forest->nextSets = sdArena_Alloc(arena, count, sizeof *forest->nextSets);
    forest->slotsA = sdArena_Alloc(arena, count, sizeof *forest->slotsA);
    forest->slotsB = sdArena_Alloc(arena, count, sizeof *forest->slotsB);
    forest->stateSlots = sdArena_Alloc(arena, states, sizeof *forest->stateSlots);
    for (size_t i = 0; forest->stateSlots != NULL && i < states; ++i) {
        forest->stateSlots[i] = SD_NULL_INDEX;
    }
    return forest->parents != NULL && forest->sets != NULL && forest->members != NULL &&
           forest->locals != NULL && forest->eliminated != NULL && forest->graphNodes != NULL &&
           forest->nextInBucket != NULL && forest->lastGroups != NULL && forest->families != NULL &&
           forest->laneCounts != NULL && forest->firstSets != NULL && forest->nextSets != NULL &&
           forest->slotsA != NULL && forest->slotsB != NULL && forest->stateSlots != NULL;
}

bool sdJointPlan_FindTrees(sdJointPlan* plan, sdJointSolver* solver) {
    sdArena* arena = &solver->step->world->arena;
    sdArena* kept = &solver->step->world->planArena;
    const sdTaskSystem* tasks = &solver->step->world->context.tasks;
    Forest forest = {.solver = solver};
    if (!takeMemory(&forest)) {
        return false;
    }
    findSets(&forest);
    placeSets(&forest);
    const Set* last = &forest.sets[solver->jointCount - 1];
    size_t edges = (size_t)(last->firstEdge + last->edgeCapacity);
    forest.graphEdges = sdArena_Alloc(arena, edges + 1, sizeof *forest.graphEdges);
    if (forest.graphEdges == NULL) {
        return false;
    }
    tasks->parallelFor(tasks->user, eliminateSets, &forest, solver->jointCount, 16);
    plan->groupCount = groupSets(&forest);
    plan->trees = sdArena_Alloc(kept, (size_t)plan->groupCount + 1, sizeof *plan->trees);
    if (!makePlans(&forest, plan->groupCount, kept, plan->trees)) {
        return false;
    }
    for (int i = 0; i < solver->jointCount; ++i) {
        const Set* set = &forest.sets[findRoot(forest.parents, i)];
        plan->list[i].isInTree = !set->isWide;
    }
    return true;
}

// ---- memory of a group ---------------------------------------------------------------------

/// Where a group's arrays begin in the memory that it keeps.
typedef struct KeptLayout {
    sdBlockLayout all;
    size_t batches, bodies;
} KeptLayout;

/// Batches follow, one by one.
static KeptLayout layOutKept(const sdTreePlan* plan) {
    KeptLayout at = {0};
    at.batches = sdBlockLayout_Add(&at.all, (size_t)plan->nodeCount, sizeof(sdJointBatch*));
    at.bodies = sdBlockLayout_Add(&at.all, (size_t)plan->bodyCount, sizeof(sdTreeKept));
    return at;
}

size_t sdTreeGroup_GetKeptSize(const sdTreeGroup* group) {
    KeptLayout at = layOutKept(group->plan);
    for (int i = 0; i < group->plan->nodeCount; ++i) {
        sdBlockLayout_Add(&at.all, sdJointBatch_SizeOf(group->rowCounts[i]), 1);
    }
    return at.all.size;
}

void sdTreeGroup_Place(sdTreeGroup* group, void* memory) {
    const sdTreePlan* plan = group->plan;
    KeptLayout at = layOutKept(plan);
    char* bytes = (char*)memory;
    group->batches = (sdJointBatch**)(void*)(bytes + at.batches);
    group->kept = (sdTreeKept*)(void*)(bytes + at.bodies);
    for (int i = 0; i < plan->bodyCount; ++i) {
        group->kept[i].gripCount = 0;
        group->kept[i].grips = NULL;
    }
    for (int i = 0; i < plan->nodeCount; ++i) {
        size_t offset = sdBlockLayout_Add(&at.all, sdJointBatch_SizeOf(group->rowCounts[i]), 1);
        group->batches[i] = (sdJointBatch*)(void*)(bytes + offset);
    }
}

/// The same of the memory in which it is worked on.
typedef struct WorkLayout {
    sdBlockLayout all;
    size_t bodies, poses, matrices, rows, below, saved, aims, firstAim;
} WorkLayout;

static WorkLayout layOutWork(const sdTreeGroup* group) {
    const sdTreePlan* plan = group->plan;
    WorkLayout at = {0};
    size_t nodes = (size_t)plan->nodeCount, blocks = (size_t)plan->blockCount, rows = 0;
    for (int i = 0; i < plan->nodeCount; ++i) {
        rows += (size_t)group->rowCounts[i];
    }
    at.bodies = sdBlockLayout_Add(&at.all, (size_t)plan->bodyCount, sizeof(sdTreeBody));
    at.poses = sdBlockLayout_Add(&at.all, nodes, sizeof(sdJointPose));
    at.matrices = sdBlockLayout_Add(&at.all, blocks, sizeof(sdTreeMatrix));
    at.rows = sdBlockLayout_Add(&at.all, blocks, sizeof(sdTreeRows));
    at.below = sdBlockLayout_Add(&at.all, (size_t)plan->belowCount * 9, sizeof(sdF8));
    at.saved = sdBlockLayout_Add(&at.all, 3 * nodes + rows, sizeof(sdF8));
    at.aims = sdBlockLayout_Add(&at.all, nodes, sizeof(sdTreeAim*));
    at.firstAim = sdBlockLayout_Add(&at.all, rows, sizeof(sdTreeAim));
    return at;
}

size_t sdTreeGroup_GetWorkSize(const sdTreeGroup* group) {
    return layOutWork(group).all.size;
}

void sdTreeGroup_Open(sdTreeGroup* group, void* memory) {
    WorkLayout at = layOutWork(group);
    char* bytes = (char*)memory;
    group->bodies = (sdTreeBody*)(void*)(bytes + at.bodies);
    group->poses = (sdJointPose*)(void*)(bytes + at.poses);
    group->matrices = (sdTreeMatrix*)(void*)(bytes + at.matrices);
    group->rows = (sdTreeRows*)(void*)(bytes + at.rows);
    group->below = (sdF8*)(void*)(bytes + at.below);
    group->saved = (sdF8*)(void*)(bytes + at.saved);
    group->aims = (sdTreeAim**)(void*)(bytes + at.aims);
    sdTreeAim* aim = (sdTreeAim*)(void*)(bytes + at.firstAim);
    for (int i = 0; i < group->plan->nodeCount; ++i) {
        group->aims[i] = aim;
        aim += group->rowCounts[i];
    }
}
