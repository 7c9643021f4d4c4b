// SPDX-License-Identifier: MIT
// test_lab.c - every experiment in its smallest form: its findings, by counts; the frame around
// them.

#include "support.h"

// what runs no other program runs no gnuplot
#if defined(SD_TEST_LAB)

#include "lab_data.h"

#include <math.h>
#include <string.h>

/// Run one and check what it found.
/// @param differCount findings that are known to differ for a reason
static void checkExperiment(const char* name, int agreeCount, int differCount) {
    const LabExperiment* experiment = LabExperiment_Find(name);
    REQUIRE(experiment != NULL);
    Lab* lab = Lab_Run(experiment, LAB_SMALLEST, NULL);
    REQUIRE(lab != NULL);
    if (!CHECK(lab->reason[0] == '\0')) {
        sdTest_Print("%s is broken: %s", name, lab->reason);
    }
    int counts[LAB_UNEXPLAINED + 1] = {0};
    for (int i = 0; i < lab->findingCount; ++i) {
        const LabFinding* f = &lab->findings[i];
        // a busy machine may turn what rests on times
        LabVerdict verdict = f->isTimed ? LAB_AGREES : LabFinding_GetVerdict(f);
        ++counts[verdict];
        sdTest_Print("%s %s: %s", verdict == LAB_AGREES ? "agrees:" : "DIFFERS:", f->claim,
                     f->ours);
    }
    sdTest_Print("%s: %.2f s, %d tables, %d plots", name, lab->seconds, lab->tableCount,
                 lab->plotCount);
    CHECK_INT(counts[LAB_AGREES], agreeCount);
    CHECK_INT(counts[LAB_DIFFERS], differCount);
    CHECK_INT(counts[LAB_UNEXPLAINED], 0);
    CHECK(lab->plotCount > 0 && lab->tableCount > 0);
    Lab_Destroy(lab);
}

SD_TEST(lab_triangles_grow_with_the_square_and_gjk_linearly) {
    checkExperiment("triangles", 7, 0);
}

SD_TEST(lab_integrators_have_their_orders) {
    checkExperiment("integrators", 5, 1);
}

SD_TEST(lab_octree_helps_small_bodies_and_hurts_large_ones) {
    checkExperiment("octree", 3, 0);
}

SD_TEST(lab_cells_split_at_their_limits) {
    checkExperiment("cells", 4, 0);
}

SD_TEST(lab_volumes_save_triangle_tests) {
    checkExperiment("volumes", 2, 0);
}

SD_TEST(lab_speed_makes_contacts) {
    checkExperiment("speed", 3, 0);
}

SD_TEST(lab_detail_grows_with_the_square) {
    checkExperiment("detail", 1, 0);
}

SD_TEST(lab_slope_hops_by_the_ordinary_step_alone) {
    checkExperiment("slope", 3, 0);
}

SD_TEST(lab_failures_are_those_of_the_document) {
    checkExperiment("failures", 5, 0);
}

SD_TEST(lab_passes_sink_without_shock) {
    checkExperiment("passes", 5, 0);
}

SD_TEST(lab_joint_passes_close_joints) {
    checkExperiment("joint-passes", 3, 0);
}

SD_TEST(lab_films_end_as_they_must) {
    checkExperiment("films", 2, 0);
}

SD_TEST(lab_projection_search_is_logarithmic) {
    // from how many vertices on it pays is a matter of time
    checkExperiment("projection", 4, 0);
}

SD_TEST(lab_tunnelling_ends_with_continuous_detection) {
    checkExperiment("tunnelling", 4, 1);
}

SD_TEST(lab_bounding_volumes_are_tighter_the_freer_they_are) {
    checkExperiment("bounding", 5, 1);
}

SD_TEST(lab_sweep_compares_slabs) {
    checkExperiment("sweep", 2, 2);
}

SD_TEST(lab_builders_differ_in_quality) {
    checkExperiment("builders", 3, 1);
}

SD_TEST(lab_axes_separate_about_as_often) {
    checkExperiment("axes", 7, 0);
}

SD_TEST(lab_solvers_hold_towers_by_shock_or_sub_steps) {
    checkExperiment("solvers", 6, 0);
}

// ---- the frame -----------------------------------------------------------------------------

SD_TEST(lab_experiments_are_told_apart) {
    for (int i = 0; i < LabExperiment_GetCount(); ++i) {
        const LabExperiment* e = LabExperiment_Get(i);
        CHECK(LabExperiment_Find(e->name) == e);
        CHECK(e->title != NULL && e->source != NULL && e->question != NULL && e->setup != NULL);
        // names are folders
        CHECK(strspn(e->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(e->name));
    }
    CHECK(LabExperiment_Find("nobody") == NULL);
    CHECK(LabExperiment_Get(-1) == NULL);
    CHECK(LabExperiment_Get(LabExperiment_GetCount()) == NULL);
}

SD_TEST(lab_sample_has_mean_and_spread) {
    LabSample s = {0};
    CHECK_NEAR(LabSample_GetSpread(&s), 0.0, 0.0);
    const double values[] = {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
    for (int i = 0; i < 8; ++i) {
        LabSample_Add(&s, values[i]);
    }
    CHECK_INT(s.count, 8);
    CHECK_NEAR(s.mean, 5.0, 1e-12);
    CHECK_NEAR(LabSample_GetSpread(&s), sqrt(32.0 / 7.0), 1e-12);
    CHECK_NEAR(s.least, 2.0, 0.0);
    CHECK_NEAR(s.most, 9.0, 0.0);
}

static void fillTable(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "cubes", "Cubes");
    int x = LabTable_AddColumn(t, "x", "m"), y = LabTable_AddColumn(t, "y", "m³");
    for (int i = 0; i < 40; ++i) {
        LabTable_AddRow(t, NULL);
        LabTable_Put(t, x, i);
        LabTable_Put(t, y, i == 39 ? 1e-9 : 2.0 * i * i * i);
    }
    double p = LabTable_FitExponentAbove(t, x, y, 1.0);
    CHECK_NEAR(p, 3.0, 1e-12);
    CHECK(fabs(LabTable_FitExponent(t, x, y) - 3.0) > 0.1);
    CHECK_NEAR(LabTable_Get(t, 3, y), 54.0, 0.0);
    CHECK(isnan(LabTable_Get(t, 40, y)) && isnan(LabTable_Get(t, 0, 2)));
    Lab_AddFinding(lab, (LabFinding){.claim = "", .ours = "", .why = "", .agrees = true});
    Lab_AddFinding(lab, (LabFinding){.claim = "", .ours = "", .why = "", .isExplained = true});
    Lab_AddFinding(lab, (LabFinding){.claim = "", .ours = "", .why = ""});
}

SD_TEST(lab_tables_fit_and_findings_count) {
    const LabExperiment e = {.name = "own", .run = fillTable};
    Lab* lab = Lab_Run(&e, LAB_SMALLEST, NULL);
    REQUIRE(lab != NULL);
    CHECK(lab->reason[0] == '\0');
    for (int v = 0; v <= LAB_UNEXPLAINED; ++v) {
        CHECK_INT(Lab_CountVerdicts(lab, (LabVerdict)v), 1);
    }
    Lab_Destroy(lab);
}

static void addTwice(Lab* lab) {
    Lab_AddTable(lab, "one", "One");
    LabTable* t = Lab_AddTable(lab, "one", "One");
    // what has no place goes nowhere
    LabTable_Put(t, LabTable_AddColumn(t, "x", ""), 1.0);
    LabTable_AddRow(t, "row");
    LabTable_Put(t, 0, 1.0);
    Lab_Fail(lab, "the first reason counts");
}

static void addNothing(Lab* lab) {
    (void)lab;
}

static void plotNothing(Lab* lab) {
    Lab_AddPlot(lab, (LabPlot){.name = "empty", .title = "", .x = {"", ""}, .y = {"", ""}});
}

static void plotNoColumn(Lab* lab) {
    LabTable* t = Lab_AddTable(lab, "one", "One");
    Lab_AddPlot(lab, (LabPlot){.name = "p",
                               .title = "",
                               .x = {"", ""},
                               .y = {"", ""},
                               .series = {{.table = t, .x = 0, .y = 7}}});
}

static void putNowhere(Lab* lab) {
    LabTable_Put(Lab_AddTable(lab, "one", "One"), 0, 1.0);
}

static void leaveOutWhy(Lab* lab) {
    Lab_AddFinding(lab, (LabFinding){.claim = "", .ours = ""});
}

static void failCheck(Lab* lab) {
    CHECK(Lab_Check(lab, SD_OK, "well"));
    CHECK(!Lab_Check(lab, SD_ERROR_IO, "a file"));
    CHECK(!Lab_GoesOn(lab));
}

SD_TEST(lab_broken_experiments_have_a_reason) {
    static const struct {
        void (*run)(Lab* lab);
        const char* reason;
    } cases[] = {{addTwice, "table 'one': names are unique"},
                 {addNothing, "found nothing"},
                 {plotNothing, "plot 'empty' has no series"},
                 {plotNoColumn, "plot 'p', series 0: no such column"},
                 {putNowhere, "table 'one' has no cell"},
                 {leaveOutWhy, "a finding wants"},
                 {failCheck, "a file: "}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const LabExperiment e = {.name = "own", .run = cases[i].run};
        Lab* lab = Lab_Run(&e, LAB_SMALLEST, NULL);
        REQUIRE(lab != NULL);
        CHECK_TEXT(lab->reason, cases[i].reason);
        Lab_Destroy(lab);
    }
}

#endif
