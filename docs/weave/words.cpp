#include "docs/weave/words.hpp"

#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder::weave {

namespace {

int places_in(std::string_view text) {
  int places = 0;
  for (std::size_t at = 0; (at = text.find("{}", at)) != text.npos; at += 2) ++places;
  return places;
}

}  // namespace

Words::Words(std::string language, std::string_view text, const std::string& file)
    : language_(std::move(language)) {
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    const std::string place = file + ":" + std::to_string(++number) + ": ";
    if (trim(line).empty() || line[0] == '#') continue;
    const std::size_t middle = line.find(" = ");
    if (middle == line.npos) throw UsageError(place + "expected 'English = translation'");
    const std::string english(trim(line.substr(0, middle)));
    const std::string said(trim(line.substr(middle + 3)));
    if (places_in(english) != places_in(said)) {
      throw UsageError(place + "the two sides have not the same number of {}");
    }
    if (!words_.emplace(english, said).second) throw UsageError(place + "stands here twice");
  }
}

std::string Words::name(std::string_view english) const {
  const auto found = words_.find(english);
  return found == words_.end() ? std::string(english) : found->second;
}

std::string Words::operator()(std::string_view english,
                              std::initializer_list<std::string> values) const {
  if (!this->english() && words_.count(english) == 0) missing_.emplace(english);
  const std::string form = name(english);
  std::string text;
  std::size_t begin = 0;
  for (const std::string& value : values) {
    const std::size_t place = form.find("{}", begin);
    if (place == form.npos) break;
    text += form.substr(begin, place - begin) + value;
    begin = place + 2;
  }
  return text + form.substr(begin);
}

}  // namespace ladder::weave
