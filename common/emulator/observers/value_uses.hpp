// What a kernel does with a value that it has loaded, as far as its text tells.
#pragma once

#include "common/emulator/ptx/module.hpp"

namespace ladder::emulator {

enum class ValueUse {
  never,       // no instruction reads it
  chosen,      // only selp reads it: a compiler loads early what may turn out not to be wanted
  only_moved,  // stored as it is, as when a structure is copied with its padding
  used,
};

// Of element `element` of a load's vector, or of its only value (element 0).
ValueUse use_of_loaded(const ptx::Function& function, const ptx::Instruction& load, int element);

}  // namespace ladder::emulator
