// Finds out whether a launch's threads wait in loops for what can never come: a lock that its holder
// will not give back, a flag that nobody is left to set.
//
// What is asked is no question of time. While an audit lasts, nothing else of the launch runs, and
// it looks at every instruction: do they only read device memory, compute, and try atomic operations
// that change nothing? Then memory stays as it is, and once all threads stand where they have stood
// before, with the same in their registers, they will go round for ever. Whoever reads a clock, the
// host's memory or counts rounds is never in the same state for the same reason, and is let alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

class ThreadBlock;
class Warp;
struct Group;

class WaitAudit {
 public:
  // Instead of running the instructions of `at` for the lanes of `mask`: that, and looks.
  void run(const Block& at, std::byte* rows, Warp& warp, std::uint32_t mask);
  // A warp has done something else than that: used up its time, finished.
  void disturb() { disturbed_ = true; }
  // Something happened that may lead on.
  bool disturbed() const { return disturbed_; }

  // What lanes of the warp read last to see whether they may go on: "0x7f..: 0 bytes into ...".
  std::string polled_place(const Warp& warp, std::uint32_t mask) const;
  // The instruction that did; nullptr: none.
  const ptx::Instruction* polling_instruction(const Warp& warp, std::uint32_t mask) const;

 private:
  enum class Kind : std::uint8_t { unknown, waits, acts };
  struct Polled {
    const ptx::Instruction* instruction = nullptr;
    ptx::Space space = ptx::Space::global;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
  };
  bool only_waits(const Block& at);
  const Polled* polled_by(const Warp& warp, std::uint32_t mask) const;

  std::unordered_map<const Block*, Kind> kinds_;
  std::map<std::pair<const Warp*, int>, Polled> polled_;  // by lane
  bool disturbed_ = false;
};

// Where all threads of the block stand and what their registers hold, as a number.
std::uint64_t state_of(const ThreadBlock& block);

}  // namespace ladder::emulator
