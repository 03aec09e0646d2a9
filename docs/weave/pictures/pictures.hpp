// Pictures that are drawn by code, for prose to ask for in a line of its own:
//
//   @picture lanes_on_sectors stride=2 | Every other word is asked for.
//
// A picture's name, its settings, and a caption if its own does not fit. What a picture shows
// (sectors, banks, partial sums) is computed when the site is made.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "docs/weave/svg.hpp"

namespace ladder::weave {

// What a reference asks for. Reading a setting marks it as known; finish() refuses the others.
class PictureRequest {
 public:
  // "lanes_on_sectors stride=2 | caption". Throws UsageError.
  explicit PictureRequest(std::string_view reference);

  const std::string& name() const { return name_; }
  const std::string& caption() const { return caption_; }
  // Each throws UsageError if the value is not one of those that are allowed.
  int number(const std::string& setting, int otherwise, int lowest, int highest);
  // Whatever is said; "" if nothing is.
  std::string text(const std::string& setting);
  // The first of `allowed` if it is not said.
  std::string choice(const std::string& setting, const std::vector<std::string>& allowed);
  // Throws UsageError if there are settings that the picture does not have.
  void finish() const;

 private:
  std::string name_, caption_;
  std::map<std::string, std::string> settings_;
  std::vector<std::string> known_;
};

struct Picture {
  Svg svg;
  std::string caption;  // HTML
};

// Line of prose -> what follows "@picture", or nothing. The mark stands at the line's beginning.
bool is_picture_line(std::string_view line);

// The figure that a line asks for. Throws UsageError, without a place, for a picture or a
// setting that there is not.
std::string picture_html(std::string_view line);

// Names of all pictures, in the order of the course.
struct PictureKind {
  const char* name;
  Picture (*draw)(PictureRequest&);
};
const std::vector<PictureKind>& picture_kinds();

// Which bytes each lane of a warp asks for; bit l of the mask: lane l takes part.
struct LaneAddresses {
  std::array<std::uint64_t, 32> at{};
  std::uint32_t mask = 0;
  std::uint32_t bytes = 4;
};
Picture sectors_of_lanes(const LaneAddresses& lane);
Picture banks_of_lanes(const LaneAddresses& lane);

// Memory (memory_pictures.cpp).
Picture lanes_on_sectors(PictureRequest& request);
Picture banks(PictureRequest& request);
// Tiles (tile_pictures.cpp).
Picture transpose_walk(PictureRequest& request);
Picture matmul_walk(PictureRequest& request);
Picture register_tile(PictureRequest& request);
Picture halo(PictureRequest& request);
// Trees of sums (tree_pictures.cpp).
Picture reduction_tree(PictureRequest& request);
Picture scan_tree(PictureRequest& request);
// What goes on in time (order_pictures.cpp).
Picture look_back(PictureRequest& request);
Picture online_softmax(PictureRequest& request);
Picture double_buffer(PictureRequest& request);

}  // namespace ladder::weave
