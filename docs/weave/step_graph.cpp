#include <algorithm>
#include <map>

#include "docs/weave/figures.hpp"
#include "docs/weave/svg.hpp"

namespace ladder::weave {

namespace {

constexpr double row_height = 34, lane_width = 22, margin = 16;

struct Node {
  const Solver* solver;
  int row, lane;
};

// A step goes on in its parent's lane; the second child of a step begins a new one.
std::map<std::string, Node> place(const Chapter& chapter) {
  std::map<std::string, Node> nodes;
  std::map<std::string, bool> has_child;
  int lanes = 0, row = 0;
  for (const Solver& step : chapter.steps) {
    const std::string parent = step.parent();
    const auto above = nodes.find(parent);
    const bool goes_on = above != nodes.end() && !has_child[parent];
    const int lane = goes_on ? above->second.lane : lanes++;
    if (above != nodes.end()) has_child[parent] = true;
    nodes.insert({step.entry.name, {&step, row++, lane}});
  }
  return nodes;
}

}  // namespace

std::string step_graph(const Chapter& chapter) {
  const std::map<std::string, Node> nodes = place(chapter);
  int lanes = 1;
  double longest = 0;
  const Words& say = *chapter.words;
  std::string description = say("Steps and what they build on:");
  for (const Solver& step : chapter.steps) {
    lanes = std::max(lanes, nodes.at(step.entry.name).lane + 1);
    longest = std::max(longest, text_width(step.header.title, 14));
    description += " " + step.header.title + ";";
  }
  const double text_x = margin + lanes * lane_width;
  Svg svg(text_x + longest + margin, row_height * static_cast<double>(nodes.size()),
          say("The steps and what they build on"), description);
  const auto x = [](const Node& node) { return margin + node.lane * lane_width; };
  const auto y = [](const Node& node) { return row_height * (node.row + 0.5); };
  for (const auto& [name, node] : nodes) {
    for (const auto* parents : {&node.solver->header.builds_on, &node.solver->header.rewrites}) {
      for (const std::string& parent : *parents) {
        const auto above = nodes.find(parent);
        if (above == nodes.end()) continue;
        svg.arrow(x(above->second), y(above->second) + 7, x(node), y(node) - 8,
                  parents == &node.solver->header.rewrites ? "kl-arrow kl-dashed" : "kl-arrow");
      }
    }
  }
  for (const auto& [name, node] : nodes) {
    svg.begin_link(node.solver->page_file());
    svg.circle(x(node), y(node), 7, "kl-node");
    svg.text(text_x, y(node) + 5, node.solver->header.title, "kl-link");
    svg.end_link();
  }
  return svg.figure(say("Each step builds on the one that its arrow comes from."));
}

}  // namespace ladder::weave
