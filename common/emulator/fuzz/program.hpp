// A random program: a kernel as a tree of statements, and what it leaves behind.
//
// Every statement can be taken away and the rest is still a program, so that one that behaves
// differently on two machines can be made small. All registers have values from the start. A
// statement folds each result into the accumulator %acc, so nothing that goes wrong is lost.
// Behind each statement of the kernel 16 bits of %acc are stored, which tell where two machines
// part. The result of an approximation is never folded or used: it goes with its operands to words
// of its own, which are compared within PTX's bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/emulator/kernel_runs/kernel_run.hpp"
#include "common/emulator/opcodes/reference.hpp"

namespace ladder::emulator::fuzz {

using opcodes::Operand;
using opcodes::Reference;
using opcodes::u32;
using opcodes::u64;

struct Statement {
  std::string open, middle, close;     // text before, between and after the parts
  std::vector<Statement> body, other;  // of a loop or a branch, and of its other side
  std::vector<std::string> rows;       // of the instruction tables, executed when it is reached
  bool always = true;                  // the body is reached when the statement is
};

// One approximate instruction: word `first` of a thread's words and those behind it are its
// operands, then its result.
struct Approximation {
  const Reference* reference;
  unsigned first;
};

inline constexpr unsigned totals = 32;  // words that all threads of the grid, or of a block, update
inline constexpr unsigned scratch_bytes = 128, tile_bytes = 64;  // of a thread

struct Parting {
  std::size_t statement, thread;
};

struct Program {
  u64 seed = 0;
  unsigned blocks = 1, threads = 64;
  std::vector<std::vector<Statement>> functions;
  std::vector<Statement> statements;
  std::vector<Approximation> approximations;
  unsigned words = 1;                             // of a thread; the first is its accumulator
  unsigned global_totals = 0, shared_totals = 0;  // used so far

  // The kernel's name and that of all it declares begin with `prefix`, so that many programs can
  // stand in one module behind module_head.
  std::string text(const std::string& prefix = "") const;
  KernelRun run(const std::string& prefix = "") const;
  // Rows that are certainly executed, once for each statement that does.
  std::vector<std::string> hits() const;
  // The first statement behind which %acc differs. Both must be whole.
  std::optional<Parting> parting(const std::vector<std::byte>& gpu,
                                 const std::vector<std::byte>& emulator) const;
  std::size_t trace_place(const Parting& where) const;  // of its 16 bits in the output
  std::string statement_text(std::size_t i) const;
  // "": both left the same behind.
  std::string difference(const std::vector<std::byte>& gpu,
                         const std::vector<std::byte>& emulator) const;

 private:
  std::size_t words_bytes() const;
  std::size_t trace_start() const;
  std::string place_of(std::size_t word) const;
  std::size_t trace_bytes() const;  // of a thread
  std::size_t out_bytes() const;
};

inline constexpr char module_head[] = ".version 8.6\n.target sm_90\n.address_size 64\n";

// Registers of each kind that hold values; the first half is overwritten, the rest stays.
inline constexpr unsigned pool = 8, predicate_pool = 6;
// Words of input for a thread, and the first of each kind.
inline constexpr unsigned input_words = 48;
inline constexpr unsigned first_h = 0, first_r = 8, first_d = 16, first_f = 24, first_e = 32,
                          first_p = 40;

}  // namespace ladder::emulator::fuzz
