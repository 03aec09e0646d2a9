// What weave itself says on pages, in the language of the edition. The English text is the key, so
// that code reads as the page does; docs/zh/words.txt has the other language's:
//
//   Builds on = 建立在
//   {} times as fast as its parent = 速度是父步骤的 {} 倍
#pragma once

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ladder::weave {

class Words {
 public:
  Words() = default;  // English: everything as it stands
  // Throws UsageError "file:line: ..." for a line without " = ", one that stands twice, and one
  // whose two sides do not have the same number of {}.
  Words(std::string language, std::string_view text, const std::string& file);

  const std::string& language() const { return language_; }  // "en", "zh"
  bool english() const { return language_ == "en"; }

  // Each "{}" is replaced by the next of the values, which are HTML or text as the caller has it.
  std::string operator()(std::string_view english,
                         std::initializer_list<std::string> values = {}) const;
  // The same for names that need not have a translation: a feature, a problem's title.
  std::string name(std::string_view english) const;

  // What was asked for and is not in the file.
  const std::set<std::string>& missing() const { return missing_; }

 private:
  std::string language_ = "en";
  std::map<std::string, std::string, std::less<>> words_;
  mutable std::set<std::string> missing_;
};

}  // namespace ladder::weave
