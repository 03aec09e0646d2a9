#include "common/emulator/observers/observers.hpp"

namespace ladder::emulator {

std::vector<std::unique_ptr<Observer>> make_observers(Watch watch) {
  std::vector<std::unique_ptr<Observer>> observers;
  if ((watch & watch_synccheck) != 0) observers.push_back(make_synccheck());
  if ((watch & watch_racecheck) != 0) observers.push_back(make_racecheck());
  return observers;
}

}  // namespace ladder::emulator
