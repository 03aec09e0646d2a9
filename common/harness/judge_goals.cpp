#include "common/harness/judge_goals.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

#include "common/harness/text.hpp"

namespace ladder {
namespace {

std::optional<double> find_value(const Counters& counters, std::string name,
                                 const std::string& suffix) {
  if (name == "instructions") name = "instructions.warp";
  const auto found = counters.find(name + suffix);
  if (found == counters.end()) return std::nullopt;
  return found->second;
}

std::string place(const Relation& relation, const std::string& file) {
  return file + ":" + std::to_string(relation.line) + ": ";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text,
                std::abs(value) < 1e15 && value == std::floor(value) ? "%.0f" : "%.4g", value);
  return text;
}

const char* operator_text(Relation::Operator op) {
  switch (op) {
    case Relation::Operator::equal:
      return "==";
    case Relation::Operator::less_equal:
      return "<=";
    case Relation::Operator::greater_equal:
      return ">=";
    case Relation::Operator::less:
      return "<";
    case Relation::Operator::greater:
      return ">";
  }
  return "?";
}

}  // namespace

double metric_value(const Counters& counters, const Relation& relation, const std::string& file) {
  if (const auto value = find_value(counters, relation.metric, "")) return *value;
  std::vector<std::string> names = {"instructions", "time"};
  for (const auto& [name, unused] : counters) {
    if (!name.ends_with(".ideal")) names.push_back(name);
  }
  throw UsageError(place(relation, file) + "there is no counter '" + relation.metric + "'" +
                   did_you_mean(relation.metric, names));
}

double ideal_value(const Counters& counters, const Relation& relation, const std::string& file) {
  if (const auto value = find_value(counters, relation.metric, ".ideal")) return *value;
  throw UsageError(place(relation, file) + "'" + relation.metric +
                   "' has no ideal: compare it with a number or a step");
}

bool holds(double value, Relation::Operator op, double wanted) {
  switch (op) {
    case Relation::Operator::equal:
      return std::abs(value - wanted) <= 1e-9 * std::abs(wanted);
    case Relation::Operator::less_equal:
      return value <= wanted;
    case Relation::Operator::greater_equal:
      return value >= wanted;
    case Relation::Operator::less:
      return value < wanted;
    case Relation::Operator::greater:
      return value > wanted;
  }
  return false;
}

GoalReport judge_relation(const Relation& relation, double value, double wanted,
                          const std::string& unit, const Parameters& at) {
  GoalReport report;
  report.relation = relation;
  report.judged = true;
  report.met = holds(value, relation.op, wanted);
  report.message = relation.metric + " is " + number(value) + unit + ", wanted " +
                   operator_text(relation.op) + " " + number(wanted) + unit;
  if (!relation.reference.empty()) {
    report.message += " (";
    if (relation.factor) report.message += number(*relation.factor) + " x ";
    report.message += relation.reference + ")";
  }
  report.message += " at " + at.text();
  return report;
}

}  // namespace ladder
