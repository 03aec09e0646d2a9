// Which functions a kernel can reach by calls, and what follows from it: where shared variables
// lie, and which kernels an unsupported instruction stops.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/emulator/exec/program.hpp"

namespace ladder::emulator {

class CallGraph {
 public:
  explicit CallGraph(const Module& module);

  // The function itself first. A call through a pointer may reach every device function whose
  // address is taken.
  const std::vector<Function*>& reachable(const Function& function) const;
  // What its instructions name.
  const std::set<std::string_view>& names(const Function& function) const;

 private:
  struct Node {
    std::set<std::string_view> names;
    std::vector<Function*> callees, reachable;
    bool calls_indirectly = false;
  };
  std::map<const Function*, Node> nodes_;
};

// Sets Function::shared and static_shared. A kernel holds the variables that it names and those of
// the functions that it can reach, no others; a function's lie at one place for all its callers.
void lay_out_shared(Module& module, const CallGraph& graph);

}  // namespace ladder::emulator
