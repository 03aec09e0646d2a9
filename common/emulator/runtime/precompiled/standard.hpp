// Precompiled for the library, whose many small files would each spend a second on these headers.
// Meson includes it in all of them; none relies on it. Not the toolkit's header: unsupported.cpp
// must not see that.
#include <algorithm>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/emulator/device.hpp"
