// A small SVG writer. Colours are classes of the site's stylesheet (kl-ink, kl-accent, …), so that
// pictures follow dark mode and print; each picture carries its own description.
#pragma once

#include <string>
#include <string_view>

namespace ladder::weave {

// About how wide a text is drawn, in the units of `font_size`; Chinese characters are square.
double text_width(std::string_view utf8, double font_size);

class Svg {
 public:
  // In its own units; shown as wide as the page allows, but no wider than natural size. The title
  // is what a screen reader says first, and the description what it says on demand.
  Svg(double width, double height, std::string title, std::string description)
      : width_(width),
        height_(height),
        title_(std::move(title)),
        description_(std::move(description)) {}

  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  void rectangle(double x, double y, double width, double height, std::string_view css_class,
                 double radius = 0);
  void circle(double x, double y, double radius, std::string_view css_class);
  void path(const std::string& d, std::string_view css_class);
  // `anchor`: start, middle, end
  void text(double x, double y, std::string_view words, std::string_view css_class = "kl-ink",
            std::string_view anchor = "start");
  void arrow(double x1, double y1, double x2, double y2, std::string_view css_class = "kl-arrow");
  void begin_link(std::string_view href);
  void end_link();

  // A figure with a caption (HTML; "" for none).
  std::string figure(std::string_view caption = "") const;

 private:
  double width_, height_;
  std::string title_, description_;
  bool has_links_ = false;
  std::string body_;
};

}  // namespace ladder::weave
