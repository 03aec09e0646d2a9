#include "docs/weave/svg.hpp"

#include <cmath>

#include "docs/weave/html.hpp"

namespace ladder::weave {

double text_width(std::string_view utf8, double font_size) {
  double width = 0;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80) continue;  // goes on with a character
    width += byte >= 0xe3 ? 1.0 : 0.52;   // from U+3000 on
  }
  return width * font_size;
}

namespace {

// Tenths are enough, and whole numbers need no point.
std::string number(double value) {
  std::string text = fixed(value, 1);
  if (text.size() > 2 && text.substr(text.size() - 2) == ".0") text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + number(value) + "\"";
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + escape(value) + "\"";
}

}  // namespace

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  body_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
           attribute("y2", y2) + attribute("class", css_class) + "/>\n";
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view css_class,
                    double radius) {
  body_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
           attribute("height", height) + (radius > 0 ? attribute("rx", radius) : "") +
           attribute("class", css_class) + "/>\n";
}

void Svg::circle(double x, double y, double radius, std::string_view css_class) {
  body_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) +
           attribute("class", css_class) + "/>\n";
}

void Svg::path(const std::string& d, std::string_view css_class) {
  body_ += "<path" + attribute("d", d) + attribute("class", css_class) + "/>\n";
}

void Svg::text(double x, double y, std::string_view words, std::string_view css_class,
               std::string_view anchor) {
  body_ += "<text" + attribute("x", x) + attribute("y", y) + attribute("class", css_class) +
           (anchor == "start" ? "" : attribute("text-anchor", anchor)) + ">" + escape(words) +
           "</text>\n";
}

void Svg::arrow(double x1, double y1, double x2, double y2, std::string_view css_class) {
  const double length = std::hypot(x2 - x1, y2 - y1);
  if (length == 0) return;
  constexpr double head = 6;
  const double ux = (x2 - x1) / length, uy = (y2 - y1) / length;
  const double bx = x2 - head * ux, by = y2 - head * uy;
  line(x1, y1, bx, by, css_class);
  path("M" + number(x2) + " " + number(y2) + "L" + number(bx - 0.5 * head * uy) + " " +
           number(by + 0.5 * head * ux) + "L" + number(bx + 0.5 * head * uy) + " " +
           number(by - 0.5 * head * ux) + "Z",
       "kl-arrowhead");
}

void Svg::begin_link(std::string_view href) {
  has_links_ = true;
  body_ += "<a" + attribute("href", href) + ">";
}
void Svg::end_link() {
  body_ += "</a>\n";
}

std::string Svg::figure(std::string_view caption) const {
  // What is inside a "group" stays readable and clickable; an "img" is one thing.
  return "<figure class=\"kl-figure\"><svg xmlns=\"http://www.w3.org/2000/svg\"" +
         attribute("role", has_links_ ? "group" : "img") + attribute("aria-label", title_) +
         " viewBox=\"0 0 " + number(width_) + " " + number(height_) +
         "\" style=\"max-width:" + number(width_ * 1.15) + "px\">\n<desc>" + escape(description_) +
         "</desc>\n" + body_ + "</svg>" +
         (caption.empty() ? "" : "<figcaption>" + std::string(caption) + "</figcaption>") +
         "</figure>\n";
}

}  // namespace ladder::weave
