#include "common/emulator/exec/shared_place.hpp"

#include <algorithm>
#include <string_view>

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

const ptx::Variable* find(const std::vector<ptx::Variable>& variables, std::string_view name) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const ptx::Variable& other) { return other.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

void add_variables(const Function& function, std::vector<SharedVariable>& list) {
  for (const auto& [name, begin] : function.shared) {
    const ptx::Variable* variable = find(function.source->variables, name);
    if (variable == nullptr) variable = find(function.module->source.variables, name);
    if (variable == nullptr) continue;
    list.push_back({without_scope(name), begin, static_cast<std::uint32_t>(variable->bytes)});
  }
}

}  // namespace

std::vector<SharedVariable> shared_variables(const Function& kernel) {
  std::vector<SharedVariable> list;
  add_variables(kernel, list);
  if (kernel.calls_functions) {
    for (const auto& function : kernel.module->functions) {
      if (!function->source->entry) add_variables(*function, list);
    }
  }
  std::erase_if(list, [&](const SharedVariable& variable) {
    return variable.end() > kernel.static_shared;  // of another kernel's function
  });
  std::sort(list.begin(), list.end(),
            [](const SharedVariable& a, const SharedVariable& b) { return a.begin < b.begin; });
  return list;
}

std::string shared_place(const LaunchState& launch, std::uint64_t address, std::uint32_t bytes) {
  const Function& kernel = *launch.function;
  std::vector<SharedVariable> variables = shared_variables(kernel);
  if (launch.dynamic_shared > 0) {
    variables.push_back({"", dynamic_shared_start(kernel), launch.dynamic_shared});
  }
  const auto next = std::find_if(variables.begin(), variables.end(),
                                 [&](const auto& variable) { return variable.begin > address; });
  if (next == variables.begin()) return "the kernel has no shared memory there";
  const SharedVariable& variable = *std::prev(next);
  const std::uint64_t offset = address - variable.begin;
  std::string text;
  if (offset < variable.bytes) {
    text = std::to_string(offset) + " bytes into ";
  } else {
    const std::uint64_t past = offset - variable.bytes;
    text = past == 0 ? "right after " : std::to_string(past) + " bytes after ";
  }
  text += "the " + std::to_string(variable.bytes) + "-byte ";
  text += variable.name.empty() ? "dynamic shared memory of the launch"
                                : "__shared__ variable '" + variable.name + "'";
  if (variable.bytes == bytes || bytes == 0 || offset % bytes != 0) return text;
  return text + " (index " + std::to_string(offset / bytes) + " of its " + std::to_string(bytes) +
         "-byte elements)";
}

}  // namespace ladder::emulator
