// Precompiled for the device core, whose many files would each spend one or two seconds on these
// headers. Meson includes it in all of them; none relies on it.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "common/emulator/exec/warp.hpp"
