// The kinds of page, each in a file of its own.
#pragma once

#include <string>
#include <vector>

#include "docs/weave/course.hpp"
#include "docs/weave/page.hpp"

namespace ladder::weave {

// A step, a whole program or a ceiling.
Page step_page(const Chapter& chapter, const Solver& solver);

// `problem`: null for a whole program.
Page exercise_page(const Chapter& chapter, const Exercise& exercise, const Problem* problem);
Page solution_page(const Chapter& chapter, const Exercise& exercise);

Page chapter_page(const Course& course, const Chapter& chapter);

// Every name that some step's @new gives, by kind, with the steps.
Page feature_page(const Course& course);

// "‹ previous", "chapter", "next ›": the way through the pages of a chapter.
struct Neighbour {
  std::string file, title;  // "" if there is none
};
std::string way_html(const Neighbour& previous, const Neighbour& up, const Neighbour& next,
                     const Words& say);

// Measured times of one solver at all sizes and on all GPUs, beside its parent's (which may be
// null); "" if nothing was measured.
std::string timings_html(const Chapter& chapter, const Solver& solver, const Solver* parent);
// Its counters beside its parent's; "" if nothing was counted.
std::string counters_html(const Chapter& chapter, const Solver& solver, const Solver* parent);
// "103 % of cublasSgeam, 96 % of copy", or a dash.
std::string shares_text(const Timing& timing, const Words& say, const std::string& between = ", ");
// "measured on NVIDIA H200, driver 580.159.04, CUDA 13.0, 2026-11-30, commit a77cba8c6615"
std::string provenance_html(const Measurements& measured, const Words& say);
// "Counted by the emulator at N = 4096, when this page was made."
std::string counted_html(const Sizes& at, const Words& say);

// Each claim of the steps in words, and the relation that is checked; "" if there are none.
std::string claims_html(const Chapter& chapter);
// Mutants and stubs, and how each must fail; "" if there are none.
std::string wrong_solvers_html(const Chapter& chapter);

// One line of facts: "Builds on: …".
std::string fact_html(const std::string& name, const std::string& value);
// "02 · Step 04: one column of padding": what the search calls a step or an exercise.
std::string found_as(const Chapter& chapter, const Solver& solver);

// How a solver fails: "gives a wrong answer".
std::string failure_text(const Failure& failure, const Words& say);
// "`a`, `b`" linked to the index of features.
std::string features_html(const std::vector<std::string>& names, const Words& say);

}  // namespace ladder::weave
