#include "common/emulator/fuzz/generator.hpp"

#include <algorithm>
#include <numeric>

#include "common/emulator/fuzz/rows.hpp"

namespace ladder::emulator::fuzz {
namespace {

constexpr unsigned own_rows = 26;    // rows that a program has to have, in turn
constexpr unsigned other_rows = 14;  // rows at random
constexpr unsigned deepest = 3;      // of branches and loops in each other

// The rows in an order of the seed's own.
std::vector<std::size_t> order_of(u64 seed) {
  std::vector<std::size_t> order(rows().size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed * 2 + 1);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

class Generator {
 public:
  Generator(Program& program, std::mt19937_64& random, bool in_function)
      : scribe_(program, random, in_function) {}

  // Statements with these rows among others; `uniform`: all threads of a block come by.
  std::vector<Statement> block(std::vector<const Row*> wanted, unsigned depth, bool uniform) {
    std::vector<Statement> made;
    while (!wanted.empty()) {
      if (depth < deepest && wanted.size() > 1 && scribe_.one_in(7)) {
        made.push_back(structure(wanted, depth, uniform));
        continue;
      }
      const Row* row = wanted.back();
      wanted.pop_back();
      add(made, *row, uniform);
    }
    return made;
  }

 private:
  void add(std::vector<Statement>& made, const Row& row, bool uniform) {
    if (row.place == Place::uniform && !uniform) {
      left_over_.push_back(&row);
      return;
    }
    if (row.place != Place::anywhere && scribe_.in_function) return;
    scribe_.begin_statement();
    Statement statement;
    statement.open = row.text(scribe_);
    if (statement.open.empty()) return;
    statement.rows.push_back(row.name);
    made.push_back(std::move(statement));
  }

  std::vector<const Row*> take(std::vector<const Row*>& wanted) {
    const unsigned most = std::min<unsigned>(static_cast<unsigned>(wanted.size()), 5);
    std::vector<const Row*> taken;
    for (unsigned i = 1 + scribe_.below(most); i > 0; --i) {
      taken.push_back(wanted.back());
      wanted.pop_back();
    }
    return taken;
  }

  Statement structure(std::vector<const Row*>& wanted, unsigned depth, bool uniform) {
    const bool can_call = !scribe_.in_function && !scribe_.program.functions.empty();
    switch (scribe_.below(can_call ? 5 : 4)) {
      case 0:
        return branch(wanted, depth);
      case 1:
        return loop(wanted, depth, uniform, false);
      case 2:
        return loop(wanted, depth, uniform, true);
      case 3:
        // The lanes of a warp may not come together again behind a table in a table, and then not
        // at a barrier either.
        return in_table_ ? branch(wanted, depth) : table(wanted, depth);
      default:
        return call();
    }
  }

  Statement branch(std::vector<const Row*>& wanted, unsigned depth) {
    Statement made;
    made.always = false;
    const std::string otherwise = scribe_.label(), end = scribe_.label();
    made.open = "@" + std::string(scribe_.one_in(2) ? "!" : "") +
                scribe_.source(Operand::predicate) + " bra " + otherwise + ";\n";
    made.body = block(take(wanted), depth + 1, false);
    made.middle = "bra " + end + ";\n" + otherwise + ":\n";
    if (!wanted.empty() && scribe_.one_in(2)) made.other = block(take(wanted), depth + 1, false);
    made.close = end + ":\n";
    made.rows.push_back("bra");
    return made;
  }

  // One to four times, the same for all threads or not.
  Statement loop(std::vector<const Row*>& wanted, unsigned depth, bool uniform, bool same) {
    Statement made;
    const std::string again = scribe_.label();
    const std::string trips = "%trips" + std::to_string(depth);
    if (same) {
      made.open = "mov.u32 " + trips + ", " + std::to_string(1 + scribe_.below(4)) + ";\n";
    } else {
      made.open = "and.b32 " + trips + ", " + scribe_.source(Operand::b32) + ", 3; add.u32 " +
                  trips + ", " + trips + ", 1;\n";
    }
    made.open += again + ":\n";
    made.body = block(take(wanted), depth + 1, uniform && same);
    if (same && begins_with_atomic(made.body)) made.open += "membar.cta;\n";
    made.close = "sub.u32 " + trips + ", " + trips + ", 1; setp.ne.u32 %tp0, " + trips +
                 ", 0; @%tp0 bra " + again + ";\n";
    made.rows.push_back(same ? "loop" : "loop that diverges");
    return made;
  }

  // Many atomics of shared memory become loops of compare-and-swap. If one of them is the first
  // thing in a loop, the two loops have one head, and ptxas (driver for CUDA 13.0) lets the lanes
  // leave the inner one by and by; but it counts a loop that is the same for all in a uniform
  // register, once for each group of lanes that comes by, and so misses the end.
  static bool begins_with_atomic(const std::vector<Statement>& body) {
    if (body.empty() || body[0].rows.empty()) return false;
    const std::string& row = body[0].rows[0];
    return row.find("atom.") != std::string::npos || row.find("red.") != std::string::npos;
  }

  // brx.idx to one of two sides, or past both.
  Statement table(std::vector<const Row*>& wanted, unsigned depth) {
    Statement made;
    made.always = false;
    const std::string first = scribe_.label(), second = scribe_.label(), end = scribe_.label(),
                      targets = scribe_.label();
    made.open = "and.b32 %tr0, " + scribe_.source(Operand::b32) + ", 3;\n" + targets +
                ": .branchtargets " + first + ", " + second + ", " + end + ", " + first +
                ";\nbrx.idx %tr0, " + targets + ";\n" + first + ":\n";
    in_table_ = true;
    made.body = block(take(wanted), depth + 1, false);
    made.middle = "bra " + end + ";\n" + second + ":\n";
    if (!wanted.empty()) made.other = block(take(wanted), depth + 1, false);
    in_table_ = false;
    made.close = end + ":\n";
    made.rows.push_back("brx.idx");
    return made;
  }

  Statement call() {
    scribe_.begin_statement();
    const std::string number =
        std::to_string(scribe_.below(static_cast<unsigned>(scribe_.program.functions.size())));
    const std::string to = scribe_.target(Operand::b64);
    Statement made;
    made.open =
        "{ .param .b64 a0; .param .b32 a1; .param .b32 a2; .param .b64 r0; st.param.b32 [a2], "
        "%zero; "
        "st.param.b64 [a0], " +
        scribe_.source(Operand::b64) + "; st.param.b32 [a1], " + scribe_.source(Operand::b32) +
        ";\ncall.uni (r0), $f" + number + ", (a0, a1, a2); ld.param.b64 " + to + ", [r0]; }\n" +
        scribe_.folded(Operand::b64, to);
    made.rows.push_back("call");
    return made;
  }

 public:
  // What needs all threads but was drawn for a branch, at the end.
  std::vector<Statement> rest() {
    std::vector<const Row*> rest;
    rest.swap(left_over_);
    std::vector<Statement> made;
    for (const Row* row : rest) add(made, *row, true);
    return made;
  }

 private:
  Scribe scribe_;
  std::vector<const Row*> left_over_;
  bool in_table_ = false;
};

}  // namespace

Program generate(u64 seed, std::size_t index) {
  Program program;
  program.seed = seed * 1000003 + index;
  std::mt19937_64 random(program.seed);
  const unsigned shapes[] = {32, 64, 64, 64, 96, 128, 48, 80};
  program.threads = shapes[random() % 8];
  program.blocks = 1 + static_cast<unsigned>(random() % 2);
  static thread_local u64 ordered_seed = 0;
  static thread_local std::vector<std::size_t> order;
  if (order.empty() || ordered_seed != seed) {
    order = order_of(seed);
    ordered_seed = seed;
  }
  std::vector<const Row*> wanted;
  for (unsigned i = 0; i < own_rows; ++i)
    wanted.push_back(&rows()[order[(index * own_rows + i) % order.size()]]);
  const auto any_rows = [&](unsigned count) {
    std::vector<const Row*> some;
    for (unsigned i = 0; i < count; ++i) some.push_back(&rows()[random() % rows().size()]);
    return some;
  };
  const unsigned functions = static_cast<unsigned>(random() % 3);
  std::vector<std::vector<Statement>> bodies;
  for (unsigned i = 0; i < functions; ++i) {
    Generator generator(program, random, true);
    bodies.push_back(generator.block(any_rows(8), 0, false));
  }
  program.functions = std::move(bodies);
  for (const Row* row : any_rows(other_rows)) wanted.push_back(row);
  for (std::size_t i = wanted.size(); i > 1; --i) std::swap(wanted[i - 1], wanted[random() % i]);
  Generator generator(program, random, false);
  program.statements = generator.block(wanted, 0, true);
  for (Statement& statement : generator.rest()) program.statements.push_back(std::move(statement));
  return program;
}

}  // namespace ladder::emulator::fuzz
