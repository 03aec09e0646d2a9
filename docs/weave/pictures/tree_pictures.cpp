// Trees of sums: what each thread adds to what, level by level. The numbers are added up here.
#include <string>
#include <vector>

#include "common/harness/verdict.hpp"
#include "docs/weave/html.hpp"
#include "docs/weave/pictures/pictures.hpp"

namespace ladder::weave {

namespace {

constexpr double left = 86, pitch = 52, height = 22;

// One level: what the elements are after it, and who took part.
struct Level {
  std::string name;
  std::vector<int> values;
  struct Sum {
    int from, to;     // elements of the level above
    bool moves_only;  // the value goes there and nothing is added
  };
  std::vector<Sum> sums;
  std::vector<bool> changed;
};

std::vector<int> sample(int elements) {
  static constexpr int digits[] = {3, 1, 7, 0, 4, 1, 6, 3, 5, 3, 5, 8, 9, 7, 9, 3};
  return {digits, digits + elements};
}

int elements_of(PictureRequest& request) {
  const int elements = request.number("elements", 8, 4, 16);
  if ((elements & (elements - 1)) != 0) throw UsageError("a tree has 4, 8 or 16 elements");
  return elements;
}

class Tree {
 public:
  explicit Tree(int elements) { levels_.push_back({"", sample(elements), {}, {}}); }

  int size() const { return static_cast<int>(levels_.front().values.size()); }
  int at(int element) const { return levels_.back().values[static_cast<std::size_t>(element)]; }
  int additions() const { return additions_; }
  int steps() const { return static_cast<int>(levels_.size()) - 1; }

  void begin(std::string name) {
    Level next{std::move(name), levels_.back().values, {}, {}};
    next.changed.resize(next.values.size());
    levels_.push_back(std::move(next));
  }
  // In the level that was begun: element `to` becomes the sum of what `to` and `from` were.
  void add(int from, int to) {
    set(to, before(from) + before(to));
    levels_.back().sums.push_back({from, to, false});
    levels_.back().sums.push_back({to, to, false});
    ++additions_;
  }
  void move(int from, int to) {
    set(to, before(from));
    levels_.back().sums.push_back({from, to, true});
  }
  void set(int element, int value) {
    levels_.back().values[static_cast<std::size_t>(element)] = value;
    levels_.back().changed[static_cast<std::size_t>(element)] = true;
  }

  double width() const { return left + cell() * size() + 4; }
  double bottom() const { return 8 + pitch * steps() + height; }

  void draw(Svg& svg) const {
    for (std::size_t l = 0; l < levels_.size(); ++l) draw_level(svg, l);
  }

 private:
  double cell() const { return size() > 8 ? 26 : 42; }
  double x(int element) const { return left + cell() * element; }
  static double y(std::size_t level) { return 8 + pitch * static_cast<double>(level); }
  int before(int element) const {
    return levels_[levels_.size() - 2].values[static_cast<std::size_t>(element)];
  }

  void draw_level(Svg& svg, std::size_t l) const {
    const Level& level = levels_[l];
    svg.text(0, y(l) + 15, level.name, "kl-small");
    for (const Level::Sum& sum : level.sums) {
      const double middle = cell() / 2;
      svg.arrow(x(sum.from) + middle, y(l - 1) + height + 1, x(sum.to) + middle, y(l) - 1,
                sum.moves_only ? "kl-arrow kl-dashed" : "kl-arrow");
    }
    for (int i = 0; i < size(); ++i) {
      const auto index = static_cast<std::size_t>(i);
      const bool changed = !level.changed.empty() && level.changed[index];
      svg.rectangle(x(i), y(l), cell(), height, changed ? "kl-lane-1" : "kl-faint");
      svg.text(x(i) + cell() / 2, y(l) + 16, std::to_string(level.values[index]),
               l > 0 && !changed ? "kl-small kl-quiet" : "kl-small", "middle");
    }
  }

  std::vector<Level> levels_;
  int additions_ = 0;
};

std::string times(int count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

Picture reduction_tree(PictureRequest& request) {
  const bool interleaved = request.choice("order", {"interleaved", "sequential"}) == "interleaved";
  Tree tree(elements_of(request));
  const int size = tree.size();
  for (int step = 1; step < size; step *= 2) {
    const int stride = interleaved ? step : size / (2 * step);
    tree.begin("stride " + std::to_string(stride));
    for (int i = 0; i + stride < size; ++i) {
      if (interleaved ? i % (2 * stride) == 0 : i < stride) tree.add(i + stride, i);
    }
  }
  const std::string counted = times(tree.additions(), "addition") + " in " +
                              times(tree.steps(), "step") + ", sum " + std::to_string(tree.at(0));
  Svg svg(tree.width(), tree.bottom() + 4, "A tree that sums",
          std::string(interleaved ? "Neighbours first, then pairs further apart: "
                                  : "The upper half is added to the lower, again and again: ") +
              counted + ".");
  tree.draw(svg);
  return {svg, (interleaved
                    ? "Interleaved: the threads that still work lie ever further apart, so that "
                      "each warp keeps a few of them. "
                    : "Sequential: the threads that still work are the first ones, so that whole "
                      "warps retire. ") +
                   counted + "."};
}

Picture scan_tree(PictureRequest& request) {
  const bool hillis_steele =
      request.choice("kind", {"hillis_steele", "blelloch"}) == "hillis_steele";
  Tree tree(elements_of(request));
  const int size = tree.size();
  if (hillis_steele) {
    for (int offset = 1; offset < size; offset *= 2) {
      tree.begin("offset " + std::to_string(offset));
      for (int i = offset; i < size; ++i) tree.add(i - offset, i);
    }
  } else {
    for (int stride = 1; stride < size; stride *= 2) {
      tree.begin("up, " + std::to_string(stride));
      for (int i = 2 * stride - 1; i < size; i += 2 * stride) tree.add(i - stride, i);
    }
    tree.begin("last = 0");
    tree.set(size - 1, 0);
    for (int stride = size / 2; stride >= 1; stride /= 2) {
      tree.begin("down, " + std::to_string(stride));
      for (int i = 2 * stride - 1; i < size; i += 2 * stride) {
        tree.add(i - stride, i);
        tree.move(i, i - stride);
      }
    }
  }
  const std::string counted =
      times(tree.additions(), "addition") + " for " + times(size, "element");
  Svg svg(tree.width(), tree.bottom() + 4, "A tree that scans",
          std::string(hillis_steele ? "Each element adds the one that lies an offset before it; "
                                      "the offset doubles. The result is inclusive: "
                                    : "Sums go up a tree, a zero is put at its root, and prefixes "
                                      "come down. The result is exclusive: ") +
              counted + ".");
  tree.draw(svg);
  return {svg, (hillis_steele
                    ? "Hillis and Steele: few steps, and nearly every thread works in each. "
                    : "Blelloch: up the tree with sums, down it with prefixes (dashed: a value "
                      "moves); what is left is the exclusive scan. ") +
                   counted + "."};
}

}  // namespace ladder::weave
