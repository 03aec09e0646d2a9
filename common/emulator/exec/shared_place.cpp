#include "common/emulator/exec/shared_place.hpp"

#include <algorithm>

#include "common/emulator/exec/text.hpp"

namespace ladder::emulator {

namespace {

// "void scan<64>(float*)::tile" is tile; names in brackets do not end a scope.
std::string without_scope(const std::string& symbol) {
  const std::string name = demangle(symbol);
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 1;) {
    const char c = name[i];
    if (c == ')' || c == '>') ++depth;
    if (c == '(' || c == '<') --depth;
    if (depth == 0 && c == ':' && name[i - 1] == ':') return name.substr(i + 1);
  }
  return name;
}

void add_variables(const Function& function, std::vector<SharedVariable>& list) {
  for (const auto& [name, place] : function.shared) {
    list.push_back({without_scope(name), place.begin, place.bytes});
  }
}

}  // namespace

std::vector<SharedVariable> shared_variables(const LaunchState& launch) {
  const Function& kernel = *launch.function;
  std::vector<SharedVariable> list;
  add_variables(kernel, list);
  if (kernel.calls_functions) {
    for (const auto& function : kernel.module->functions) {
      if (!function->source->entry) add_variables(*function, list);
    }
  }
  std::erase_if(list, [&](const SharedVariable& variable) {  // of another kernel's functions
    return variable.begin + variable.bytes > kernel.static_shared;
  });
  std::sort(list.begin(), list.end(),
            [](const SharedVariable& a, const SharedVariable& b) { return a.begin < b.begin; });
  if (launch.dynamic_shared > 0) {
    list.push_back({"", dynamic_shared_start(kernel), launch.dynamic_shared});
  }
  return list;
}

std::string place_from(const SharedVariable& variable, std::uint64_t address, std::uint32_t bytes) {
  // Addresses have 32 bits: a large one lies before all.
  const std::int64_t offset = std::int64_t{static_cast<std::int32_t>(address)} - variable.begin;
  const std::int64_t past = offset - variable.bytes;
  const std::string relation = offset < 0  ? std::to_string(-offset) + " bytes before "
                               : past < 0  ? std::to_string(offset) + " bytes into "
                               : past == 0 ? "right after "
                                           : std::to_string(past) + " bytes after ";
  const std::string text = relation + "the " + std::to_string(variable.bytes) + "-byte " +
                           (variable.name.empty() ? "dynamic shared memory of the launch"
                                                  : "__shared__ variable '" + variable.name + "'");
  const auto element = static_cast<std::int64_t>(bytes);
  if (variable.bytes == bytes || element == 0 || offset % element != 0) return text;
  return text + " (index " + std::to_string(offset / element) + " of its " + std::to_string(bytes) +
         "-byte elements)";
}

std::string shared_place(const LaunchState& launch, std::uint64_t address, std::uint32_t bytes) {
  const std::vector<SharedVariable> variables = shared_variables(launch);
  const auto next = std::find_if(variables.begin(), variables.end(),
                                 [&](const auto& variable) { return variable.begin > address; });
  if (next == variables.begin()) return "no variable of the kernel is there";
  return place_from(*std::prev(next), address, bytes);
}

}  // namespace ladder::emulator
