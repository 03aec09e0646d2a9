#include "common/emulator/counters.hpp"

#include <map>
#include <optional>

namespace ladder::emulator {

namespace {

constexpr CounterInfo infos[] = {
#define COUNTER(field, name, metric, twin, unit, meaning) \
  {&Counters::field, name, metric, Twin::twin, unit, meaning, false},
#define LAUNCH_COUNTER(field, name, metric, twin, unit, meaning) \
  {&Counters::field, name, metric, Twin::twin, unit, meaning, true},
#include "common/emulator/counters.def"
};

constexpr DerivedInfo derived[] = {
#define SUM(name, one, other, unit, meaning) \
  {DerivedInfo::Kind::sum, name, one, other, "", unit, meaning},
#define RATIO(name, one, other, unit, meaning) \
  {DerivedInfo::Kind::ratio, name, one, other, "", unit, meaning},
#define EXCESS(name, one, metric, unit, meaning) \
  {DerivedInfo::Kind::excess, name, one, one ".ideal", metric, unit, meaning},
#include "common/emulator/counters.def"
};

}  // namespace

std::span<const CounterInfo> counter_infos() {
  return infos;
}

std::span<const DerivedInfo> derived_infos() {
  return derived;
}

Counters& Counters::operator+=(const Counters& more) {
  for (const CounterInfo& info : infos) this->*info.field += more.*info.field;
  kernel_seconds += more.kernel_seconds;
  return *this;
}

std::vector<std::pair<std::string, double>> named_counters(const Counters& counters) {
  std::vector<std::pair<std::string, double>> named;
  std::map<std::string, double> known;
  const auto add = [&](const std::string& name, double value) {
    named.emplace_back(name, value);
    known[name] = value;
  };
  const auto find = [&](const std::string& name) -> std::optional<double> {
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  };
  for (const CounterInfo& info : infos) add(info.name, static_cast<double>(counters.*info.field));
  const auto combine = [&](const DerivedInfo& info, const std::string& one,
                           const std::string& other, const std::string& name) {
    const auto a = find(one), b = find(other);
    if (!a || !b) return;
    switch (info.kind) {
      case DerivedInfo::Kind::sum:
        return add(name, *a + *b);
      case DerivedInfo::Kind::ratio:
        return add(name, *b == 0 ? 0 : *a / *b);
      case DerivedInfo::Kind::excess:
        return add(name, *a - *b);
    }
  };
  for (const DerivedInfo& info : derived) {
    const std::string one = info.one, other = info.other, name = info.name;
    combine(info, one, other, name);
    if (info.kind == DerivedInfo::Kind::sum)
      combine(info, one + ".ideal", other + ".ideal", name + ".ideal");
    if (info.kind == DerivedInfo::Kind::ratio)
      combine(info, one + ".ideal", other, name + ".ideal");
  }
  return named;
}

}  // namespace ladder::emulator
