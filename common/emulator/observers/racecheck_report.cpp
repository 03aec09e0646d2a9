// What racecheck says when it has found something.
#include <algorithm>

#include "common/emulator/exec/findings.hpp"
#include "common/emulator/exec/shared_place.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/observers/racecheck_block.hpp"

namespace ladder::emulator {

namespace {

std::string thread_name(const Site& site) {
  const Dim3& t = site.thread;
  return "thread (" + std::to_string(t.x) + "," + std::to_string(t.y) + "," + std::to_string(t.z) +
         ")";
}

std::string block_name(const Site& site) {
  const Dim3& b = site.block;
  return "block (" + std::to_string(b.x) + "," + std::to_string(b.y) + "," + std::to_string(b.z) +
         ")";
}

enum class Apart { lanes, warps, blocks };

std::string what_happened(Hazard hazard, bool shared) {
  const std::string memory = shared ? "shared" : "global";
  switch (hazard) {
    case Hazard::read_after_write:
      return "race: read in " + memory + " memory of what another thread wrote, in no order";
    case Hazard::write_after_read:
      return "race: write in " + memory + " memory over what another thread read, in no order";
    case Hazard::write_after_write:
      return "race: write in " + memory + " memory over what another thread wrote, in no order";
    case Hazard::copy_in_flight:
      break;
  }
  return "race: access to shared memory that an asynchronous copy is still filling";
}

std::string remedy(Apart apart, bool one_is_strong) {
  if (one_is_strong) {
    return "one of the two is an ordinary access: make it atomic too, or order it with a barrier";
  }
  switch (apart) {
    case Apart::lanes:
      return "__syncwarp() between them (threads of a warp need not run in step)";
    case Apart::warps:
      return "__syncthreads() between them";
    case Apart::blocks:
      break;
  }
  return "blocks run in any order: add with an atomic, or pass it on through an atomic flag with "
         "__threadfence() on both sides, or use two launches";
}

}  // namespace

void BlockRaces::report(const Touch& touch, Hazard hazard, Stamp earlier, SiteNumber earlier_site) {
  Findings& findings = *block_.launch.findings;
  const LaunchRaces::Place place = launch_.place_of(earlier_site);
  // Once for the two, whichever came first.
  const auto [one, two] = std::minmax(place.instruction, touch.inst.source);
  if (!findings.wanted(one, two)) return;
  const bool copy = hazard == Hazard::copy_in_flight;
  const std::uint64_t owner = copy ? order_.number() : launch_.owner(epoch_of(earlier));
  const unsigned thread = touch.warp.thread_of(touch.lane);
  Site other =
      site_of(block_.launch, *place.function, place.instruction, owner, thread_of(earlier));
  const bool several = !copy && (earlier & (several_lanes | several_warps)) != 0;
  // A stamp keeps one of the threads, which may be the one whose access comes later.
  const bool itself = several && owner == order_.number() && thread_of(earlier) == thread;
  other.role = copy                                 ? "copied there by"
               : itself                             ? "read before by other threads and by"
               : hazard == Hazard::write_after_read ? "read before by"
                                                    : "written before by";
  const Apart apart =
      owner != order_.number() ? Apart::blocks
      : thread_of(earlier) / lanes == touch.warp.index && (earlier & several_warps) == 0
          ? Apart::lanes
          : Apart::warps;
  Finding finding =
      block_.finding(touch.warp, {FaultKind::race, what_happened(hazard, touch.shared), "", "",
                                  touch.lane, touch.inst.source});
  finding.where = touch.shared
                      ? "shared address " + hex(touch.address) + ": " +
                            shared_place(block_.launch, touch.address, touch.bytes)
                      : "address " + block_.launch.memory->describe(touch.address, touch.bytes);
  std::string who = itself ? "other threads than " + thread_name(other) : thread_name(other);
  if (apart == Apart::blocks) who += " of " + block_name(other);
  if (several && !itself) who += " and others";
  if (copy) {
    finding.help = "the copy that " + who + " started at " + other.place +
                   " has not been waited for: cp.async.wait_group (__pipeline_wait_prior, "
                   "cuda::pipeline's consumer_wait), then " +
                   (thread_of(earlier) == thread ? "use it" : "__syncthreads(), before it is used");
  } else {
    const bool strong = touch.strong() != ((earlier_site & strong_site) != 0);
    // Mostly an index that gives two threads one element; no barrier helps against that.
    const bool same_line = hazard == Hazard::write_after_write && apart != Apart::blocks &&
                           place.instruction == touch.inst.source;
    finding.help = who + (hazard == Hazard::write_after_read ? " read it at " : " wrote it at ") +
                   other.place +
                   (same_line ? " too: is the index right, and each thread's element its own? "
                                "If they are to take turns: "
                              : " and nothing orders the two: ") +
                   remedy(apart, strong);
  }
  finding.others.push_back(std::move(other));
  findings.add(std::move(finding), one, two);
}

}  // namespace ladder::emulator
