// What observers found in launches: once for each pair of instructions, and not without end.
#pragma once

#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "common/emulator/finding.hpp"
#include "common/emulator/ptx/module.hpp"

namespace ladder::emulator {

class Findings {
 public:
  static constexpr std::size_t most = 32;

  // Whether a finding about these two would be kept: making its text costs.
  bool wanted(const ptx::Instruction* first, const ptx::Instruction* second = nullptr);
  void add(Finding finding, const ptx::Instruction* first,
           const ptx::Instruction* second = nullptr);
  // `forget`: what was found before is told again. Not while a launch runs that may have found it.
  std::vector<Finding> take(bool forget);

 private:
  std::mutex mutex_;
  std::vector<Finding> list_;
  std::set<std::pair<const ptx::Instruction*, const ptx::Instruction*>> known_;
};

}  // namespace ladder::emulator
