#include "common/harness/translation.hpp"

#include <algorithm>

#include "common/harness/files.hpp"
#include "common/harness/fingerprint.hpp"
#include "common/harness/markdown.hpp"
#include "common/harness/text.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {

namespace fs = std::filesystem;

namespace {

bool is_blank(std::string_view line) {
  return trim(line).empty();
}

// "<!-- 3f2a91c0 -->"
std::string hash_on(std::string_view line) {
  line = trim(line);
  if (line.size() != 17 || line.rfind("<!-- ", 0) != 0 || line.substr(13) != " -->") return "";
  const std::string_view hash = line.substr(5, 8);
  return hash.find_first_not_of("0123456789abcdef") == hash.npos ? std::string(hash) : "";
}

// Of a heading; "" of anything else.
std::string anchor_of(std::string_view paragraph) {
  const std::optional<Heading> heading = heading_of(paragraph.substr(0, paragraph.find('\n')));
  return heading ? heading->anchor : "";
}

// The entries of a translation's file, in its order.
std::vector<Translation::Entry> entries_of(std::string_view text, const std::string& file) {
  std::vector<Translation::Entry> entries;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const std::string place = file + ":" + std::to_string(number) + ": ";
    const std::string hash = hash_on(line);
    if (!hash.empty()) {
      for (const auto& entry : entries) {
        if (entry.hash == hash) throw UsageError(place + hash + " was translated above already");
      }
      entries.push_back({hash, "", 0, false});
      continue;
    }
    if (is_blank(line) && (entries.empty() || entries.back().text.empty())) continue;
    if (entries.empty()) {
      throw UsageError(place +
                       "a translation begins with the hash of what it translates, "
                       "'<!-- 01234567 -->'; `ladder dev translations` lists them");
    }
    Translation::Entry& entry = entries.back();
    if (entry.line == 0) entry.line = number;
    entry.text += line + "\n";
  }
  for (auto& entry : entries) {
    while (!entry.text.empty() && entry.text.back() == '\n') entry.text.pop_back();
  }
  return entries;
}

}  // namespace

std::string Paragraph::hash() const {
  return Fingerprint().add(join(split_words(text), " ")).hex().substr(24);
}

bool Paragraph::is_code() const {
  const std::vector<std::string> lines = lines_of(text);
  if (turns_fence(lines.front()) || lines.front().rfind("@", 0) == 0) return true;
  return std::all_of(lines.begin(), lines.end(),
                     [](const std::string& line) { return line.rfind("    ", 0) == 0; });
}

std::vector<Paragraph> paragraphs_of(std::string_view markdown, const std::string& file,
                                     int first_line) {
  std::vector<Paragraph> paragraphs;
  bool open = false, fenced = false;
  int number = first_line - 1;
  for (const std::string& line : lines_of(markdown)) {
    ++number;
    if (is_blank(line) && !fenced) {
      open = false;
      continue;
    }
    if (turns_fence(line)) fenced = !fenced;
    if (!open) {
      paragraphs.push_back({file, number, line});
    } else {
      paragraphs.back().text += "\n" + line;
    }
    open = true;
  }
  return paragraphs;
}

std::vector<Paragraph> paragraphs_of(const SolverHeader& header, const std::string& file) {
  std::vector<Paragraph> paragraphs = {
      {file, 1, "# " + header.title + " {#" + header.anchor + "}"}};
  // Runs of lines that follow each other; code between two ends a paragraph.
  for (std::size_t i = 0; i < header.prose_lines.size();) {
    const int first = header.prose_lines[i].line;
    std::string text;
    for (int line = first; i < header.prose_lines.size() && header.prose_lines[i].line == line;
         ++i, ++line) {
      text += header.prose_lines[i].text + "\n";
    }
    for (Paragraph& paragraph : paragraphs_of(text, file, first)) {
      paragraphs.push_back(std::move(paragraph));
    }
  }
  return paragraphs;
}

std::vector<Paragraph> page_paragraphs(const Tree& tree, const fs::path& page) {
  std::vector<Paragraph> all;
  for (Paragraph& paragraph :
       paragraphs_of(read_file(page), fs::relative(page, tree.source).string())) {
    const std::optional<Include> wanted = include_of(paragraph.text);
    all.push_back(std::move(paragraph));
    if (!wanted || !fs::exists(tree.source / wanted->file)) continue;
    const Section section = section_of(read_file(tree.source / wanted->file), wanted->heading);
    for (Paragraph& taken :
         paragraphs_of(join(section.lines, "\n"), wanted->file, section.first_line)) {
      all.push_back(std::move(taken));
    }
  }
  return all;
}

std::vector<Paragraph> sheet_paragraphs(std::string_view sheet, const std::string& file) {
  std::vector<Paragraph> paragraphs = paragraphs_of(sheet, file);
  std::erase_if(paragraphs, [](const Paragraph& paragraph) {
    return paragraph.text.rfind("# ", 0) == 0 || paragraph.text.rfind("## Hint ", 0) == 0;
  });
  return paragraphs;
}

Translation::Translation(std::string_view text, std::string file,
                         const std::vector<Paragraph>& english)
    : file_(std::move(file)) {
  match(entries_of(text, file_), english);
}

void Translation::match(std::vector<Entry> entries, const std::vector<Paragraph>& english) {
  std::map<std::string, std::size_t> place;  // of each entry
  for (std::size_t i = 0; i < entries.size(); ++i) place[entries[i].hash] = i;
  std::vector<bool> used(entries.size(), false);
  for (const Paragraph& paragraph : english) {
    const auto found = place.find(paragraph.hash());
    if (found == place.end()) continue;
    const Entry& entry = entries[found->second];
    used[found->second] = true;
    const std::string anchor = anchor_of(paragraph.text);
    if (anchor != anchor_of(entry.text)) {
      throw UsageError(file_ + ":" + std::to_string(entry.line) + ": this heading has " +
                       (anchor.empty() ? "no anchor" : "the anchor {#" + anchor + "}") +
                       " in English");
    }
    by_hash_[paragraph.hash()] = entry;
  }
  // A paragraph without a translation takes the first unused one behind its predecessor's: the
  // English was changed, and the translation was not.
  std::size_t next = 0;
  for (const Paragraph& paragraph : english) {
    const auto found = place.find(paragraph.hash());
    if (found != place.end()) {
      next = found->second + 1;
    } else if (!paragraph.is_code() && next < entries.size() && !used[next] &&
               anchor_of(entries[next].text) == anchor_of(paragraph.text)) {
      used[next] = true;
      entries[next].stale = true;
      by_hash_[paragraph.hash()] = entries[next++];
    } else if (!paragraph.is_code()) {
      missing_.push_back(paragraph);
    }
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!used[i]) left_over_.push_back(entries[i]);
  }
}

const Translation::Entry* Translation::find(std::string_view paragraph) const {
  const auto found = by_hash_.find(Paragraph{"", 0, std::string(paragraph)}.hash());
  return found == by_hash_.end() ? nullptr : &found->second;
}

std::string Translation::title(const std::string& title, const std::string& anchor) const {
  const Entry* entry = find("# " + title + " {#" + anchor + "}");
  if (entry == nullptr) return title;
  const std::string_view text = entry->text;
  return std::string(trim(text.substr(1, text.rfind("{#") - 1)));
}

std::vector<Translation::Entry> Translation::stale() const {
  std::vector<Entry> entries;
  for (const auto& [hash, entry] : by_hash_) {
    if (entry.stale) entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.line < b.line; });
  return entries;
}

fs::path translation_file(const fs::path& english, const std::string& language) {
  fs::path folder = english.parent_path();
  if (folder.filename() == "exercises" || folder.filename() == "solutions") {
    folder = folder.parent_path();
  }
  return folder / language / (english.stem().string() + ".md");
}

Translation read_translation(const Tree& tree, const fs::path& english, const std::string& language,
                             const std::vector<Paragraph>& paragraphs) {
  const fs::path file = translation_file(english, language);
  const std::string shown = fs::relative(file, tree.source).string();
  return Translation(fs::exists(file) ? read_file(file) : "", shown, paragraphs);
}

std::vector<TranslatedDocument> translated_documents(const Tree& tree, const Catalog& catalog,
                                                     const std::string& language) {
  std::vector<TranslatedDocument> documents;
  const auto add = [&](const fs::path& file, std::vector<Paragraph> english) {
    Translation translation = read_translation(tree, file, language, english);
    documents.push_back({fs::relative(translation_file(file, language), tree.source).string(),
                         std::move(english), std::move(translation)});
  };
  const auto shown = [&](const fs::path& file) { return fs::relative(file, tree.source).string(); };
  const auto add_page = [&](const fs::path& file) {
    if (fs::exists(file)) add(file, page_paragraphs(tree, file));
  };
  const fs::path pages = tree.source / "docs" / "pages";
  if (fs::exists(pages / "contents.txt")) {
    for (const std::string& name : split_words(read_file(pages / "contents.txt"))) {
      add_page(pages / (name + ".md"));
    }
  }
  for (const std::string& chapter : catalog.chapters()) {
    add_page(tree.source / "chapters" / chapter / "intro.md");
    for (const CatalogEntry& entry : catalog.all()) {
      const bool has_page = entry.kind != SolverKind::mutant && entry.kind != SolverKind::solution;
      if (entry.chapter != chapter || !has_page) continue;
      if (entry.kind != SolverKind::exercise) {
        add(entry.file, paragraphs_of(read_solver_header(entry.file), shown(entry.file)));
        continue;
      }
      const fs::path solution = catalog.solution_of(entry).file;
      std::vector<Paragraph> english = paragraphs_of(read_solver_header(solution), shown(solution));
      const fs::path sheet = fs::path(entry.file).replace_extension(".md");
      for (Paragraph& paragraph : sheet_paragraphs(read_file(sheet), shown(sheet))) {
        english.push_back(std::move(paragraph));
      }
      add(solution, std::move(english));
    }
  }
  return documents;
}

}  // namespace ladder
