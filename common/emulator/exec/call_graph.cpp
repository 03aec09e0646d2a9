#include "common/emulator/exec/call_graph.hpp"

#include <algorithm>

#include "common/emulator/ptx/reserved_shared.hpp"

namespace ladder::emulator {

namespace {

using ptx::Operand;

void add_names(const Operand& operand, std::set<std::string_view>& names) {
  if (operand.kind == Operand::Kind::variable || operand.kind == Operand::Kind::function) {
    names.insert(operand.name);
  }
  for (const Operand& element : operand.elements) add_names(element, names);
}

bool is_call(const ptx::Instruction& instruction) {
  return instruction.opcode.rfind("call", 0) == 0 && instruction.operands.size() > 1;
}

bool is_static_shared(const ptx::Variable& variable) {
  return variable.space == ptx::Space::shared && !variable.external;
}

std::uint32_t place(const ptx::Variable& variable, std::uint32_t& end) {
  const std::uint32_t alignment = std::max(variable.alignment, 1u);
  const std::uint32_t at = (end + alignment - 1) / alignment * alignment;
  end = at + static_cast<std::uint32_t>(variable.bytes);
  return at;
}

Function::SharedVariable keep(Function& function, const ptx::Variable& variable, std::uint32_t at) {
  const Function::SharedVariable kept{at, static_cast<std::uint32_t>(variable.bytes)};
  function.shared.emplace(variable.name, kept);
  return kept;
}

}  // namespace

CallGraph::CallGraph(const Module& module) {
  std::map<std::string_view, Function*> by_name;
  for (const auto& function : module.functions) by_name[function->source->name] = function.get();

  std::set<Function*> pointed_to;
  const auto point_to = [&](std::string_view name) {
    const auto found = by_name.find(name);
    if (found != by_name.end() && !found->second->source->entry) pointed_to.insert(found->second);
  };
  for (const ptx::Variable& variable : module.source.variables) {
    for (const auto& relocation : variable.relocations) point_to(relocation.symbol);
  }
  for (const auto& function : module.functions) {
    Node& node = nodes_[function.get()];
    for (const ptx::Instruction& instruction : function->source->body) {
      const bool call = is_call(instruction);
      for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        add_names(operand, node.names);
        if (!(call && i == 1)) {
          if (operand.kind == Operand::Kind::function) point_to(operand.name);
        } else if (operand.kind == Operand::Kind::reg) {
          node.calls_indirectly = true;
        } else if (const auto callee = by_name.find(operand.name); callee != by_name.end()) {
          node.callees.push_back(callee->second);
        }
      }
    }
  }
  for (auto& [function, node] : nodes_) {
    std::set<const Function*> seen = {function};
    node.reachable.push_back(by_name.at(function->source->name));
    for (std::size_t next = 0; next < node.reachable.size(); ++next) {
      const Node& from = nodes_.at(node.reachable[next]);
      const auto add = [&, &to = node.reachable](Function* callee) {
        if (seen.insert(callee).second) to.push_back(callee);
      };
      std::for_each(from.callees.begin(), from.callees.end(), add);
      if (from.calls_indirectly) std::for_each(pointed_to.begin(), pointed_to.end(), add);
    }
  }
}

const std::vector<Function*>& CallGraph::reachable(const Function& function) const {
  return nodes_.at(&function).reachable;
}

const std::set<std::string_view>& CallGraph::names(const Function& function) const {
  return nodes_.at(&function).names;
}

void lay_out_shared(Module& module, const CallGraph& graph) {
  std::vector<const ptx::Variable*> of_module;
  for (const ptx::Variable& variable : module.source.variables) {
    if (is_static_shared(variable)) of_module.push_back(&variable);
  }
  // Functions first: what they use lies in front, each variable at a place of its own.
  std::map<std::string_view, std::uint32_t> common;
  std::uint32_t common_end = 0;
  for (const auto& function : module.functions) {
    if (function->source->entry) continue;
    std::uint32_t end = 0;
    const auto hold = [&](const ptx::Variable& variable, std::uint32_t at) {
      end = std::max(end, keep(*function, variable, at).end());
    };
    for (const ptx::Variable& variable : function->source->variables) {
      if (is_static_shared(variable)) hold(variable, place(variable, common_end));
    }
    for (const ptx::Variable* variable : of_module) {
      if (!graph.names(*function).contains(variable->name)) continue;
      const auto [entry, is_new] = common.try_emplace(variable->name, 0);
      if (is_new) entry->second = place(*variable, common_end);
      hold(*variable, entry->second);
    }
    function->static_shared = end;
  }
  for (const auto& function : module.functions) {
    if (!function->source->entry) continue;
    std::uint32_t end = 0;
    for (const Function* callee : graph.reachable(*function)) {
      end = std::max(end, callee->static_shared);
    }
    const std::uint32_t of_callees = end;
    // A block clears it, so its kernel has to know of it.
    for (const Function* callee : graph.reachable(*function)) {
      const auto reserved = callee->shared.find(ptx::reserved_shared);
      if (reserved != callee->shared.end()) function->shared.insert(*reserved);
    }
    for (const ptx::Variable& variable : function->source->variables) {
      if (is_static_shared(variable)) keep(*function, variable, place(variable, end));
    }
    for (const ptx::Variable* variable : of_module) {
      if (!graph.names(*function).contains(variable->name)) continue;
      const auto entry = common.find(variable->name);
      const bool with_callees = entry != common.end() && entry->second < of_callees;
      keep(*function, *variable, with_callees ? entry->second : place(*variable, end));
    }
    function->static_shared = end;
  }
}

}  // namespace ladder::emulator
