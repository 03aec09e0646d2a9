// What the emulator found wrong: a fault that stops a kernel, or a mistake that an observer saw and
// that let it go on.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder::emulator {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

enum class FaultKind {
  none,
  invalid_ptx,  // does not parse, or an unsupported instruction
  out_of_memory,
  invalid_address,  // host-side call with a bad device pointer, double free
  invalid_launch,   // too many threads, too much shared memory, wrong arguments
  illegal_address,  // kernel: out of bounds, use after free, host pointer
  misaligned_address,
  assertion,  // assert() in a kernel
  trap,       // trap; brkpt
  deadlock,   // all waiting: barrier or sync that cannot complete
  timeout,
  unsupported,
  // Found by observers; the kernel goes on.
  race,
  uninitialized,   // read of memory that nobody wrote
  divergent_sync,  // a barrier in a branch, a shuffle from an absent lane
};

// An instruction that a thread executed.
struct Site {
  std::string place;        // "saxpy.cu:12"; "" without -lineinfo
  std::string instruction;  // "st.shared.f32 [%r3], %f1"
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::string role;  // of a second site: "written before by"
};

struct Finding {
  FaultKind kind = FaultKind::none;
  std::string what;    // "out of bounds: read of 4 bytes in global memory"
  std::string kernel;  // demangled; "": a call of the host's
  Site site;
  std::vector<Site> others;  // a race: the earlier access
  std::string where;         // the address and what lies there; may be empty
  std::string help;          // a sentence; may be empty

  // All of it for a learner, in several lines.
  std::string text() const;
};

// What a kernel or a call did wrong. what() is the whole text for a learner.
class Fault : public std::runtime_error {
 public:
  Fault(FaultKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  explicit Fault(const Finding& finding)
      : std::runtime_error(finding.text()),
        kind_(finding.kind),
        finding_(std::make_shared<const Finding>(finding)) {}
  FaultKind kind() const { return kind_; }
  const Finding* finding() const { return finding_.get(); }  // nullptr: not in a kernel

 private:
  FaultKind kind_;
  std::shared_ptr<const Finding> finding_;
};

}  // namespace ladder::emulator
