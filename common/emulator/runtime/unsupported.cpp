// Every API function that we do not implement. The toolkit's header is not included: a function's
// parameters do not matter to one that ignores them.
#include "common/emulator/runtime/unsupported.hpp"

extern "C" {

#define UNSUPPORTED(name)                        \
  int name();                                    \
  int name() {                                   \
    return ladder::emulator::unsupported(#name); \
  }
#include "common/emulator/runtime/unsupported.def"
#undef UNSUPPORTED

}  // extern "C"
