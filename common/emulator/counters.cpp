#include "common/emulator/counters.hpp"

namespace ladder::emulator {

namespace {

constexpr CounterInfo infos[] = {
#define COUNTER(field, name, metric, unit, meaning) {&Counters::field, name, metric, unit, meaning},
#include "common/emulator/counters.def"
#undef COUNTER
};

}  // namespace

std::span<const CounterInfo> counter_infos() {
  return infos;
}

Counters& Counters::operator+=(const Counters& more) {
  for (const CounterInfo& info : infos) this->*info.field += more.*info.field;
  kernel_seconds += more.kernel_seconds;
  return *this;
}

}  // namespace ladder::emulator
