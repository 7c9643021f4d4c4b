// SPDX-License-Identifier: MIT
// collide.c - `sudar collide A B`: ask anything of two shapes.
//
// In:   two shapes by words, their poses, a query, an algorithm.
// Out:  the answer in the common frame, in words or as JSON; every iteration, with --explain.

#include "cli.h"

#include "explain.h"
#include "pair.h"

#include "scenefile.h"

#include <math.h>
#include <string.h>

#define MAX_MANIFOLDS 64

typedef struct CollideOptions {
    const char *query, *by, *poseA, *poseB;
    double move[3], spin[3]; ///< NaN: not given
    double margin;
    bool explain, asJson;
} CollideOptions;

typedef struct Collide {
    CollideOptions options;
    CliShape a, b;
    sdTransform xfA, xfB, xfAB;
    bool isFirst; ///< of the keys of the JSON object
} Collide;

static bool parse(int argc, char** argv, CollideOptions* o, const char** a, const char** b,
                  CliExit* code) {
    const CliOption options[] = {
        {"--query", "NAME", "overlap, distance, penetration, manifold, ray, cast, toi (all)",
         CLI_TEXT, &o->query, 0, 0},
        {"--by", "NAME", "best, gjk, epa, sat, sat-box, sat-box-readable, vclip, moving (best)",
         CLI_TEXT, &o->by, 0, 0},
        {"--pose-a", "POSE", "x,y,z or x,y,z,ax,ay,az,degrees (0,0,0)", CLI_TEXT, &o->poseA, 0, 0},
        {"--pose-b", "POSE", "the same of B", CLI_TEXT, &o->poseB, 0, 0},
        {"--move", "x,y,z", "way of B (cast, toi); of a ray from B's origin to A (ray)",
         CLI_NUMBERS, o->move, 0, 3},
        {"--spin", "x,y,z", "turn of B on its way, rad about an axis (toi)", CLI_NUMBERS, o->spin,
         0, 3},
        {"--margin", "M", "up to which contact points are wanted (0.02)", CLI_NUMBER, &o->margin, 0,
         1e6},
        {"--explain", "", "print each iteration of GJK, EPA, SAT or V-Clip", CLI_FLAG, &o->explain,
         0, 0},
        {"--json", "", "one JSON object instead of words", CLI_FLAG, &o->asJson, 0, 0},
    };
    const CliSyntax syntax = {
        .command = "collide",
        .argument = "A",
        .second = "B",
        .secondTarget = b,
        .summary =
            "Ask anything of two shapes: whether they overlap, how far apart or deep in each "
            "other they\nare, where they touch, when they meet.",
        .notes = NULL,
        .options = options,
        .optionCount = (int)(sizeof options / sizeof options[0]),
    };
    CliSyntax shown = syntax;
    shown.notes = CliShape_Notation;
    return Cli_Parse(&shown, argc, argv, a, code);
}

// ---- words ---------------------------------------------------------------------------------

static const char* statusName(sdStatus status) {
    static const char* const names[] = {"exact", "tolerance", "limit", "invalid"};
    return (int)status >= 0 && status <= SD_STATUS_INVALID ? names[status] : "unknown";
}

static void begin(Collide* c, const char* what) {
    if (c->options.asJson) {
        printf("%s\"%s\": {", c->isFirst ? "{" : ", ", what);
    } else {
        printf("%-12s", what);
    }
    c->isFirst = false;
}

static void end(const Collide* c) {
    printf(c->options.asJson ? "}" : "\n");
}

/// @param isFirst whether a comma must not stand before it
static void number(const Collide* c, bool isFirst, const char* key, double value) {
    if (c->options.asJson) {
        printf("%s\"%s\": ", isFirst ? "" : ", ", key);
        CliJson_Number(stdout, value);
    } else {
        printf("%s%s %.9g", isFirst ? "" : ", ", key, value);
    }
}

static void word(const Collide* c, bool isFirst, const char* key, const char* value) {
    if (c->options.asJson) {
        printf("%s\"%s\": \"%s\"", isFirst ? "" : ", ", key, value);
    } else {
        printf("%s%s %s", isFirst ? "" : ", ", key, value);
    }
}

static void truth(const Collide* c, const char* key, bool value) {
    if (c->options.asJson) {
        printf("\"%s\": %s", key, value ? "true" : "false");
    } else {
        printf("%s", value ? "yes" : "no");
    }
}

static void vector(const Collide* c, bool isFirst, const char* key, sdVec3 v) {
    const double numbers[] = {(double)v.x, (double)v.y, (double)v.z};
    printf(c->options.asJson ? "%s\"%s\": [" : "%s%s (", isFirst ? "" : ", ", key);
    for (int i = 0; i < 3; ++i) {
        printf("%s", i == 0 ? "" : ", ");
        if (c->options.asJson) {
            CliJson_Number(stdout, numbers[i]);
        } else {
            printf("%.9g", numbers[i]);
        }
    }
    printf(c->options.asJson ? "]" : ")");
}

/// Answers are in A's frame.
static void point(const Collide* c, const char* key, sdVec3 p) {
    vector(c, false, key, sdTransformPoint(c->xfA, p));
}

static void direction(const Collide* c, const char* key, sdVec3 v) {
    vector(c, false, key, sdRotate(c->xfA.q, v));
}

// ---- queries -------------------------------------------------------------------------------

static bool isBy(const Collide* c, const char* name) {
    return strcmp(c->options.by, name) == 0;
}

static void tellOverlap(Collide* c) {
    sdOverlapResult r = isBy(c, "gjk") ? sdGjk_Overlap(&c->a.shape, &c->b.shape, c->xfAB, NULL)
                                       : sdOverlap(&c->a.shape, &c->b.shape, c->xfAB, NULL);
    begin(c, "overlap");
    truth(c, "isOverlapping", r.isOverlapping);
    word(c, false, "status", statusName(r.status));
    number(c, false, "iterations", r.iterations);
    end(c);
}

static void tellSeparation(Collide* c, const char* what, const sdSeparation* s) {
    begin(c, what);
    number(c, true, "separation", (double)s->separation);
    direction(c, "normal", s->normal);
    point(c, "pointA", s->pointA);
    point(c, "pointB", s->pointB);
    word(c, false, "status", statusName(s->status));
    number(c, false, "error", (double)s->error);
    number(c, false, "iterations", s->iterations);
    if (s->childA != SD_NULL_INDEX || s->childB != SD_NULL_INDEX) {
        number(c, false, "childA", s->childA);
        number(c, false, "childB", s->childB);
    }
    end(c);
}

static void tellSat(Collide* c, sdSatResult r) {
    static const char* const features[] = {"face-a", "face-b", "edge-edge"};
    begin(c, "sat");
    number(c, true, "separation", (double)r.separation);
    direction(c, "axis", r.axis);
    word(c, false, "feature", features[r.featureType]);
    number(c, false, "indexA", r.indexA);
    number(c, false, "indexB", r.indexB);
    number(c, false, "axes", r.axisCount);
    word(c, false, "status", statusName(r.status));
    end(c);
}

static void tellDistance(Collide* c) {
    const sdShape *a = &c->a.shape, *b = &c->b.shape;
    sdSeparation s = isBy(c, "gjk")     ? sdGjk_Distance(a, b, c->xfAB, NULL)
                     : isBy(c, "vclip") ? sdVClip_Distance(a, b, c->xfAB, NULL)
                                        : sdDistance(a, b, c->xfAB, NULL);
    tellSeparation(c, "distance", &s);
}

static void tellPenetration(Collide* c) {
    const sdShape *a = &c->a.shape, *b = &c->b.shape;
    sdSeparation s = isBy(c, "epa") ? sdEpa_Penetration(a, b, c->xfAB, NULL)
                                    : sdPenetration(a, b, c->xfAB, NULL);
    tellSeparation(c, "penetration", &s);
}

static void tellManifolds(Collide* c) {
    sdManifold manifolds[MAX_MANIFOLDS];
    int total = 0;
    int count = sdCollideMany(&c->a.shape, &c->b.shape, c->xfAB, (float)c->options.margin,
                              manifolds, MAX_MANIFOLDS, &total);
    begin(c, "manifold");
    number(c, true, "manifolds", total);
    for (int i = 0; i < count; ++i) {
        const sdManifold* m = &manifolds[i];
        printf(c->options.asJson ? ", \"%d\": {" : "\n  %d: ", i);
        number(c, true, "points", m->pointCount);
        direction(c, "normal", m->normal);
        for (int k = 0; k < m->pointCount; ++k) {
            char key[24];
            snprintf(key, sizeof key, "point%d", k);
            printf(c->options.asJson ? ", " : "\n    ");
            vector(c, true, key, sdTransformPoint(c->xfA, m->points[k].pointA));
            snprintf(key, sizeof key, "separation%d", k);
            number(c, false, key, (double)m->points[k].separation);
        }
        printf(c->options.asJson ? "}" : "");
    }
    end(c);
}

static sdVec3 moveOf(const Collide* c) {
    const double* m = c->options.move;
    return sdV3((float)m[0], (float)m[1], (float)m[2]);
}

static void tellRay(Collide* c) {
    sdVec3 way = sdInvRotate(c->xfA.q, moveOf(c));
    sdRayHit hit = sdRaycast(&c->a.shape, c->xfAB.p, way);
    begin(c, "ray");
    truth(c, "isHit", hit.isHit);
    number(c, false, "fraction", (double)hit.fraction);
    if (hit.isHit) {
        point(c, "point", hit.point);
        direction(c, "normal", hit.normal);
    }
    word(c, false, "status", statusName(hit.status));
    end(c);
}

static void tellCast(Collide* c) {
    sdVec3 way = sdInvRotate(c->xfA.q, moveOf(c));
    sdCastHit hit = sdShapeCast(&c->a.shape, &c->b.shape, c->xfAB, way);
    begin(c, "cast");
    truth(c, "isHit", hit.isHit);
    number(c, false, "fraction", (double)hit.fraction);
    if (hit.isHit) {
        point(c, "point", hit.point);
        direction(c, "normal", hit.normal);
    }
    word(c, false, "status", statusName(hit.status));
    number(c, false, "iterations", hit.iterations);
    end(c);
}

static void tellMoving(Collide* c) {
    sdVec3 way = sdInvRotate(c->xfA.q, moveOf(c));
    sdMovingResult r = sdMoving_Test(&c->a.shape, &c->b.shape, c->xfAB, way, 1.0f);
    begin(c, "moving");
    truth(c, "isHit", r.isHit);
    number(c, false, "first", (double)r.first);
    number(c, false, "last", (double)r.last);
    direction(c, "normal", r.normal);
    word(c, false, "status", statusName(r.status));
    end(c);
}

static void tellToi(Collide* c) {
    static const char* const states[] = {"separated", "hit", "overlapped"};
    const double* spin = c->options.spin;
    bool isTurning = !isnan(spin[0]);
    sdToiInput input = {
        .a = &c->a.shape,
        .b = &c->b.shape,
        .sweepA = {.start = c->xfA},
        .sweepB = {.start = c->xfB,
                   .translation = moveOf(c),
                   .rotation = isTurning ? sdV3((float)spin[0], (float)spin[1], (float)spin[2])
                                         : sdV3(0.0f, 0.0f, 0.0f)},
    };
    sdToiResult r = sdTimeOfImpact(&input);
    begin(c, "toi");
    word(c, true, "state", states[r.state]);
    number(c, false, "time", (double)r.time);
    if (r.state == SD_TOI_HIT) {
        vector(c, false, "point", r.point);
        vector(c, false, "normal", r.normal);
    }
    word(c, false, "status", statusName(r.status));
    number(c, false, "error", (double)r.error);
    number(c, false, "iterations", r.iterations);
    end(c);
}

static void tellSatQueries(Collide* c) {
    const sdShape *a = &c->a.shape, *b = &c->b.shape;
    if (isBy(c, "sat")) {
        tellSat(c, sdSat_Test(a, b, c->xfAB, true, NULL));
    } else if (isBy(c, "sat-box")) {
        tellSat(c, sdSatBox_Expanded(a->box, b->box, c->xfAB, NULL));
    } else {
        tellSat(c, sdSatBox_Readable(a->box, b->box, c->xfAB));
    }
}

// ---- the whole -----------------------------------------------------------------------------

static const char* const queries[] = {"overlap", "distance", "penetration", "manifold", "ray",
                                      "cast",    "toi",      "all",         NULL};
static const char* const algorithms[] = {
    "best", "gjk", "epa", "sat", "sat-box", "sat-box-readable", "vclip", "moving", NULL};

static const char* getWord(const void* user, int i) {
    return ((const char* const*)user)[i];
}

static CliExit checkWord(const char* option, const char* word_, const char* const* words) {
    for (int i = 0; words[i] != NULL; ++i) {
        if (strcmp(words[i], word_) == 0) {
            return CLI_OK;
        }
    }
    const char* nearest = sdNearestWord(word_, getWord, words);
    return nearest != NULL ? Cli_Fail(CLI_USAGE, "collide", "%s cannot be '%s'; did you mean '%s'?",
                                      option, word_, nearest)
                           : Cli_Fail(CLI_USAGE, "collide",
                                      "%s cannot be '%s'; see 'sudar collide "
                                      "--help'",
                                      option, word_);
}

static CliExit check(const Collide* c) {
    const CollideOptions* o = &c->options;
    CliExit code = checkWord("--query", o->query, queries);
    code = code == CLI_OK ? checkWord("--by", o->by, algorithms) : code;
    bool needsMove = strcmp(o->query, "ray") == 0 || strcmp(o->query, "cast") == 0 ||
                     strcmp(o->query, "toi") == 0 || isBy(c, "moving");
    if (code == CLI_OK && needsMove && isnan(o->move[0])) {
        return Cli_Fail(CLI_USAGE, "collide", "--query %s wants --move x,y,z", o->query);
    }
    bool isConvex = sdShape_IsConvex(&c->a.shape) && sdShape_IsConvex(&c->b.shape);
    if (code == CLI_OK && !isConvex && (!isBy(c, "best") || o->explain)) {
        return Cli_Fail(CLI_USAGE, "collide",
                        "--by and --explain are for convex shapes: a mesh "
                        "is many of them; hull: makes one");
    }
    bool isBox = c->a.shape.type == SD_SHAPE_BOX && c->b.shape.type == SD_SHAPE_BOX;
    if (code == CLI_OK && strncmp(o->by, "sat-box", 7) == 0 && !isBox) {
        return Cli_Fail(CLI_USAGE, "collide", "--by %s is for two boxes", o->by);
    }
    return code;
}

/// Each step on a line of its own.
static CliExit explain(const Collide* c) {
    bool isDistance = strcmp(c->options.query, "distance") == 0;
    sdExplainMethod method = strncmp(c->options.by, "sat", 3) == 0 ? SD_EXPLAIN_SAT
                             : isBy(c, "vclip")                    ? SD_EXPLAIN_VCLIP
                             : isBy(c, "gjk") || isDistance        ? SD_EXPLAIN_GJK
                                                                   : SD_EXPLAIN_EPA;
    sdExplanation* e;
    if (sdExplanation_Create(NULL, &c->a.shape, &c->b.shape, c->xfAB, method, &e) != SD_OK) {
        return CLI_FAILED; // the log has said why
    }
    for (int i = 0; i < sdExplanation_GetStepCount(e); ++i) {
        printf("%3d  %s\n", i + 1, sdExplanation_GetText(e, i));
    }
    sdExplanation_Destroy(e);
    return CLI_OK;
}

static void tellAll(Collide* c) {
    const char* query = c->options.query;
    bool isAll = strcmp(query, "all") == 0, hasMove = !isnan(c->options.move[0]);
    if (strncmp(c->options.by, "sat", 3) == 0) {
        tellSatQueries(c);
        return;
    }
    if (isBy(c, "moving")) {
        tellMoving(c);
        return;
    }
    if (isAll || strcmp(query, "overlap") == 0) {
        tellOverlap(c);
    }
    if (isAll || strcmp(query, "distance") == 0) {
        tellDistance(c);
    }
    if (isAll || strcmp(query, "penetration") == 0) {
        tellPenetration(c);
    }
    if (isAll || strcmp(query, "manifold") == 0) {
        tellManifolds(c);
    }
    if (strcmp(query, "ray") == 0) {
        tellRay(c);
    }
    if ((isAll && hasMove) || strcmp(query, "cast") == 0) {
        tellCast(c);
    }
    if ((isAll && hasMove) || strcmp(query, "toi") == 0) {
        tellToi(c);
    }
}

CliExit Cli_Collide(int argc, char** argv) {
    Collide c = {.options = {.query = "all",
                             .by = "best",
                             .move = {(double)NAN},
                             .spin = {(double)NAN},
                             .margin = 0.02},
                 .isFirst = true};
    const char *a = NULL, *b = NULL;
    CliExit code;
    if (!parse(argc, argv, &c.options, &a, &b, &code)) {
        return code;
    }
    code = CliShape_Read("collide", a, &c.a);
    code = code == CLI_OK ? CliShape_Read("collide", b, &c.b) : code;
    code = code == CLI_OK ? CliPose_Read("collide", "--pose-a", c.options.poseA, &c.xfA) : code;
    code = code == CLI_OK ? CliPose_Read("collide", "--pose-b", c.options.poseB, &c.xfB) : code;
    code = code == CLI_OK ? check(&c) : code;
    if (code == CLI_OK) {
        c.xfAB = sdInvMulXf(c.xfA, c.xfB);
        if (c.options.explain && !c.options.asJson) {
            code = explain(&c);
        }
        tellAll(&c);
        printf(c.options.asJson ? "}\n" : "");
    }
    CliShape_Free(&c.a);
    CliShape_Free(&c.b);
    return code;
}
