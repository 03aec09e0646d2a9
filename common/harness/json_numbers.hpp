// Numbers as the JSON of reports and profiles has them.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace ladder {

// Exact integers stay integers; what JSON cannot hold is null.
inline nlohmann::ordered_json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 0x1p53)
    return static_cast<std::int64_t>(value);
  return value;
}

// An object of pairs of a name and a number: parameters, counters.
template <class Pairs>
nlohmann::ordered_json named_numbers(const Pairs& pairs) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : pairs) json[name] = number(value);
  return json;
}

}  // namespace ladder
