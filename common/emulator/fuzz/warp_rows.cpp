// What lanes do together: shuffles, votes, matches, reductions, with the whole warp or in a branch
// with the lanes that take it.
#include "common/emulator/fuzz/rows.hpp"

namespace ladder::emulator::fuzz {
namespace {

constexpr Operand r = Operand::b32, d = Operand::b64, p = Operand::predicate;

using Collective = std::function<std::string(Scribe&, const std::string& members)>;

// With all lanes, or with those of a branch.
std::string with_some(Scribe& s, const Collective& collective) {
  if (!s.one_in(3)) return collective(s, "%full");
  const std::string members = s.temporary(r), guard = s.source(p), end = s.label();
  return "vote.sync.ballot.b32 " + members + ", " + guard + ", %full;\n@!" + guard + " bra " + end +
         ";\n" + collective(s, members) + end + ":\n";
}

// Few different values, so that lanes agree now and then.
std::string coarse(Scribe& s, Operand kind, std::string& before) {
  if (s.one_in(4)) return s.source(kind);
  const std::string name = s.temporary(kind);
  before += std::string("and.b") + (kind == d ? "64 " : "32 ") + name + ", " + s.source(kind) +
            ", " + std::to_string(s.below(4)) + ";\n";
  return name;
}

std::string shuffle(Scribe& s, const std::string& mode) {
  if (s.program.threads % 32 != 0) return "";
  const std::string to = s.target(r), inside = s.temporary(p);
  const std::string lane = s.one_in(2) ? s.source(r) : std::to_string(s.below(32));
  static const unsigned segments[] = {0, 0, 0x1c00, 0x1800, 0x1000, 0x1e00};
  const unsigned clamp = mode == "up" ? 0 : 31;
  const std::string shape = std::to_string(s.any(segments) | clamp);
  return "shfl.sync." + mode + ".b32 " + to + "|" + inside + ", " + s.source(r) + ", " + lane +
         ", " + shape + ", %full;\n" + s.folded(r, to) + s.folded(p, inside);
}

// In a branch only lanes that take it may be read: the first of them.
std::string broadcast(Scribe& s, const std::string& members) {
  const std::string first = s.temporary(r), to = s.target(r);
  return "brev.b32 " + first + ", " + members + "; clz.b32 " + first + ", " + first +
         "; shfl.sync.idx.b32 " + to + ", " + s.source(r) + ", " + first + ", 31, " + members +
         ";\n" + s.folded(r, to);
}

std::string of_predicate(Scribe& s, const std::string& opcode, Operand kind,
                         const std::string& members) {
  const std::string to = kind == p ? s.target(p) : s.target(r);
  return opcode + " " + to + ", " + (s.one_in(3) ? "!" : "") + s.source(p) + ", " + members +
         ";\n" + s.folded(kind, to);
}

std::string match(Scribe& s, const std::string& opcode, Operand kind, bool all,
                  const std::string& members) {
  std::string before;
  const std::string value = coarse(s, kind, before), to = s.target(r), same = s.temporary(p);
  return before + opcode + " " + to + (all ? "|" + same : "") + ", " + value + ", " + members +
         ";\n" + s.folded(r, to) + (all ? s.folded(p, same) : "");
}

}  // namespace

void add_warp_rows(std::vector<Row>& rows) {
  const auto add = [&](const std::string& name, const std::function<std::string(Scribe&)>& text) {
    rows.push_back({name, Place::uniform, text});
  };
  for (const std::string mode : {"up", "down", "bfly", "idx"})
    add("shfl.sync." + mode + ".b32", [=](Scribe& s) { return shuffle(s, mode); });
  add("shfl.sync.idx.b32 in a branch", [](Scribe& s) { return with_some(s, broadcast); });
  for (const std::string kind : {"all", "any", "uni"}) {
    add("vote.sync." + kind + ".pred", [=](Scribe& s) {
      return with_some(s, [&](Scribe& in, const std::string& members) {
        return of_predicate(in, "vote.sync." + kind + ".pred", p, members);
      });
    });
  }
  add("vote.sync.ballot.b32", [](Scribe& s) {
    return with_some(s, [](Scribe& in, const std::string& members) {
      return of_predicate(in, "vote.sync.ballot.b32", r, members);
    });
  });
  for (const bool all : {false, true}) {
    for (const Operand kind : {r, d}) {
      const std::string opcode =
          std::string("match.") + (all ? "all" : "any") + ".sync." + (kind == r ? "b32" : "b64");
      add(opcode, [=](Scribe& s) {
        return with_some(s, [&](Scribe& in, const std::string& members) {
          return match(in, opcode, kind, all, members);
        });
      });
    }
  }
  for (const std::string kind : {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32",
                                 "and.b32", "or.b32", "xor.b32"}) {
    add("redux.sync." + kind, [=](Scribe& s) {
      return with_some(s, [&](Scribe& in, const std::string& members) {
        const std::string to = in.target(r);
        return "redux.sync." + kind + " " + to + ", " + in.source(r) + ", " + members + ";\n" +
               in.folded(r, to);
      });
    });
  }
  add("elect.sync", [](Scribe& s) {
    return with_some(s, [](Scribe& in, const std::string& members) {
      const std::string leader = in.temporary(r), elected = in.temporary(p);
      return "elect.sync " + leader + "|" + elected + ", " + members + ";\n" +
             in.folded(r, leader) + in.folded(p, elected);
    });
  });
  add("activemask.b32", [](Scribe& s) {
    // Which lanes run together is open; this one does, and none that does not exist.
    const std::string active = s.temporary(r), own = s.target(r), strange = s.temporary(r);
    return "activemask.b32 " + active + ";\nmov.u32 " + own + ", %laneid; shr.u32 " + own + ", " +
           active + ", " + own + "; and.b32 " + own + ", " + own + ", 1; not.b32 " + strange +
           ", %full; and.b32 " + strange + ", " + strange + ", " + active + ";\n" +
           s.folded(r, own) + s.folded(r, strange);
  });
  // What one lane stores before it, another reads behind it.
  add("bar.warp.sync", [](Scribe& s) {
    if (s.program.threads % 32 != 0) return std::string();
    const std::string address = s.temporary(r), value = s.temporary(d);
    return "st.shared.b64 [%slot], " + s.source(d) + ";\nbar.warp.sync %full;\nxor.b32 " + address +
           ", %slot, " + std::to_string(8 << s.below(5)) + "; ld.shared.b64 " + value + ", [" +
           address + "];\nbar.warp.sync %full;\n" + s.folded(d, value);
  });
}

}  // namespace ladder::emulator::fuzz
