// Finds threads that do not meet where they should: barriers that only a part of a block reaches,
// or that are different ones, and warp operations whose mask names lanes that are not there.
//
// A GPU lets many of these pass: it counts arrivals and does not ask who was left out. What each
// lane does is judged, not what came of it.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "common/emulator/exec/findings.hpp"
#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/shuffle.hpp"
#include "common/emulator/exec/sync_sites.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/thread_block.hpp"
#include "common/emulator/observers/observers.hpp"

namespace ladder::emulator {

namespace {

int first_lane(std::uint32_t mask) {
  return std::countr_zero(mask);
}

std::uint32_t bit(int lane) {
  return std::uint32_t{1} << lane;
}

const std::uint32_t* words(const std::byte* rows, std::uint32_t offset) {
  return reinterpret_cast<const std::uint32_t*>(rows + offset);
}

// Lanes that have come to a barrier together.
struct Arrival {
  Warp* warp;
  std::uint32_t mask;
  const Function* function;
  const ptx::Instruction* at;
  bool aligned;   // its warp must come together
  bool everyone;  // all threads of the block must come
};

class BlockSyncCheck : public BlockObserver {
 public:
  explicit BlockSyncCheck(ThreadBlock& block)
      : block_(block),
        findings_(*block.launch.findings),
        past_(block.launch.function->sync_sites.size() * block.launch.warps) {}

  void start() override {
    std::fill(past_.begin(), past_.end(), 0u);
    for (auto& list : arrivals_) list.clear();
  }

  void went_past(Warp& warp, const std::vector<std::uint32_t>& sites, std::uint32_t mask) override {
    for (const std::uint32_t site : sites) past(site, warp) |= mask;
  }

  void barrier_reached(Warp& warp, const Block& at, std::uint32_t mask) override {
    const unsigned id = ThreadBlock::barrier_id(warp.frame->rows, at, first_lane(mask));
    const std::string_view opcode = at.end_source->opcode;
    const bool aligned = opcode.starts_with("bar.") || opcode.find(".aligned") != opcode.npos;
    arrivals_[id].push_back(
        {&warp, mask, warp.frame->function, at.end_source, aligned, at.barrier_count == no_row});
  }

  void barrier_released(const BarrierMeeting& meeting) override {
    std::vector<Arrival>& arrivals = arrivals_[meeting.id];
    check_same(arrivals);
    check_nobody_past(arrivals);
    arrivals.clear();
  }

  void collective(Warp& warp, const Inst& inst, const std::byte* rows,
                  std::uint32_t mask) override {
    const std::uint32_t* members = words(rows, warp.running()->members);
    if (mask == all_lanes && members[0] == all_lanes &&
        std::equal(members + 1, members + lanes, members)) {
      return;
    }
    std::uint32_t named = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const int lane = first_lane(left);
      named |= members[lane];
      if ((members[lane] & bit(lane)) == 0) {
        report(warp, inst, lane, "a lane that its own mask does not name",
               "mask " + mask_text(members[lane]) + " of lane " + std::to_string(lane),
               "the mask must name every lane that executes the instruction, and no other");
      }
      check_masks_agree(warp, inst, members, lane, mask);
    }
    check_members_not_past(warp, inst, named & ~mask & ~warp.live(), mask);
    if (std::string_view(inst.source->opcode).starts_with("shfl")) {
      check_shuffle(warp, inst, rows, members, mask);
    }
  }

 private:
  static std::string mask_text(std::uint32_t mask) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", mask);
    return text;
  }

  std::uint32_t& past(std::uint32_t site, const Warp& warp) {
    return past_[site * block_.launch.warps + warp.index];
  }

  // All at one place? Whoever gives a number of threads may meet at several: only the lanes of each
  // warp must then come together.
  void check_same(const std::vector<Arrival>& arrivals) {
    const bool all_at_one = std::all_of(arrivals.begin(), arrivals.end(), [&](const Arrival& one) {
      return one.at == arrivals.front().at;
    });
    if (all_at_one) return;
    for (const Arrival& one : arrivals) {
      for (const Arrival* other : {&arrivals.front(), first_of(arrivals, *one.warp)}) {
        const bool bound = other->warp == one.warp ? one.aligned && other->aligned
                                                   : one.everyone && other->everyone;
        if (!bound || one.at == other->at) continue;
        if (one.function == other->function &&
            same_place(*one.function->source, *one.at, *other->at)) {
          continue;
        }
        const bool in_warp = other->warp == one.warp;
        const bool fewer = threads_at(arrivals, one.at) <= threads_at(arrivals, other->at);
        report_barrier(fewer ? one : *other, fewer ? *other : one,
                       in_warp ? "lanes of one warp wait at different __syncthreads()"
                               : "threads of the block wait at different __syncthreads()",
                       "at the same time waiting:");
      }
    }
  }

  static const Arrival* first_of(const std::vector<Arrival>& arrivals, const Warp& warp) {
    return &*std::find_if(arrivals.begin(), arrivals.end(),
                          [&](const Arrival& arrival) { return arrival.warp == &warp; });
  }

  static int threads_at(const std::vector<Arrival>& arrivals, const ptx::Instruction* at) {
    int threads = 0;
    for (const Arrival& arrival : arrivals) {
      if (arrival.at == at) threads += std::popcount(arrival.mask);
    }
    return threads;
  }

  // Has a thread left this barrier out, done other things and returned?
  void check_nobody_past(const std::vector<Arrival>& arrivals) {
    const auto& sites = block_.launch.function->sync_sites;
    const ptx::Instruction* last = nullptr;
    for (const Arrival& arrival : arrivals) {
      if (arrival.at == last || !arrival.everyone) continue;
      last = arrival.at;
      const auto site = sites.find(arrival.at);
      if (site == sites.end()) continue;
      for (const auto& warp : block_.warps()) {
        const std::uint32_t left_out = past(site->second, *warp) & ~warp->live();
        if (left_out == 0) continue;
        Arrival other{warp.get(), left_out, arrival.function, nullptr, false, false};
        report_barrier(arrival, other, "a __syncthreads() that some threads of the block leave out",
                       "went on without it:");
        break;
      }
    }
  }

  void report_barrier(const Arrival& one, const Arrival& other, const std::string& what,
                      const std::string& role) {
    if (!findings_.wanted(one.at, other.at)) return;
    Finding found = block_.finding(
        *one.warp,
        {FaultKind::divergent_sync, "divergent barrier: " + what, "",
         "a __syncthreads() in a branch or a loop must be reached by all threads of the block or "
         "by "
         "none: move it out of the branch, or let the condition be the same for the whole block",
         first_lane(one.mask), nullptr});
    found.site = site(one);
    found.others.push_back(site(other));
    found.others.back().role = role;
    findings_.add(std::move(found), one.at, other.at);
  }

  Site site(const Arrival& arrival) const {
    return site_of(block_.launch, *arrival.function, arrival.at, block_.number,
                   arrival.warp->thread_of(first_lane(arrival.mask)));
  }

  void check_masks_agree(Warp& warp, const Inst& inst, const std::uint32_t* members, int lane,
                         std::uint32_t mask) {
    for (std::uint32_t left = members[lane] & mask; left != 0; left &= left - 1) {
      const int other = first_lane(left);
      if (members[other] == members[lane]) continue;
      report(warp, inst, lane, "lanes with different masks",
             "lane " + std::to_string(lane) + " has mask " + mask_text(members[lane]) +
                 ", which names lane " + std::to_string(other) + ", and that has " +
                 mask_text(members[other]),
             "all lanes that a mask names must give the same mask");
      return;
    }
  }

  // Members that have returned after they left this instruction out.
  void check_members_not_past(Warp& warp, const Inst& inst, std::uint32_t gone,
                              std::uint32_t mask) {
    const auto& sites = block_.launch.function->sync_sites;
    const auto site = sites.find(inst.source);
    if (gone == 0 || site == sites.end()) return;
    const std::uint32_t left_out = past(site->second, warp) & gone;
    if (left_out == 0) return;
    report(warp, inst, first_lane(mask), "its mask names lanes that leave it out",
           lanes_text(left_out) + " of warp " + std::to_string(warp.index) +
               " went past it and returned; here are " + lanes_text(mask),
           "a shuffle, vote or __syncwarp() in a branch must name only the lanes that take the "
           "branch: find the mask before it with __ballot_sync, or move it out of the branch");
  }

  // Reading a lane that is not there gives an undefined value. That is no mistake where nobody uses
  // it, as in the last steps of a reduction over a part of a warp: so it is one only where the mask
  // names the lane, or where no lane reads one that takes part.
  void check_shuffle(Warp& warp, const Inst& inst, const std::byte* rows,
                     const std::uint32_t* members, std::uint32_t mask) {
    std::uint32_t named_reader = 0, outside = 0, inside = 0;
    std::array<int, lanes> from{};
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const int lane = first_lane(left);
      const auto source =
          shuffle_source(shuffle_kind(inst.source->opcode), lane, words(rows, inst.s[1])[lane],
                         words(rows, inst.s[2])[lane]);
      if (!source) continue;
      from[static_cast<std::size_t>(lane)] = *source;
      const bool there = ((mask >> *source) & 1) != 0 && *source != lane;
      if (there) inside |= bit(lane);
      if (((mask >> *source) & 1) != 0) continue;
      ((members[lane] >> *source) & 1 ? named_reader : outside) |= bit(lane);
    }
    const std::uint32_t wrong = named_reader != 0 ? named_reader : inside == 0 ? outside : 0;
    if (wrong == 0) return;
    const int lane = first_lane(wrong);
    const int absent = from[static_cast<std::size_t>(lane)];
    report(warp, inst, lane, "a shuffle reads from a lane that is not there",
           "lane " + std::to_string(lane) + " reads from lane " + std::to_string(absent) +
               ", which " + state_of(warp, absent, members[lane]) + "; the value is undefined",
           "let all lanes of the warp reach the shuffle with a value that does no harm (0 for a "
           "sum), or name only those that take part and read from no other");
  }

  std::string state_of(const Warp& warp, int lane, std::uint32_t members) const {
    if (warp.thread_of(lane) >= block_.launch.threads) {
      return "does not exist in a block of " + std::to_string(block_.launch.threads) + " threads";
    }
    if ((warp.live() & bit(lane)) == 0) return "has returned from the kernel";
    return (members & bit(lane)) == 0 ? "mask " + mask_text(members) + " does not name"
                                      : "is elsewhere";
  }

  void report(Warp& warp, const Inst& inst, int lane, const std::string& what,
              const std::string& where, const std::string& help) {
    if (!findings_.wanted(inst.source)) return;
    findings_.add(block_.finding(warp, {FaultKind::divergent_sync, "absent lanes: " + what, where,
                                        help, lane, inst.source}),
                  inst.source);
  }

  ThreadBlock& block_;
  Findings& findings_;
  std::array<std::vector<Arrival>, ThreadBlock::cluster_barrier + 1> arrivals_;  // by barrier
  std::vector<std::uint32_t> past_;  // by site, then warp: lanes that have left it out for good
};

class SyncCheck : public Observer {
 public:
  bool wants_accesses() const override { return false; }
  std::unique_ptr<BlockObserver> observe(ThreadBlock& block) override {
    return std::make_unique<BlockSyncCheck>(block);
  }
};

}  // namespace

std::unique_ptr<Observer> make_synccheck() {
  return std::make_unique<SyncCheck>();
}

}  // namespace ladder::emulator
