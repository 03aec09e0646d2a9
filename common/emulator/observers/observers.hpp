// The observers there are. Each has a file of its own here. Counters are none: they are counted at
// the door (exec/observed.cpp), and summed up by counters.hpp.
#pragma once

#include <memory>
#include <vector>

#include "common/emulator/exec/observer.hpp"
#include "common/emulator/trace.hpp"

namespace ladder::emulator {

std::unique_ptr<Observer> make_initcheck(const DeviceMemory& memory, Findings& findings);
std::unique_ptr<Observer> make_synccheck();
std::unique_ptr<Observer> make_racecheck();
std::unique_ptr<Observer> make_trace(Trace& trace, const DeviceMemory& memory);

// One for each check that is on.
std::vector<std::unique_ptr<Observer>> make_observers(Watch watch, const DeviceMemory& memory,
                                                      Findings& findings, Trace& trace);

}  // namespace ladder::emulator
