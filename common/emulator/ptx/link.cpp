#include "common/emulator/ptx/link.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace ladder::ptx {
namespace {

using Names = std::map<std::string, std::string>;  // old to new

void rename(std::string& name, const Names& names) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

void rename(Operand& operand, const Names& names) {
  if (operand.kind == Operand::Kind::variable || operand.kind == Operand::Kind::function) {
    rename(operand.name, names);
  }
  for (Operand& element : operand.elements) rename(element, names);
}

void move_file(SourceLocation& location, int files_before) {
  if (location.line != 0) location.file += files_before;
}

bool is_shared_by_modules(const Variable& variable) {
  return variable.visible || variable.external || variable.weak;
}
bool is_shared_by_modules(const Function& function) {
  return function.visible || function.external || function.weak;
}

// What belongs to one module alone gets a name that no other module has.
void make_unique(Module& part, std::size_t number, std::set<std::string>& taken) {
  Names names;
  const auto choose = [&](std::string& name) {
    if (taken.insert(name).second) return;
    std::string fresh = name + "$" + std::to_string(number);
    while (!taken.insert(fresh).second) fresh += '$';
    names[name] = fresh;
    name = fresh;
  };
  for (Variable& variable : part.variables) {
    if (!is_shared_by_modules(variable)) choose(variable.name);
  }
  for (Function& function : part.functions) {
    if (!is_shared_by_modules(function)) choose(function.name);
  }
  if (names.empty()) return;
  for (Variable& variable : part.variables) {
    for (auto& relocation : variable.relocations) rename(relocation.symbol, names);
  }
  for (Function& function : part.functions) {
    Names outside = names;  // what the function declares itself hides the module's
    for (const auto* own : {&function.variables, &function.parameters, &function.returns}) {
      for (const Variable& variable : *own) outside.erase(variable.name);
    }
    for (Instruction& instruction : function.body) {
      for (Operand& operand : instruction.operands) rename(operand, outside);
    }
  }
}

bool is_definition(const Variable& variable) {
  return !variable.external;
}
bool is_definition(const Function& function) {
  return function.defined;
}

// Adds what a module has to what all have: of one name one stays, the definition.
template <class T>
void add(std::vector<T>& all, std::map<std::string, std::size_t>& places, T&& item) {
  const auto [place, is_new] = places.try_emplace(item.name, all.size());
  if (is_new) {
    all.push_back(std::move(item));
    return;
  }
  T& known = all[place->second];
  if (!is_definition(item) || (is_definition(known) && item.weak)) return;
  if (is_definition(known) && !known.weak) {
    throw ParseError(0, "'" + item.name + "' is defined in two modules that are linked");
  }
  known = std::move(item);
}

}  // namespace

Module link(std::vector<Module> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  Module whole;
  whole.version_major = parts.front().version_major;
  whole.version_minor = parts.front().version_minor;
  std::set<std::string> taken;
  for (const Module& part : parts) {
    const auto take = [&](const auto& item) {
      if (is_shared_by_modules(item)) taken.insert(item.name);
    };
    std::for_each(part.variables.begin(), part.variables.end(), take);
    std::for_each(part.functions.begin(), part.functions.end(), take);
  }
  std::map<std::string, std::size_t> variables, functions;
  for (std::size_t number = 0; number < parts.size(); ++number) {
    Module& part = parts[number];
    make_unique(part, number, taken);
    if (part.architecture >= whole.architecture) {
      whole.architecture = part.architecture;
      whole.target = part.target;
    }
    const int files_before = static_cast<int>(whole.files.size());
    whole.files.insert(whole.files.end(), part.files.begin(), part.files.end());
    for (Variable& variable : part.variables) add(whole.variables, variables, std::move(variable));
    for (Function& function : part.functions) {
      move_file(function.source, files_before);
      for (Instruction& instruction : function.body) move_file(instruction.source, files_before);
      for (InlineSite& site : function.inline_sites) move_file(site.call, files_before);
      add(whole.functions, functions, std::move(function));
    }
  }
  return whole;
}

}  // namespace ladder::ptx
