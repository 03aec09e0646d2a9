// barrier.cluster.arrive and .wait. A block is a cluster of its own, so they are a barrier of the
// block in two halves: who has arrived goes on until it waits.
#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

void ThreadBlock::arrive_at_cluster(Warp& warp, std::uint32_t mask) {
  warp.in_cluster |= mask;
  reached_ |= 1u << cluster_barrier;
  ++worker.counters.barriers;
  release_cluster_if_complete();
}

void ThreadBlock::wait_for_cluster(Warp& warp, Group& group, const Block& at, std::uint32_t mask) {
  const std::uint32_t late = mask & warp.in_cluster;
  if (late == 0) return;
  Group rest = group;
  rest.mask = mask & ~late;
  group.mask = late;
  group.wait = Wait::barrier;
  group.at = &at;
  group.barrier = cluster_barrier;
  if (rest.mask != 0) warp.groups.push_back(rest);  // `group` is no more
}

void ThreadBlock::release_cluster_if_complete() {
  std::uint32_t arrived = 0;
  for (const auto& warp : warps_) {
    if ((warp->live() & ~warp->in_cluster) != 0) return;
    arrived |= warp->in_cluster;
  }
  if (arrived == 0) return;
  reached_ &= ~(1u << cluster_barrier);
  if (!observers.empty()) {
    std::vector<std::uint32_t> lanes_of_warp;
    for (const auto& warp : warps_) lanes_of_warp.push_back(warp->in_cluster);
    for (const auto& observer : observers) {
      observer->barrier_released({cluster_barrier, true, lanes_of_warp});
    }
  }
  for (const auto& warp : warps_) {
    warp->in_cluster = 0;
    for (Group& group : warp->groups) {
      if (group.wait == Wait::barrier && group.barrier == cluster_barrier) group.wait = Wait::none;
    }
  }
}

}  // namespace ladder::emulator
