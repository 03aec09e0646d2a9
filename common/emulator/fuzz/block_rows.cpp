// What blocks and the device give: barriers, asynchronous copies, fences, special registers.
#include "common/emulator/fuzz/rows.hpp"

namespace ladder::emulator::fuzz {
namespace {

constexpr Operand r = Operand::b32, d = Operand::b64, p = Operand::predicate;

// Every thread reads what another one stored before `meet`; `part` keeps it from being overwritten.
std::string exchange(Scribe& s, const std::string& meet, const std::string& part) {
  const std::string at = s.temporary(r), base = s.temporary(r), value = s.temporary(d);
  const std::string threads = std::to_string(s.program.threads);
  const std::string factor = std::to_string(2 * s.below(20) + 1);
  const std::string shift = std::to_string(s.below(s.program.threads));
  return "st.shared.b64 [%slot], " + s.source(d) + ";\n" + meet + ";\nmad.lo.u32 " + at +
         ", %thread, " + factor + ", " + shift + "; rem.u32 " + at + ", " + at + ", " + threads +
         "; mov.u32 " + base + ", exchange; mad.lo.u32 " + at + ", " + at + ", 8, " + base +
         "; ld.shared.b64 " + value + ", [" + at + "];\n" + part + ";\n" + s.folded(d, value);
}
std::string exchange(Scribe& s, const std::string& barrier) {
  return exchange(s, barrier, barrier);
}

std::string copy(Scribe& s, const std::string& cache, unsigned bytes) {
  const std::string to = std::to_string(s.below(64 / bytes) * bytes);
  const std::string from = std::to_string(s.below(128 / bytes) * bytes);
  std::string size;
  if (s.one_in(3)) size = ", " + std::to_string(s.below(bytes + 1));
  std::string text = "cp.async." + cache + ".shared.global [%tile+" + to + "], [%mine+" + from +
                     "], " + std::to_string(bytes) + size + ";\n";
  const unsigned way = s.below(3);
  if (way == 0) return text + "cp.async.wait_all;\n";
  text += "cp.async.commit_group;\n";
  if (way == 2) text += "cp.async.commit_group;\ncp.async.wait_group 1;\n";
  return text + (way == 1 ? "cp.async.wait_group 0;\n" : "");
}

}  // namespace

void add_block_rows(std::vector<Row>& rows) {
  const auto add = [&](const std::string& name, Place place,
                       const std::function<std::string(Scribe&)>& text) {
    rows.push_back({name, place, text});
  };
  add("bar.sync", Place::uniform, [](Scribe& s) { return exchange(s, "bar.sync 0"); });
  add("barrier.sync", Place::uniform,
      [](Scribe& s) { return exchange(s, "barrier.sync " + std::to_string(s.below(16))); });
  add("barrier.sync.aligned", Place::uniform, [](Scribe& s) {
    if (s.program.threads % 32 != 0) return std::string();
    return exchange(s, "barrier.sync.aligned " + std::to_string(s.below(16)) + ", " +
                           std::to_string(s.program.threads));
  });
  // All threads arrive at an mbarrier and wait for its phase to end.
  add("mbarrier", Place::uniform, [](Scribe& s) {
    const std::string address = s.temporary(r), state = s.temporary(d), first = s.temporary(p),
                      done = s.temporary(p), wait = s.label();
    const std::string init = "mov.u32 " + address + ", meeting; setp.eq.u32 " + first +
                             ", %thread, 0;\n@" + first + " mbarrier.init.shared.b64 [" + address +
                             "], " + std::to_string(s.program.threads) + ";\nbar.sync 0;\n";
    const std::string meet = "mbarrier.arrive.shared.b64 " + state + ", [" + address + "];\n" +
                             wait + ": mbarrier.test_wait.shared.b64 " + done + ", [" + address +
                             "], " + state + "; @!" + done + " bra " + wait;
    return init + exchange(s, meet, "bar.sync 0") + "@" + first + " mbarrier.inval.shared.b64 [" +
           address + "];\nbar.sync 0;\n";
  });
  add("bar.red.popc.u32", Place::uniform, [](Scribe& s) {
    const std::string to = s.target(r);
    return "bar.red.popc.u32 " + to + ", 0, " + s.source(p) + ";\n" + s.folded(r, to);
  });
  for (const std::string kind : {"and", "or"}) {
    add("bar.red." + kind + ".pred", Place::uniform, [=](Scribe& s) {
      const std::string to = s.target(p);
      return "bar.red." + kind + ".pred " + to + ", 0, " + (s.one_in(2) ? "!" : "") + s.source(p) +
             ";\n" + s.folded(p, to);
    });
  }
  for (const unsigned bytes : {4u, 8u, 16u})
    add("cp.async.ca " + std::to_string(bytes), Place::kernel,
        [=](Scribe& s) { return copy(s, "ca", bytes); });
  add("cp.async.cg 16", Place::kernel, [](Scribe& s) { return copy(s, "cg", 16); });
  for (const std::string fence :
       {"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.sc.cta"})
    add(fence, Place::kernel, [=](Scribe&) { return fence + ";\n"; });
  add("nanosleep.u32", Place::anywhere, [](Scribe&) { return std::string("nanosleep.u32 20;\n"); });
  for (const std::string special :
       {"%tid.x", "%tid.y", "%ntid.x", "%ntid.z", "%ctaid.x", "%nctaid.x", "%nctaid.y", "%laneid",
        "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt",
        "%dynamic_smem_size"}) {
    add("mov.u32 " + special, Place::anywhere, [=](Scribe& s) {
      const std::string to = s.target(r);
      return "mov.u32 " + to + ", " + special + ";\n" + s.folded(r, to);
    });
  }
  for (const std::string space : {"global", "shared", "local", "const"}) {
    add("isspacep." + space, Place::kernel, [=](Scribe& s) {
      const std::string constant = s.temporary(d);
      const char* const bases[] = {"%own", "%tile_generic", "%depot_generic", constant.c_str()};
      const std::string to = s.target(p);
      return "mov.u64 " + constant + ", $table; cvta.const.u64 " + constant + ", " + constant +
             ";\nisspacep." + space + " " + to + ", " + s.any(bases) + ";\n" + s.folded(p, to);
    });
  }
  // To an address and back.
  for (const std::string space : {"shared", "local"}) {
    add("cvta.to." + space, Place::kernel, [=](Scribe& s) {
      const std::string back = s.temporary(d), offset = s.temporary(d);
      const std::string base = space == "shared" ? "%tile" : "%depot";
      std::string wide = base, text;
      if (space == "shared") {
        wide = s.temporary(d);
        text = "cvt.u64.u32 " + wide + ", " + base + ";\n";
      }
      return text + "cvta.to." + space + ".u64 " + back + ", " + base + "_generic; sub.u64 " +
             offset + ", " + back + ", " + wide + ";\n" + s.folded(d, offset);
    });
  }
}

}  // namespace ladder::emulator::fuzz
