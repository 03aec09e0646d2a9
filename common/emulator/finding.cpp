#include "common/emulator/finding.hpp"

namespace ladder::emulator {

namespace {

std::string triple(const Dim3& d) {
  return std::string("(") + std::to_string(d.x) + "," + std::to_string(d.y) + "," +
         std::to_string(d.z) + ")";
}

std::string instruction_text(const Site& site) {
  return site.place.empty() ? site.instruction : site.place + ": " + site.instruction;
}

std::string who(const Site& site) {
  return "block " + triple(site.block) + ", thread " + triple(site.thread);
}

// Which check a finding is the business of; nullptr: none.
const char* observer_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
    case FaultKind::misaligned_address:
      return "memcheck";
    case FaultKind::race:
      return "racecheck";
    case FaultKind::uninitialized:
      return "initcheck";
    case FaultKind::divergent_sync:
    case FaultKind::deadlock:
      return "synccheck";
    default:
      return nullptr;
  }
}

}  // namespace

std::string Finding::text() const {
  std::string text = what;
  if (!site.instruction.empty()) text += "\n  at " + instruction_text(site);
  if (!where.empty()) text += "\n  " + where;
  if (!kernel.empty()) text += "\n  in kernel " + kernel + ", " + who(site);
  for (const Site& other : others) {
    text += "\n  " + other.role + " " + who(other);
    if (!other.instruction.empty()) text += ", at " + instruction_text(other);
  }
  if (const char* observer = observer_of(kind)) text += std::string("\n  found by ") + observer;
  if (!help.empty()) text += "\n  help: " + help;
  return text;
}

}  // namespace ladder::emulator
