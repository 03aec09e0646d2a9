// A profile for a terminal.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>

#include "common/emulator/counters.hpp"
#include "common/harness/profile.hpp"
#include "common/harness/table.hpp"
#include "common/harness/text.hpp"

namespace ladder {
namespace {

constexpr std::size_t most_launches = 6;
constexpr std::size_t most_hot_lines = 6;

double value_of(const std::map<std::string, double>& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

std::string grouped(double value) {
  char digits[48];
  std::snprintf(digits, sizeof digits, value == std::floor(value) ? "%.0f" : "%.2f", value);
  std::string text = digits;
  const std::size_t end = std::min(text.find('.'), text.size());
  for (std::size_t at = end; at > 3; at -= 3) text.insert(at - 3, 1, ' ');
  return text;
}

std::string dim_text(const int (&d)[3]) {
  std::string text = std::to_string(d[0]);
  if (d[1] > 1 || d[2] > 1) text += " x " + std::to_string(d[1]);
  if (d[2] > 1) text += " x " + std::to_string(d[2]);
  return text;
}

// Lines of at most `width` columns, each with `indent` blanks before it.
std::string wrapped(const std::string& text, int indent, int width) {
  std::string result, line;
  for (const std::string& word : split_words(text)) {
    if (!line.empty() && indent + columns_of(line) + 1 + columns_of(word) > width) {
      result += std::string(static_cast<std::size_t>(indent), ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + std::string(static_cast<std::size_t>(indent), ' ') + line + "\n";
}

struct Described {
  std::string name, unit, meaning;
};

std::vector<Described> described() {
  std::vector<Described> all;
  for (const emulator::CounterInfo& info : emulator::counter_infos())
    all.push_back({info.name, info.unit, info.meaning});
  for (const emulator::DerivedInfo& info : emulator::derived_infos())
    if (info.kind == emulator::DerivedInfo::Kind::ratio)
      all.push_back({info.name, info.unit, info.meaning});
  return all;
}

std::string counter_rows(const LaunchProfile& launch, const Style& style) {
  std::string text;
  char row[160];
  std::snprintf(row, sizeof row, "  %-36s%14s%14s%8s\n", "", "counted", "ideal", "times");
  text += coloured(row, Colour::dim, style);
  for (const Described& counter : described()) {
    const double value = value_of(launch.counters, counter.name);
    if (value == 0 || counter.name.ends_with(".ideal") || counter.name == "launches") continue;
    const double ideal = value_of(launch.counters, counter.name + ".ideal");
    const double ratio = ideal > 0 ? value / ideal : 1;
    std::snprintf(row, sizeof row, "  %-36s%14s%14s", counter.name.c_str(), grouped(value).c_str(),
                  ideal > 0 ? grouped(ideal).c_str() : "");
    text += row;
    if (ideal > 0) {
      std::snprintf(row, sizeof row, "%8.2f", ratio);
      text += coloured(row,
                       ratio >= 1.5   ? Colour::red
                       : ratio >= 1.1 ? Colour::yellow
                                      : Colour::green,
                       style);
    }
    text +=
        "\n" + coloured(wrapped(counter.meaning, 4, std::min(style.width, 78)), Colour::dim, style);
  }
  return text;
}

double traffic_of(const std::map<std::string, double>& counters) {
  double sum = 0;
  for (const char* name : {"global.load.sectors", "global.store.sectors", "global.red.sectors",
                           "global.atom.sectors", "local.load.sectors", "local.store.sectors"})
    sum += value_of(counters, name);
  return sum;
}

double shared_of(const std::map<std::string, double>& counters) {
  return value_of(counters, "shared.wavefronts") + value_of(counters, "shared.atomic.wavefronts") +
         value_of(counters, "shared.async.wavefronts");
}

std::vector<std::string> source_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Shares of the launch that one line has.
struct Heat {
  int line = 0;
  double instructions = 0, sectors = 0, wavefronts = 0;
  double hottest() const { return std::max({instructions, sectors, wavefronts}); }
};

std::string share(double part) {
  if (part == 0) return "";
  char text[16];
  std::snprintf(text, sizeof text, part < 0.01 ? "<1 %%" : "%.0f %%", 100 * part);
  return text;
}

std::string source_rows(const LaunchProfile& launch, const std::string& path, bool all_lines,
                        const Style& style) {
  const double instructions = std::max(value_of(launch.counters, "instructions.warp"), 1.0);
  const double sectors = std::max(traffic_of(launch.counters), 1.0);
  const double wavefronts = std::max(shared_of(launch.counters), 1.0);
  std::vector<Heat> heats;
  for (const LineProfile& line : launch.lines) {
    if (line.file != path) continue;
    heats.push_back({line.line, value_of(line.counters, "instructions.warp") / instructions,
                     traffic_of(line.counters) / sectors, shared_of(line.counters) / wavefronts});
  }
  std::set<int> shown;
  std::vector<Heat> hot = heats;
  std::stable_sort(hot.begin(), hot.end(),
                   [](const Heat& a, const Heat& b) { return a.hottest() > b.hottest(); });
  for (std::size_t i = 0; i < hot.size() && (all_lines || i < most_hot_lines); ++i)
    shown.insert(hot[i].line);
  const std::vector<std::string> source = source_of(path);
  char row[160];
  std::snprintf(row, sizeof row, "  %5s  %7s%8s%8s  %s\n", "line", "instr.", "sectors", "wavefr.",
                path.substr(path.rfind('/') + 1).c_str());
  std::string text = coloured(row, Colour::dim, style);
  const auto code_of = [&](int line) {
    const auto at = static_cast<std::size_t>(line - 1);
    std::string code = at < source.size() ? source[at] : "";
    std::replace(code.begin(), code.end(), '\t', ' ');
    return cut_to(code, std::max(style.width, 60) - 33, style.unicode);
  };
  const int last = heats.empty() ? 0 : heats.back().line;
  for (int line = all_lines && !heats.empty() ? heats.front().line : 0; line <= last; ++line) {
    const auto heat =
        std::find_if(heats.begin(), heats.end(), [&](const Heat& one) { return one.line == line; });
    if (heat == heats.end() || shown.count(line) == 0) {
      if (!all_lines) continue;
      std::snprintf(row, sizeof row, "  %5d  %23s  ", line, "");
      text += coloured(row + code_of(line), Colour::dim, style) + "\n";
      continue;
    }
    std::snprintf(row, sizeof row, "  %5d  %7s%8s%8s  ", line, share(heat->instructions).c_str(),
                  share(heat->sectors).c_str(), share(heat->wavefronts).c_str());
    text += coloured(row, heat->hottest() >= 0.3 ? Colour::yellow : Colour::none, style) +
            code_of(line) + "\n";
  }
  return text;
}

std::string launch_text(const LaunchProfile& launch, bool all_lines, const Style& style) {
  const int width = std::min(style.width, 78);
  std::string text =
      coloured(cut_to(launch.kernel, width, style.unicode), Colour::bold, style) + "\n";
  const double threads = 1.0 * launch.block[0] * launch.block[1] * launch.block[2];
  std::string shape = "  grid " + dim_text(launch.grid) + ", blocks of " + dim_text(launch.block) +
                      " threads, " + grouped(launch.shared_bytes) + " bytes of shared memory";
  text += shape + "\n";
  text +=
      wrapped("at most " + std::to_string(launch.warps) + " of " + std::to_string(launch.of_warps) +
                  " warps on a multiprocessor (" + std::to_string(launch.blocks) +
                  " blocks, limited by " + launch.limited_by + "; registers are not known here)",
              2, width);
  if (std::fmod(threads, 32) != 0)
    text += wrapped("a block is not a multiple of 32 threads: lanes of its last warp are idle", 2,
                    width);
  text += "\n";
  const std::vector<std::string> remarks = remarks_on(launch);
  for (const std::string& remark : remarks)
    text += coloured("  ! ", Colour::yellow, style) + wrapped(remark, 4, width).substr(4);
  if (remarks.empty()) text += "  nothing strikes: every access is about as tight as it can be\n";
  text += "\n" + counter_rows(launch, style);
  std::vector<std::string> files;
  for (const LineProfile& line : launch.lines)
    if (!line.file.empty() && std::find(files.begin(), files.end(), line.file) == files.end())
      files.push_back(line.file);
  for (const std::string& file : files) text += "\n" + source_rows(launch, file, all_lines, style);
  if (files.empty()) text += "\n  compiled without -lineinfo: nothing is known about lines\n";
  return text;
}

}  // namespace

std::string to_text(const Profile& profile, bool all_lines, const Style& style) {
  std::string text = profile.id;
  if (!profile.at.entries().empty()) text += " at " + profile.at.text();
  text += ", on the emulated H200\n";
  if (profile.verdict != Verdict::solved) text += std::string(name_of(profile.verdict)) + "\n";
  if (!profile.message.empty()) text += profile.message + "\n";
  if (profile.launches.empty() && profile.verdict == Verdict::solved)
    text += "  no kernel was launched\n";
  for (std::size_t i = 0; i < std::min(profile.launches.size(), most_launches); ++i)
    text += "\n" + launch_text(profile.launches[i], all_lines, style);
  if (profile.launches.size() > most_launches)
    text += "\nand " + std::to_string(profile.launches.size() - most_launches) +
            " more launches: --json has them all\n";
  return text;
}

}  // namespace ladder
