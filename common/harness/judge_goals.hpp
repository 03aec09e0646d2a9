// Goals and claims: relations between a solver's counters (or times) and numbers, ideals or other
// solvers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "common/harness/judge.hpp"

namespace ladder {

using Counters = std::map<std::string, double>;

// A metric of the goals from the emulator's counters: one of them ("global.load.sectors",
// "instructions" for instructions.warp), a ratio ("global.load.sectors_per_request",
// "global.store.sectors_per_request") or "differing_repeats" (of 40 calls on equal inputs).
// Throws UsageError "file:line: ..." that names the nearest one.
double metric_value(const Counters& counters, const Relation& relation, const std::string& file);

// The same, had each warp's bytes been packed. Throws UsageError for a metric without an ideal.
double ideal_value(const Counters& counters, const Relation& relation, const std::string& file);

bool holds(double value, Relation::Operator op, double wanted);

// A judged relation, from the value and what it is compared with (the factor included).
GoalReport judge_relation(const Relation& relation, double value, double wanted,
                          const std::string& unit, const Parameters& at);

}  // namespace ladder
