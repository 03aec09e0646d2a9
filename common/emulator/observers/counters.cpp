#include "common/emulator/observers/counters.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "common/emulator/exec/effects.hpp"

namespace ladder::emulator {

namespace {

using Field = std::uint64_t Counters::*;

// The counters that one kind of traffic goes to. Those with none stay nullptr.
struct TrafficFields {
  Field requests, units, ideal;
};

constexpr TrafficFields global_load = {&Counters::global_load_requests,
                                       &Counters::global_load_sectors,
                                       &Counters::global_load_sectors_ideal};
constexpr TrafficFields global_store = {&Counters::global_store_requests,
                                        &Counters::global_store_sectors,
                                        &Counters::global_store_sectors_ideal};
constexpr TrafficFields global_red = {&Counters::global_red_requests, &Counters::global_red_sectors,
                                      &Counters::global_red_sectors_ideal};
constexpr TrafficFields global_atom = {&Counters::global_atom_requests,
                                       &Counters::global_atom_sectors,
                                       &Counters::global_atom_sectors_ideal};
constexpr TrafficFields global_async = {&Counters::global_async_requests,
                                        &Counters::global_async_sectors,
                                        &Counters::global_async_sectors_ideal};
constexpr TrafficFields shared_load = {&Counters::shared_load_requests,
                                       &Counters::shared_load_wavefronts,
                                       &Counters::shared_load_wavefronts_ideal};
constexpr TrafficFields shared_store = {&Counters::shared_store_requests,
                                        &Counters::shared_store_wavefronts,
                                        &Counters::shared_store_wavefronts_ideal};
constexpr TrafficFields shared_atomic = {&Counters::shared_atomic_requests,
                                         &Counters::shared_atomic_wavefronts,
                                         &Counters::shared_atomic_wavefronts_ideal};
constexpr TrafficFields shared_async = {nullptr, &Counters::shared_async_wavefronts,
                                        &Counters::shared_async_wavefronts_ideal};
constexpr TrafficFields local_load = {&Counters::local_load_requests, &Counters::local_load_sectors,
                                      nullptr};
constexpr TrafficFields local_store = {&Counters::local_store_requests,
                                       &Counters::local_store_sectors, nullptr};
constexpr TrafficFields constant = {&Counters::constant_requests, &Counters::constant_words,
                                    nullptr};

void add(Counters& to, const TrafficFields& fields, const SiteTally::Traffic& from) {
  if (fields.requests != nullptr) to.*fields.requests += from.requests;
  if (fields.units != nullptr) to.*fields.units += from.units;
  if (fields.ideal != nullptr) to.*fields.ideal += from.ideal;
}

void add_global(Counters& to, const Function& function, const Inst& inst,
                const SiteTally::Traffic& from) {
  switch (inst.traffic) {
    case Traffic::load:
      return add(to, global_load, from);
    case Traffic::store:
      return add(to, global_store, from);
    case Traffic::async_copy:  // Nsight counts them twice, too
      add(to, global_load, from);
      return add(to, global_async, from);
    default:
      add(to, result_is_read(*function.source, *inst.source) ? global_atom : global_red, from);
  }
}

const TrafficFields& shared_fields(Traffic traffic) {
  switch (traffic) {
    case Traffic::load:
      return shared_load;
    case Traffic::store:
      return shared_store;
    case Traffic::async_copy:
      return shared_async;
    default:
      return shared_atomic;
  }
}

// What one function did, by its lines.
class FunctionCount {
 public:
  FunctionCount(const Function& function, const FunctionTally& tally)
      : function_(function), tally_(tally), lines_(function.lines.size()) {
    block_of_.resize(function.source->body.size());
    for (std::size_t b = 0; b < tally.blocks.size(); ++b) add_block(b);
    for (const Effect& effect : function.effects) add_effect(effect);
    for (const Inst& inst : function.observed) {
      if (inst.counted != Counted::nothing) add_traffic(inst);
    }
  }
  const std::vector<Counters>& lines() const { return lines_; }

 private:
  Counters& line_of(std::size_t instruction) { return lines_[function_.line_of[instruction]]; }

  void add_block(std::size_t number) {
    const Block& block = function_.observed_blocks[number];
    const BlockTally& tally = tally_.blocks[number];
    for (std::uint32_t i = block.body; i < block.body + block.count; ++i) {
      block_of_[i] = number;
      line_of(i).warp_instructions += tally.entries;
      line_of(i).thread_instructions += tally.lanes;
    }
    if (block.count == 0) return;
    Counters& end = line_of(block.body + block.count - 1);
    end.barriers += tally.arrivals;
    end.divergent_branches += tally.divergent;
    const bool branches =
        block.end == End::branch_indexed || (block.end == End::branch && block.guard != no_row);
    if (branches) end.branches += tally.entries;
  }

  void add_effect(const Effect& effect) {
    const BlockTally& block = tally_.blocks[block_of_[effect.instruction]];
    std::uint64_t times = effect.by_lane ? block.lanes : block.entries;
    if (effect.site != no_row) {
      const SiteTally& site = tally_.sites[effect.site];
      times = effect.by_lane ? site.lanes : site.executions;
    }
    line_of(effect.instruction).*effect.field += times * effect.amount;
  }

  void add_traffic(const Inst& inst) {
    Counters& line = line_of(static_cast<std::size_t>(inst.source - function_.source->body.data()));
    const SiteTally& site = tally_.sites[inst.cache];
    const auto at = [&](Where where) { return site.at[static_cast<std::size_t>(where)]; };
    add_global(line, function_, inst, at(Where::global));
    add(line, shared_fields(inst.traffic), at(Where::shared));
    add(line, inst.traffic == Traffic::load ? local_load : local_store, at(Where::local));
    add(line, constant, at(Where::constant));
  }

  const Function& function_;
  const FunctionTally& tally_;
  std::vector<Counters> lines_;
  std::vector<std::size_t> block_of_;  // by instruction of the body
};

}  // namespace

std::vector<LaunchRecord::Line> count_lines(const std::vector<const Function*>& functions,
                                            const Tally& tally) {
  std::map<std::pair<std::string, int>, Counters> sums;
  for (std::size_t f = 0; f < tally.functions.size(); ++f) {
    if (!tally.functions[f] || functions[f] == nullptr) continue;
    const FunctionCount count(*functions[f], *tally.functions[f]);
    for (std::size_t l = 0; l < functions[f]->lines.size(); ++l) {
      if (count.lines()[l].warp_instructions == 0) continue;
      sums[functions[f]->lines[l]] += count.lines()[l];
    }
  }
  std::vector<LaunchRecord::Line> lines;
  for (const auto& [place, counters] : sums) lines.push_back({place.first, place.second, counters});
  return lines;
}

}  // namespace ladder::emulator
