#include "docs/weave/pictures/pictures.hpp"

#include <algorithm>
#include <charconv>

#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"
#include "docs/weave/html.hpp"

namespace ladder::weave {

namespace {

constexpr std::string_view mark = "@picture";

[[noreturn]] void refuse_value(const std::string& setting, const std::string& value,
                               const std::string& allowed) {
  throw UsageError("a picture's " + setting + " is " + allowed + ", not '" + value + "'");
}

}  // namespace

PictureRequest::PictureRequest(std::string_view reference) {
  const std::size_t bar = reference.find('|');
  if (bar != std::string_view::npos) caption_ = std::string(trim(reference.substr(bar + 1)));
  const std::vector<std::string> words = split_words(std::string(reference.substr(0, bar)));
  if (words.empty()) throw UsageError("a picture has a name: '@picture lanes_on_sectors stride=2'");
  name_ = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) {
      throw UsageError("'" + words[i] + "' is no setting of a picture, such as stride=2");
    }
    if (!settings_.emplace(words[i].substr(0, equals), words[i].substr(equals + 1)).second) {
      throw UsageError("'" + words[i].substr(0, equals) + "' is given twice");
    }
  }
}

int PictureRequest::number(const std::string& setting, int otherwise, int lowest, int highest) {
  known_.push_back(setting);
  const auto found = settings_.find(setting);
  if (found == settings_.end()) return otherwise;
  const std::string& text = found->second;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < lowest ||
      value > highest) {
    refuse_value(setting, text,
                 "a number from " + std::to_string(lowest) + " to " + std::to_string(highest));
  }
  return value;
}

std::string PictureRequest::text(const std::string& setting) {
  known_.push_back(setting);
  const auto found = settings_.find(setting);
  return found == settings_.end() ? "" : found->second;
}

std::string PictureRequest::choice(const std::string& setting,
                                   const std::vector<std::string>& allowed) {
  known_.push_back(setting);
  const auto found = settings_.find(setting);
  if (found == settings_.end()) return allowed.front();
  if (std::find(allowed.begin(), allowed.end(), found->second) == allowed.end()) {
    refuse_value(setting, found->second, join(allowed, " or "));
  }
  return found->second;
}

void PictureRequest::finish() const {
  for (const auto& [setting, value] : settings_) {
    if (std::find(known_.begin(), known_.end(), setting) == known_.end()) {
      throw UsageError("the picture '" + name_ + "' has no setting '" + setting + "'" +
                       did_you_mean(setting, known_));
    }
  }
}

const std::vector<PictureKind>& picture_kinds() {
  static const std::vector<PictureKind> kinds = {
      {"lanes_on_sectors", lanes_on_sectors},
      {"banks", banks},
      {"transpose_walk", transpose_walk},
      {"matmul_walk", matmul_walk},
      {"register_tile", register_tile},
      {"halo", halo},
      {"reduction_tree", reduction_tree},
      {"scan_tree", scan_tree},
      {"look_back", look_back},
      {"online_softmax", online_softmax},
      {"double_buffer", double_buffer},
  };
  return kinds;
}

bool is_picture_line(std::string_view line) {
  return line.substr(0, mark.size()) == mark &&
         (line.size() == mark.size() || line[mark.size()] == ' ');
}

std::string picture_html(std::string_view line) {
  PictureRequest request(line.substr(mark.size()));
  std::vector<std::string> names;
  for (const PictureKind& kind : picture_kinds()) {
    names.emplace_back(kind.name);
    if (request.name() != kind.name) continue;
    const Picture picture = kind.draw(request);
    request.finish();
    return picture.svg.figure(request.caption().empty() ? picture.caption
                                                        : inline_code(request.caption()));
  }
  throw UsageError("no picture is named '" + request.name() + "': there are " + join(names, ", ") +
                   did_you_mean(request.name(), names));
}

}  // namespace ladder::weave
