#include "common/emulator/observers/observers.hpp"

namespace ladder::emulator {

std::vector<std::unique_ptr<Observer>> make_observers(Watch watch, const DeviceMemory& memory,
                                                      Findings& findings, Trace& trace) {
  std::vector<std::unique_ptr<Observer>> observers;
  if ((watch & watch_initcheck) != 0) observers.push_back(make_initcheck(memory, findings));
  if ((watch & watch_synccheck) != 0) observers.push_back(make_synccheck());
  if ((watch & watch_racecheck) != 0) observers.push_back(make_racecheck());
  if ((watch & watch_trace) != 0) observers.push_back(make_trace(trace, memory));
  return observers;
}

}  // namespace ladder::emulator
