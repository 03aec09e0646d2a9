// A chapter's claims, and what asserts each of them.
#include <algorithm>

#include "common/harness/text.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/pages.hpp"

namespace ladder::weave {

namespace {

std::string operator_words(Relation::Operator op) {
  switch (op) {
    case Relation::Operator::equal:
      return "";
    case Relation::Operator::less_equal:
      return "at most ";
    case Relation::Operator::greater_equal:
      return "at least ";
    case Relation::Operator::less:
      return "less than ";
    case Relation::Operator::greater:
      return "more than ";
  }
  return "";
}

std::string short_number(double value) {
  std::string text = fixed(value, 5);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// "global load sectors: 8 times the fewest that the bytes allow"
std::string claim_words(const Chapter& chapter, const Relation& claim) {
  std::string text = claim.metric;
  std::replace(text.begin(), text.end(), '.', ' ');
  std::replace(text.begin(), text.end(), '_', ' ');
  text += ": " + operator_words(claim.op);
  const double factor = claim.factor.value_or(1);
  if (claim.reference.empty()) return text + short_number(factor);
  if (claim.reference == "ideal") {
    return text + (factor == 1 ? "" : short_number(factor) + " times ") +
           "the fewest that the bytes allow";
  }
  std::string of = claim.reference;
  for (const Solver& step : chapter.steps) {
    if (step.entry.name.rfind(claim.reference, 0) == 0) of = step.header.title;
  }
  const bool equal = factor == 1 && claim.op == Relation::Operator::equal;
  return text +
         (equal         ? "as many as in "
          : factor == 1 ? "those of "
                        : short_number(factor) + " times those of ") +
         "“" + of + "”";
}

// What stands behind a key of a solver's header: "@fails", "@stub-fails".
std::string value_of(const Solver& solver, std::string_view key) {
  for (const std::string& line : solver.lines) {
    const std::size_t at = line.find(key);
    if (line.rfind("//!", 0) != 0 || at == std::string::npos) continue;
    return std::string(trim(std::string_view(line).substr(at + key.size())));
  }
  return "wrong";  // what a header means that does not say
}

std::string parent_link(const Chapter& chapter, const Solver& solver) {
  const Solver* parent = chapter.find(solver.parent());
  return parent == nullptr ? escape(solver.parent())
                           : link(parent->page_file(), parent->header.title);
}

}  // namespace

std::string claims_html(const Chapter& chapter) {
  HtmlTable table({"step", "what it claims", "what asserts it"}, "kl-table kl-steps");
  for (const Solver& step : chapter.steps) {
    for (const Relation& claim : step.header.claims) {
      table.add({link(step.page_file(), step.header.title), escape(claim_words(chapter, claim)),
                 "<code>" + escape(claim.text) + "</code>"});
    }
  }
  return table.empty() ? ""
                       : "<p>Counted by the emulator whenever <code>./ladder dev check</code> or "
                         "<code>./ladder test</code> runs:</p>\n" +
                             table.text();
}

std::string wrong_solvers_html(const Chapter& chapter) {
  HtmlTable table({"written from", "what is wrong", "what the checker must say"},
                  "kl-table kl-steps");
  for (const Solver& mutant : chapter.mutants) {
    table.add({parent_link(chapter, mutant), inline_code(mutant.header.idea),
               "<code>" + escape(value_of(mutant, "@fails")) + "</code>"});
  }
  for (const Exercise& exercise : chapter.exercises) {
    table.add({parent_link(chapter, exercise),
               "the stub of " + link(exercise.page_file(), exercise.header.title),
               "<code>" + escape(value_of(exercise, "@stub-fails")) + "</code>"});
  }
  return table.empty()
             ? ""
             : "<p>And solvers that are wrong in one thing each, in "
               "<code>mutants/</code>: that the checker finds them asserts what the steps "
               "say of guards, barriers and tails.</p>\n" +
                   table.text();
}

}  // namespace ladder::weave
