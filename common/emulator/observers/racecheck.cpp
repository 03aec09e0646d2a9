// Two threads at one place of shared or global memory, at least one of them writing, in no order:
// on a GPU, either may come first.
//
// Happens-before is followed as PTX defines it (memory consistency model): barriers of a block and
// of a warp, mbarriers, fences with strong accesses, acquire and release. What one host thread
// executes in some order is compared with it, so that a race shows although every run gives the
// same result.
//
// Each launch is looked at for itself, also of those that run at the same time.
//
// Reads of memory that the kernel has no pointer to write to (written_parameters.hpp) are not
// looked at.
//
// A finding is certain up to two deliberate mercies: what one thread learns, its warp knows; and
// where several threads have read a place and some of them are known to be past it, all count as
// past it.
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/emulator/observers/observers.hpp"
#include "common/emulator/observers/racecheck_block.hpp"

namespace ladder::emulator {

namespace {

class Racecheck : public Observer {
 public:
  bool needs_one_thread() const override { return true; }
  std::unique_ptr<BlockObserver> observe(ThreadBlock& block) override {
    const std::lock_guard lock(mutex_);
    return std::make_unique<BlockRaces>(*running_.at(&block.launch), block);
  }
  void launch_starts(const LaunchState& launch) override {
    const std::lock_guard lock(mutex_);
    if (idle_ == nullptr) idle_ = std::make_unique<LaunchRaces>();
    idle_->start(launch);
    running_.emplace(&launch, std::move(idle_));
  }
  void launch_ends(const LaunchState& launch) override {
    const std::lock_guard lock(mutex_);
    const auto ended = running_.extract(&launch);
    if (idle_ == nullptr && !ended.empty()) {
      idle_ = std::move(ended.mapped());
      idle_->end();
      for (const auto& [address, bytes] : freed_meanwhile_) idle_->freed(address, bytes);
    }
    if (running_.empty()) freed_meanwhile_.clear();
  }
  void freed(DeviceAddress address, std::size_t bytes) override {
    if (idle_ != nullptr) idle_->freed(address, bytes);
    if (!running_.empty()) freed_meanwhile_.emplace_back(address, bytes);
  }

 private:
  std::mutex mutex_;  // of running_
  std::map<const LaunchState*, std::unique_ptr<LaunchRaces>> running_;
  // What one that has ended knew of memory, which is dear to make, serves the next.
  std::unique_ptr<LaunchRaces> idle_;
  std::vector<std::pair<DeviceAddress, std::size_t>> freed_meanwhile_;
};

}  // namespace

std::unique_ptr<Observer> make_racecheck() {
  return std::make_unique<Racecheck>();
}

}  // namespace ladder::emulator
