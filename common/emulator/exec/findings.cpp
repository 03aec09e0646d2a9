#include "common/emulator/exec/findings.hpp"

namespace ladder::emulator {

bool Findings::wanted(const ptx::Instruction* first, const ptx::Instruction* second) {
  const std::lock_guard lock(mutex_);
  return list_.size() < most && !known_.contains({first, second});
}

void Findings::add(Finding finding, const ptx::Instruction* first, const ptx::Instruction* second) {
  const std::lock_guard lock(mutex_);
  if (list_.size() < most && known_.insert({first, second}).second) {
    list_.push_back(std::move(finding));
  }
}

std::vector<Finding> Findings::take(bool forget) {
  const std::lock_guard lock(mutex_);
  if (forget) known_.clear();
  return std::exchange(list_, {});
}

}  // namespace ladder::emulator
