#include "common/emulator/ptx/symbols.hpp"

#include <charconv>

namespace ladder::ptx {

SymbolTable::SymbolTable() {
  enter();
}

void SymbolTable::enter() {
  scopes_.emplace_back();
  scopes_.back().outer_range_depth = deepest_range_;
}

void SymbolTable::leave() {
  Scope& scope = scopes_.back();
  for (auto hidden = scope.hidden.rbegin(); hidden != scope.hidden.rend(); ++hidden) {
    if (hidden->second.has_value()) {
      symbols_[hidden->first] = *hidden->second;
    } else {
      symbols_.erase(hidden->first);
    }
  }
  for (const std::string_view base : scope.ranges) {
    const auto found = ranges_.find(base);
    found->second.pop_back();
    if (found->second.empty()) ranges_.erase(found);
  }
  deepest_range_ = scope.outer_range_depth;
  scopes_.pop_back();
}

bool SymbolTable::declare(std::string_view name, Symbol symbol) {
  const auto [found, added] = symbols_.try_emplace(name, symbol);
  std::optional<Symbol> outer;
  if (!added) {
    if (found->second.depth >= symbol.depth) return false;
    outer = found->second;
    found->second = symbol;
  }
  scopes_[static_cast<std::size_t>(symbol.depth)].hidden.emplace_back(name, outer);
  return true;
}

bool SymbolTable::declare_range(std::string_view base, std::uint64_t count, Type type) {
  std::vector<Range>& ranges = ranges_[base];
  if (!ranges.empty() && ranges.back().depth == depth()) return false;
  ranges.push_back({count, type, depth()});
  scopes_.back().ranges.push_back(base);
  deepest_range_ = depth();
  return true;
}

const SymbolTable::Range* SymbolTable::find_range(std::string_view name) const {
  constexpr std::size_t most_digits = 10;
  const Range* best = nullptr;
  std::size_t digits = 0;
  while (digits < most_digits && digits + 1 < name.size()) {
    const char digit = name[name.size() - digits - 1];
    if (digit < '0' || digit > '9') break;
    ++digits;
    if (digit == '0' && digits > 1) continue;  // %r01 is not in %r<100>
    const std::size_t split = name.size() - digits;
    const auto found = ranges_.find(name.substr(0, split));
    if (found == ranges_.end()) continue;
    std::uint64_t number = 0;
    std::from_chars(name.data() + split, name.data() + name.size(), number);
    for (auto range = found->second.rbegin(); range != found->second.rend(); ++range) {
      if (number >= range->count) continue;
      if (best == nullptr || range->depth > best->depth) best = &*range;
      break;
    }
  }
  return best;
}

std::optional<Symbol> SymbolTable::find(std::string_view name) const {
  const auto found = symbols_.find(name);
  const int depth = found == symbols_.end() ? -1 : found->second.depth;
  // Ranges are declared at the top of a function: nearly every name ends here.
  if (depth >= deepest_range_ && depth >= 0) return found->second;
  const Range* range = deepest_range_ < 0 ? nullptr : find_range(name);
  if (range != nullptr && range->depth > depth)
    return Symbol{Symbol::Kind::register_range, -1, range->depth, range->type};
  if (depth >= 0) return found->second;
  return std::nullopt;
}

}  // namespace ladder::ptx
