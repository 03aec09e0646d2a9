// What strikes in a launch's counters.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "common/harness/profile.hpp"

namespace ladder {
namespace {

double value_of(const std::map<std::string, double>& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value == static_cast<long long>(value) ? "%.0f" : "%.1f", value);
  return text;
}

struct Remark {
  double weight;  // what is wasted, in sectors or wavefronts or the like
  std::string text;
};

class Remarks {
 public:
  explicit Remarks(const LaunchProfile& launch) : launch_(launch) {}

  std::vector<std::string> all() {
    sectors("global.load", "reads");
    sectors("global.store", "writes");
    wavefronts("shared.load", "reads");
    wavefronts("shared.store", "writes");
    atomics();
    rereads();
    divergence();
    idle_lanes();
    local();
    constants();
    std::stable_sort(remarks_.begin(), remarks_.end(),
                     [](const Remark& a, const Remark& b) { return a.weight > b.weight; });
    std::vector<std::string> texts;
    for (const Remark& remark : remarks_) texts.push_back(remark.text);
    return texts;
  }

 private:
  double count(const std::string& name) const { return value_of(launch_.counters, name); }

  // "line 12: ", or "reduction.cuh:12: " if several files were compiled together: where most of
  // `name` beyond `ideal` happens.
  std::string where(const std::string& name, const std::string& ideal = "") const {
    const LineProfile* worst = nullptr;
    double most = 0;
    for (const LineProfile& line : launch_.lines) {
      const double here = value_of(line.counters, name) - value_of(line.counters, ideal);
      if (line.line == 0 || here <= most) continue;
      most = here;
      worst = &line;
    }
    if (worst == nullptr) return "";
    const bool one_file = std::all_of(
        launch_.lines.begin(), launch_.lines.end(),
        [&](const LineProfile& line) { return line.file == worst->file || line.line == 0; });
    const std::string file = std::filesystem::path(worst->file).filename();
    return (one_file ? "line " : file + ":") + std::to_string(worst->line) + ": ";
  }

  void sectors(const std::string& kind, const std::string& verb) {
    const double have = count(kind + ".sectors"), ideal = count(kind + ".sectors.ideal");
    const double requests = count(kind + ".requests");
    if (ideal == 0 || have < 1.1 * ideal) return;
    const double ratio = have / ideal;
    std::string text = where(kind + ".sectors", kind + ".sectors.ideal") + number(have / requests) +
                       " sectors per request where " + number(ideal / requests) + " would do";
    if (ratio < 1.5) {
      text += ": rows begin in the middle of a sector";
    } else if (ratio < 7) {
      text += ": it " + verb + " as if lanes were " + number(ratio) + " elements apart";
    } else {
      text += ": each lane " + verb + " a sector of its own";
    }
    remarks_.push_back({have - ideal, text});
  }

  void wavefronts(const std::string& kind, const std::string& verb) {
    const double have = count(kind + ".wavefronts"), ideal = count(kind + ".wavefronts.ideal");
    const double requests = count(kind + ".requests");
    if (ideal == 0 || have < 1.1 * ideal) return;
    remarks_.push_back(
        {have - ideal, where(kind + ".wavefronts", kind + ".wavefronts.ideal") +
                           number(have / requests) + " wavefronts per request where " +
                           number(ideal / requests) + " would do: bank conflicts, as it " + verb +
                           " several words of one bank"});
  }

  void atomics() {
    const double have = count("global.atomic.sectors");
    const double ideal = count("global.atomic.sectors.ideal");
    if (ideal == 0 || have < 2 * ideal) return;
    remarks_.push_back(
        {have - ideal, where("global.atomic.sectors") + number(have / ideal) +
                           " lanes update one place, one after another: combine a warp's or a "
                           "block's values first"});
  }

  void rereads() {
    const double read = count("global.load.sectors") * 32, unique = count("global.unique.read");
    if (unique == 0 || read < 3 * unique) return;
    remarks_.push_back({(read - unique) / 32,
                        "global memory is read " + number(read / unique) +
                            " times over: caches may help, shared memory or registers surely"});
  }

  void divergence() {
    const double parted = count("branches.divergent"), all = count("branches");
    if (all == 0 || parted < 0.1 * all) return;
    remarks_.push_back({parted, where("branches.divergent") + number(100 * parted / all) +
                                    " % of the branches part a warp's lanes"});
  }

  void idle_lanes() {
    const double active = count("lanes_per_instruction");
    if (active == 0 || active > 28) return;
    remarks_.push_back({(32 - active) / 32 * count("instructions.warp"),
                        number(active) + " of 32 lanes are active in an instruction"});
  }

  void local() {
    const double have = count("local.load.sectors") + count("local.store.sectors");
    if (have == 0) return;
    remarks_.push_back({have, where("local.requests") +
                                  "a local array lies in memory: indices that are known when "
                                  "compiling would keep it in registers"});
  }

  void constants() {
    const double words = count("constant.words"), requests = count("constant.requests");
    if (requests == 0 || words < 2 * requests) return;
    remarks_.push_back({words - requests, where("constant.words", "constant.requests") +
                                              number(words / requests) +
                                              " different constants per request: they are read "
                                              "one after another"});
  }

  const LaunchProfile& launch_;
  std::vector<Remark> remarks_;
};

}  // namespace

std::vector<std::string> remarks_on(const LaunchProfile& launch) {
  return Remarks(launch).all();
}

}  // namespace ladder
