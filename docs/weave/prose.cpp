#include "docs/weave/prose.hpp"

namespace ladder::weave {

std::string emphasis_as_html(std::string_view text) {
  std::string html;
  bool code = false, strong = false, emphasis = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    code ^= text[i] == '`';
    const bool twice = text.substr(i, 2) == "**";
    bool& open = twice ? strong : emphasis;
    // Opens before a word and closes behind one; "2 * t" and a list's "* " do neither.
    const std::size_t behind = i + (twice ? 2 : 1);
    const bool blank_before = i == 0 || text[i - 1] == ' ' || text[i - 1] == '\n';
    const bool blank_behind = behind >= text.size() || text[behind] == ' ' || text[behind] == '\n';
    if (code || text[i] != '*' || (open ? blank_before : blank_behind)) {
      html += text[i];
      continue;
    }
    html += std::string(open ? "</" : "<") + (twice ? "strong>" : "em>");
    open = !open;
    if (twice) ++i;
  }
  return html;
}

namespace {

void add_english(Page& page, const Paragraph& paragraph) {
  page.html("<div lang=\"en\">");
  page.markdown(paragraph.text, {paragraph.file, paragraph.line});
  page.html("</div>");
}

void add_stale(Page& page, const Translation::Entry& entry, const std::string& file,
               const Paragraph& english, const Words& say) {
  page.html("<div class=\"kl-stale\"><p class=\"kl-note\">" +
            say("The English text has changed since this was translated.") + "</p>");
  page.markdown(emphasis_as_html(entry.text), {file, entry.line});
  page.html("<details><summary>" + say("The English text") + "</summary>");
  add_english(page, english);
  page.html("</details></div>");
}

}  // namespace

std::string add_prose(Page& page, const Translation& translation, const Words& say,
                      std::string_view text, const Origin& origin) {
  if (translation.empty()) {
    if (!say.english()) page.html("<div lang=\"en\">");
    page.markdown(text, origin);
    if (!say.english()) page.html("</div>");
    return std::string(text);
  }
  std::string shown;
  for (const Paragraph& paragraph : paragraphs_of(text, origin.file, origin.line)) {
    const Translation::Entry* entry = translation.find(paragraph.text);
    shown += (entry == nullptr ? paragraph.text : entry->text) + "\n";
    if (entry == nullptr && paragraph.is_code()) {
      page.markdown(paragraph.text, {paragraph.file, paragraph.line});
    } else if (entry == nullptr) {
      add_english(page, paragraph);
    } else if (entry->stale) {
      add_stale(page, *entry, translation.file(), paragraph, say);
    } else {
      page.markdown(emphasis_as_html(entry->text), {translation.file(), entry->line});
    }
  }
  return shown;
}

void add_language_note(Page& page, const Translation& translation, const Words& say) {
  if (say.english() || !translation.empty()) return;
  page.html("<p class=\"kl-note\">" + say("This page is not translated yet.") + "</p>");
}

}  // namespace ladder::weave
