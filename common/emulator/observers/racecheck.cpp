// Two threads at one place of shared or global memory, at least one of them writing, in no order: on a
// GPU, either may come first.
//
// Happens-before is followed as PTX defines it (memory consistency model): barriers of a block and of
// a warp, mbarriers, fences with strong accesses, acquire and release. What one host thread executes
// in some order is compared with it, so that a race shows although every run gives the same result.
//
// Reads of memory that the kernel has no pointer to write to (written_parameters.hpp) are not looked at.
//
// A finding is certain up to two deliberate mercies: what one thread learns, its warp knows; and where
// several threads have read a place and some of them are known to be past it, all count as past it.
#include "common/emulator/observers/observers.hpp"
#include "common/emulator/observers/racecheck_block.hpp"

namespace ladder::emulator {

namespace {

class Racecheck : public Observer {
 public:
  bool needs_one_thread() const override { return true; }
  std::unique_ptr<BlockObserver> observe(ThreadBlock& block) override {
    return std::make_unique<BlockRaces>(races_, block);
  }
  void launch_starts(const LaunchState& launch) override { races_.start(launch); }
  void launch_ends(const LaunchState&) override { races_.end(); }
  void freed(DeviceAddress address, std::size_t bytes) override { races_.freed(address, bytes); }

 private:
  LaunchRaces races_;
};

}  // namespace

std::unique_ptr<Observer> make_racecheck() {
  return std::make_unique<Racecheck>();
}

}  // namespace ladder::emulator
