// Which __shared__ variable an address was computed from, as far as a function's text tells. It may
// then lie in that variable only: an index that is too large is found although it is still inside
// the block's shared memory.
#pragma once

#include <string_view>
#include <vector>

#include "common/emulator/ptx/module.hpp"

namespace ladder::emulator {

class SharedOrigins {
 public:
  // `variables`: names of variables in shared memory that the function may use.
  SharedOrigins(const ptx::Function& function, std::vector<std::string_view> variables);

  // The one variable that an operand was computed from; "": none, or several.
  std::string_view of(const ptx::Operand& operand) const;

 private:
  static constexpr int none = -1, several = -2;
  int origin(const ptx::Operand& operand) const;
  static int join(int a, int b);

  std::vector<std::string_view> variables_;
  std::vector<int> of_register_;
};

}  // namespace ladder::emulator
