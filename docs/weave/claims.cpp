// A chapter's claims, and what asserts each of them.
#include <algorithm>
#include <cmath>
#include <map>

#include "common/harness/text.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/pages.hpp"

namespace ladder::weave {

namespace {

// Counters as a sentence names them; one that is not here is named by its own parts.
std::string metric_words(const std::string& metric, const Words& say) {
  static const std::map<std::string, std::string> words = {
      {"branches.divergent", "branches that split a warp"},
      {"differing_repeats", "repeated calls with other bits"},
      {"flops.f32", "operations on float"},
      {"flops.f64", "operations on double"},
      {"global.atom.requests", "requests of atomics that return a value"},
      {"global.load.requests", "requests that read global memory"},
      {"global.load.sectors", "sectors read from global memory"},
      {"global.load.sectors_per_request", "sectors in each request that reads"},
      {"global.red.requests", "requests of atomics that return nothing"},
      {"global.red.sectors", "sectors of atomics that return nothing"},
      {"global.store.requests", "requests that write global memory"},
      {"global.store.sectors", "sectors written to global memory"},
      {"global.store.sectors_per_request", "sectors in each request that writes"},
      {"global.unique.read", "bytes in the distinct sectors read"},
      {"instructions.warp", "instructions that warps executed"},
      {"shared.load.requests", "requests that read shared memory"},
      {"shared.load.wavefronts", "wavefronts that read shared memory"},
      {"shared.load.wavefronts_per_request", "wavefronts in each request that reads"},
      {"shared.store.wavefronts", "wavefronts that write shared memory"},
      {"shared.store.wavefronts_per_request", "wavefronts in each request that writes"},
      {"shared.wavefronts", "wavefronts in shared memory"},
  };
  const auto found = words.find(metric);
  if (found != words.end()) return say(found->second);
  std::string text = metric;
  std::replace(text.begin(), text.end(), '.', ' ');
  std::replace(text.begin(), text.end(), '_', ' ');
  return say.name(text);
}

// "4096", "1.5", "1/32"
std::string short_number(double value) {
  const double inverse = value > 0 ? std::round(1 / value) : 0;
  if (inverse > 1 && std::abs(inverse * value - 1) < 1e-9) return "1/" + count_text(inverse);
  if (value == std::floor(value)) return count_text(value);
  std::string text = fixed(value, 5);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string with_operator(Relation::Operator op, const std::string& quantity, const Words& say) {
  switch (op) {
    case Relation::Operator::equal:
      return quantity;
    case Relation::Operator::less_equal:
      return say("at most {}", {quantity});
    case Relation::Operator::greater_equal:
      return say("at least {}", {quantity});
    case Relation::Operator::less:
      return say("less than {}", {quantity});
    case Relation::Operator::greater:
      return say("more than {}", {quantity});
  }
  return quantity;
}

std::string quantity_words(const Chapter& chapter, const Relation& claim) {
  const Words& say = *chapter.words;
  const double factor = claim.factor.value_or(1);
  const std::string number = short_number(factor);
  if (claim.reference.empty()) return number;
  if (claim.reference == "ideal") {
    return factor == 1 ? say("the fewest that the bytes allow")
                       : say("{} × the fewest that the bytes allow", {number});
  }
  std::string of = claim.reference;
  for (const Solver& step : chapter.steps) {
    if (step.entry.name.starts_with(claim.reference)) of = step.header.title;
  }
  if (factor != 1) return say("{} × those of “{}”", {number, of});
  return claim.op == Relation::Operator::equal ? say("as many as in “{}”", {of})
                                               : say("those of “{}”", {of});
}

// "sectors read from global memory: 8 × the fewest that the bytes allow"
std::string claim_words(const Chapter& chapter, const Relation& claim) {
  const Words& say = *chapter.words;
  return say("{}: {}", {metric_words(claim.metric, say),
                        with_operator(claim.op, quantity_words(chapter, claim), say)});
}

std::string distribution_words(Distribution distribution, const Words& say) {
  std::string name(name_of(distribution));
  std::replace(name.begin(), name.end(), '_', ' ');
  return say(name);
}

// "N = 257 (exact inputs); N = 4099"
std::string cases_text(const std::vector<CaseSelector>& cases, const Words& say) {
  std::vector<std::string> texts;
  for (const CaseSelector& wanted : cases) {
    const std::string sizes = sizes_text(wanted.parameters.entries(), say);
    texts.push_back(
        wanted.distribution
            ? say("{} ({} inputs)", {sizes, distribution_words(*wanted.distribution, say)})
            : sizes);
  }
  return join(texts, "; ");
}

std::string failure_words(const Failure& failure, const Words& say) {
  std::string text = failure_text(failure, say);
  if (!failure.fails_at.empty()) {
    text = say("{} at {}", {text, cases_text(failure.fails_at, say)});
  }
  if (!failure.passes_at.empty()) {
    text = say("{}, but is right at {}", {text, cases_text(failure.passes_at, say)});
  }
  return text;
}

std::string folded(const std::string& summary, const std::string& html) {
  return "<details class=\"kl-more\"><summary>" + summary + "</summary>\n" + html + "</details>\n";
}

struct WrongSolver {
  std::size_t place;  // of what it was written from, in the course's order
  std::string written_from, what, must;
};

// The place and the link of a solver's parent, which may be a step or an exercise.
WrongSolver parent_of(const Chapter& chapter, const Solver& solver) {
  std::size_t place = 0;
  const auto is_parent = [&](const Solver& candidate) {
    ++place;
    return candidate.entry.name == solver.parent();
  };
  const auto found = [&](const Solver& parent) {
    return WrongSolver{place, link(parent.page_file(), parent.header.title), "", ""};
  };
  for (const auto* list : {&chapter.steps, &chapter.programs, &chapter.ceilings}) {
    for (const Solver& candidate : *list) {
      if (is_parent(candidate)) return found(candidate);
    }
  }
  for (const Exercise& candidate : chapter.exercises) {
    if (is_parent(candidate)) return found(candidate);
  }
  return {place, escape(solver.parent()), "", ""};
}

std::vector<WrongSolver> wrong_solvers(const Chapter& chapter) {
  const Words& say = *chapter.words;
  std::vector<WrongSolver> all;
  for (const Solver& mutant : chapter.mutants) {
    WrongSolver& wrong = all.emplace_back(parent_of(chapter, mutant));
    wrong.what = inline_code(say.name(mutant.header.idea));
    wrong.must = failure_words(mutant.header.fails, say);
  }
  for (const Exercise& exercise : chapter.exercises) {
    WrongSolver& wrong = all.emplace_back(parent_of(chapter, exercise));
    wrong.what = say("the stub of {}", {link(exercise.page_file(), exercise.header.title)});
    wrong.must = failure_words(exercise.header.stub_fails, say);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const WrongSolver& a, const WrongSolver& b) { return a.place < b.place; });
  return all;
}

}  // namespace

std::string failure_text(const Failure& failure, const Words& say) {
  switch (failure.kind) {
    case Failure::Kind::trap:
      return failure.observer.empty()
                 ? say("stops with an error")
                 : say("stops with an error that {} names", {failure.observer});
    case Failure::Kind::goal:
      return say("has right answers, but misses a goal");
    case Failure::Kind::budget:
      return say("runs out of time or memory");
    default:
      return say("gives a wrong answer");
  }
}

std::string claims_html(const Chapter& chapter) {
  const Words& say = *chapter.words;
  HtmlTable table({say("what it claims"), say("what asserts it")}, "kl-table kl-claims");
  std::size_t count = 0;
  for (const Solver& step : chapter.steps) {
    if (!step.header.claims.empty()) table.group(link(step.page_file(), step.header.title));
    for (const Relation& claim : step.header.claims) {
      table.add({escape(claim_words(chapter, claim)), "<code>" + escape(claim.text) + "</code>"});
    }
    count += step.header.claims.size();
  }
  if (table.empty()) return "";
  return "<p>" +
         say("Counted by the emulator whenever <code>./ladder dev check</code> or "
             "<code>./ladder test</code> runs.") +
         "</p>\n" + folded(say("{} claims", {std::to_string(count)}), table.text());
}

std::string wrong_solvers_html(const Chapter& chapter) {
  const Words& say = *chapter.words;
  HtmlTable table({say("what is wrong"), say("what the checker must find")}, "kl-table kl-claims");
  std::string written_from;
  const std::vector<WrongSolver> all = wrong_solvers(chapter);
  for (const WrongSolver& wrong : all) {
    if (wrong.written_from != written_from) {
      written_from = wrong.written_from;
      table.group(say("written from {}", {written_from}));
    }
    table.add({wrong.what, wrong.must});
  }
  if (table.empty()) return "";
  return "<p>" +
         say("And solvers that are wrong in one thing each, in <code>mutants/</code>: that the "
             "checker finds them asserts what the steps say of guards, barriers and tails.") +
         "</p>\n" + folded(say("{} wrong solvers", {std::to_string(all.size())}), table.text());
}

}  // namespace ladder::weave
