// Finds reads of memory that nobody has written since it was allocated: global memory, the shared
// memory of a block, the arrays of a thread; and the host's copies of such memory.
//
// An element (what one register receives) counts as unwritten only if none of its bytes was
// written: structures have gaps between their members and are copied by the word. Loads whose value
// nobody uses are left out, as far as the kernel's text tells (value_uses.hpp).
#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/emulator/exec/findings.hpp"
#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/shared_place.hpp"
#include "common/emulator/exec/text.hpp"
#include "common/emulator/exec/thread_block.hpp"
#include "common/emulator/observers/observers.hpp"
#include "common/emulator/observers/value_uses.hpp"
#include "common/emulator/observers/written_bits.hpp"
#include "common/emulator/ptx/reserved_shared.hpp"

namespace ladder::emulator {

namespace {

using ptx::Space;

// The bytes of a warp's access: visit(address, bytes, lane) for each span of neighbours, with the
// lane that it begins with, until one says false.
template <class Visit>
bool for_spans(const WarpAccess& access, const Visit& visit) {
  const std::uint32_t bytes = access.bytes;
  if (access.stride == no_stride) {
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (!visit(access.address[static_cast<std::size_t>(lane)], bytes, lane)) return false;
    }
    return true;
  }
  constexpr int chunk = 8;
  const std::uint64_t width = access.stride == 0 ? bytes : std::uint64_t{chunk} * bytes;
  for (int lane = 0; lane < lanes;) {
    const std::uint64_t begin = access.address[static_cast<std::size_t>(lane)];
    std::uint64_t end = begin + width;
    // Chunks that follow one another, or all are at one place.
    for (lane += chunk; lane < lanes; lane += chunk) {
      const std::uint64_t next = access.address[static_cast<std::size_t>(lane)];
      if (access.stride != 0 && next == end) {
        end += width;
      } else if (access.stride != 0 || next != begin) {
        break;
      }
    }
    if (!visit(begin, end - begin, lane - chunk)) return false;
  }
  return true;
}

class BlockInitCheck : public BlockObserver {
 public:
  BlockInitCheck(ThreadBlock& block, WrittenPages& global)
      : block_(block),
        global_(global),
        shared_(block.launch.shared_bytes),
        local_bytes_(block.launch.function->local_bytes) {
    if (local_bytes_ > 0) {
      local_.assign(block.launch.threads, WrittenBytes(local_bytes_));
    }
  }

  void start() override {
    shared_.clear();
    const auto& variables = block_.launch.function->shared;
    if (const auto cleared = variables.find(ptx::reserved_shared); cleared != variables.end()) {
      shared_.write(cleared->second.begin, cleared->second.bytes);
    }
    for (WrittenBytes& thread : local_) thread.clear();
    ignored_spaces = 0;
    if (local_.empty()) ignore(Space::local);
    if (global_.complete()) ignore(Space::global);
    if (shared_.complete()) ignore(Space::shared);
  }

  void access(const WarpAccess& access) override {
    switch (access.space) {
      case Space::shared:
        check(access, [&](int) -> WrittenBytes& { return shared_; });
        if (shared_.complete()) ignore(Space::shared);
        return;
      case Space::local:
        return check_local(access);
      default:
        return check_global(access);
    }
  }

  Interest interest(const Inst&, std::uint64_t address) override {
    // What is allocated beside it later on may be unwritten.
    Range range;
    if (!block_.launch.memory->find_range(address, range)) return {address, 1, 1};
    const WrittenPages::Stretch around = global_.stretch_around(address);
    const std::uint64_t begin = std::max(around.begin, range.begin);
    const std::uint64_t end = std::min(around.begin + around.bytes, range.begin + range.bytes);
    return {begin, end - begin, around.complete ? 0u : 1u};
  }

  void copy_done(Warp&, int, std::uint32_t to, std::uint32_t bytes) override {
    shared_.write(to, bytes);
  }

 private:
  // Everything there is written, and stays so.
  void ignore(Space space) {
    ignored_spaces |= 1u << static_cast<unsigned>(space);
    const bool all = ignores(Space::local) && ignores(Space::global) && ignores(Space::shared);
    if (all) ignored_spaces |= 1u << static_cast<unsigned>(Space::generic);
    block_.find_listeners();
  }

  static bool reads(const WarpAccess& access) {
    if (access.traffic == Traffic::store) return false;
    // An exchange whose old value nobody wants only writes.
    return access.inst.d != no_row || access.traffic != Traffic::atomic ||
           std::string_view(access.inst.source->opcode).find(".exch") == std::string_view::npos;
  }
  static bool writes(const WarpAccess& access) {
    return access.traffic != Traffic::load && access.traffic != Traffic::async_copy;
  }

  // `bytes_of(lane)`: the memory that the addresses of a lane lie in.
  template <class BytesOf>
  void check(const WarpAccess& access, const BytesOf& bytes_of) {
    if (reads(access)) {
      const bool good = for_spans(access, [&](std::uint64_t at, std::uint64_t bytes, int lane) {
        return bytes_of(lane).written(at, bytes);
      });
      if (!good) {
        look_closer(access, [&](std::uint64_t at, std::uint32_t bytes, int lane) {
          return bytes_of(lane).written(at, bytes);
        });
      }
    }
    if (writes(access)) {
      for_spans(access, [&](std::uint64_t at, std::uint64_t bytes, int lane) {
        bytes_of(lane).write(at, bytes);
        return true;
      });
    }
  }

  // What a kernel's own arrays hold; arguments and results of functions are moved by others.
  void check_local(const WarpAccess& access) {
    if (local_.empty() || access.inst.source->opcode.find(".param") != std::string::npos) return;
    WarpAccess by_lane = access;  // each lane has a memory of its own
    by_lane.stride = no_stride;
    check(by_lane, [&](int lane) -> WrittenBytes& { return local_[access.warp.thread_of(lane)]; });
  }

  void check_global(const WarpAccess& access) {
    if (access.traffic == Traffic::async_copy) return check_copied(access);
    if (reads(access)) {
      const auto written = [&](std::uint64_t at, std::uint64_t bytes, int) {
        return global_.written(at, bytes);
      };
      if (!for_spans(access, written)) look_closer(access, written);
    }
    if (writes(access)) {
      for_spans(access, [&](std::uint64_t at, std::uint64_t bytes, int) {
        global_.write(at, bytes, block_.launch.several_threads);
        return true;
      });
    }
  }

  // cp.async may read less than it writes: the rest are zeros.
  void check_copied(const WarpAccess& access) {
    const std::uint32_t row = access.inst.s[2];
    const auto* sizes =
        row == no_row ? nullptr : reinterpret_cast<const std::uint32_t*>(access.rows + row);
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::uint64_t at = access.address[static_cast<std::size_t>(lane)];
      const std::uint32_t bytes = sizes ? std::min(access.bytes, sizes[lane]) : access.bytes;
      if (bytes == 0 || global_.written(at, bytes) ||
          any_byte(at, bytes, [&](std::uint64_t b) { return global_.written(b, 1); })) {
        continue;
      }
      return report(access, lane, at, bytes);
    }
  }

  template <class Written>
  static bool any_byte(std::uint64_t at, std::uint32_t bytes, const Written& written) {
    for (std::uint32_t b = 0; b < bytes; ++b) {
      if (written(at + b)) return true;
    }
    return false;
  }

  // Element by element; `written(address, bytes, lane)`.
  template <class Written>
  void look_closer(const WarpAccess& access, const Written& written) {
    const ptx::Instruction* source = access.inst.source;
    if (!block_.launch.findings->wanted(source)) return;
    const std::uint32_t listed = access.inst.list_size;  // of a matrix: registers of the warp
    const std::uint32_t elements = access.inst.bytes * listed == access.bytes ? listed : 1;
    const std::uint32_t bytes = access.bytes / elements;
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::uint64_t begin = access.address[static_cast<std::size_t>(lane)];
      std::uint32_t missing = 0;
      for (std::uint32_t e = 0; e < elements; ++e) {
        const bool any = any_byte(begin + e * bytes, bytes,
                                  [&](std::uint64_t b) { return written(b, 1, lane); });
        if (!any) missing |= 1u << e;
      }
      const bool whole = missing + 1 == 1u << elements;
      for (std::uint32_t e = 0; e < elements; ++e) {
        if (((missing >> e) & 1) == 0 || !matters(access, static_cast<int>(e), whole)) continue;
        return report(access, lane, begin + e * bytes, bytes);
      }
    }
  }

  // `whole`: nothing at all of what the lane reads was written.
  bool matters(const WarpAccess& access, int element, bool whole) {
    if (access.traffic != Traffic::load) return true;
    const auto [known, is_new] = uses_.try_emplace({access.inst.source, element}, ValueUse::used);
    if (is_new) {
      known->second =
          use_of_loaded(*access.warp.frame->function->source, *access.inst.source, element);
    }
    switch (known->second) {
      case ValueUse::never:
      case ValueUse::chosen:
        return false;
      case ValueUse::only_moved:
        return whole;
      default:
        return true;
    }
  }

  void report(const WarpAccess& access, int lane, std::uint64_t address, std::uint32_t bytes) {
    const ptx::Instruction* source = access.inst.source;
    Findings& findings = *block_.launch.findings;
    if (!findings.wanted(source)) return;
    Range range;
    if (access.space == Space::global && !block_.launch.memory->find_range(address, range)) {
      return;  // behind an allocation, which is another mistake
    }
    const bool coming = access.space == Space::shared && is_being_copied(address);
    findings.add(
        block_.finding(access.warp,
                       {FaultKind::uninitialized,
                        "uninitialized: read of " + std::to_string(bytes) + " bytes in " +
                            space_name(access.space) +
                            (coming ? " memory that an asynchronous copy has not reached yet"
                                    : " memory that nobody has written"),
                        place(access, address, bytes),
                        coming ? "wait for the copy (cp.async.wait_group, __pipeline_wait_prior), "
                                 "then for the other threads (__syncthreads)"
                               : help(access.space),
                        lane, source}),
        source);
  }

  // Whether a cp.async that nobody has waited for is to write there.
  bool is_being_copied(std::uint64_t address) const {
    const std::byte* at = block_.shared.data() + address;
    const auto& warps = block_.warps();
    return std::any_of(warps.begin(), warps.end(), [&](const auto& warp) {
      return std::any_of(warp->copies.begin(), warp->copies.end(), [&](const AsyncCopy& copy) {
        return copy.to != nullptr && at >= copy.to && at < copy.to + copy.bytes + copy.zeros;
      });
    });
  }

  static const char* space_name(Space space) {
    return space == Space::shared ? "shared" : space == Space::local ? "local" : "global";
  }

  std::string place(const WarpAccess& access, std::uint64_t address, std::uint32_t bytes) const {
    switch (access.space) {
      case Space::shared:
        return "shared address " + hex(address) + ": " +
               shared_place(block_.launch, address, bytes);
      case Space::local:
        return "local address " + hex(address) + " of the thread";
      default:
        return "address " + block_.launch.memory->describe(address, bytes);
    }
  }

  static const char* help(Space space) {
    switch (space) {
      case Space::shared:
        return "each block begins with shared memory that holds anything: write every element that "
               "is read, also (as 0) those past the end of the data";
      case Space::local:
        return "give the array inside the kernel its first values";
      default:
        return "cudaMalloc does not clear memory: copy something to it, clear it with cudaMemset, "
               "or let a kernel write it first";
    }
  }

  ThreadBlock& block_;
  WrittenPages& global_;
  WrittenBytes shared_;
  std::size_t local_bytes_;          // of the kernel itself, without those of what it calls
  std::vector<WrittenBytes> local_;  // by thread
  std::map<std::pair<const ptx::Instruction*, int>, ValueUse> uses_;  // of elements looked at
};

class InitCheck : public Observer {
 public:
  InitCheck(const DeviceMemory& memory, Findings& findings)
      : memory_(memory), findings_(findings), global_(memory) {}

  std::unique_ptr<BlockObserver> observe(ThreadBlock& block) override {
    return std::make_unique<BlockInitCheck>(block, global_);
  }
  void allocated(DeviceAddress at, std::size_t bytes) override { global_.allocate(at, bytes); }
  void freed(DeviceAddress at, std::size_t bytes) override { global_.free(at, bytes); }
  void written(DeviceAddress at, std::size_t bytes) override {
    global_.write(at, bytes, true);  // a kernel may run meanwhile
    global_.settle(at, bytes);
  }
  void read(DeviceAddress from, std::size_t bytes, const std::string& what, bool to_host) override {
    const WrittenPages::Gap gap = to_host ? missing(from, bytes) : global_.first_gap(from, bytes);
    // What is copied on the device stays unwritten there, and is found where it is read. A copy of
    // nothing else is a mistake itself.
    if (gap.bytes == 0 || (!to_host && gap.bytes < bytes) || !findings_.wanted(nullptr)) return;
    const std::uint64_t first = gap.begin - from;
    Finding found;
    found.kind = FaultKind::uninitialized;
    found.what = "uninitialized: " + what + " copies " + std::to_string(gap.bytes) +
                 (to_host ? " bytes to the host" : " bytes") + " that nobody has written";
    found.where = "bytes " + std::to_string(first) + " to " +
                  std::to_string(first + gap.bytes - 1) + " of the " + std::to_string(bytes) +
                  " copied; address " + memory_.describe(gap.begin, gap.bytes);
    found.help =
        "cudaMalloc does not clear memory: does the kernel write every element, also the last "
        "ones, and was it launched before?";
    findings_.add(std::move(found), nullptr);
  }
  void copied(DeviceAddress to, DeviceAddress from, std::size_t bytes) override {
    global_.copy(to, from, bytes);
    global_.settle(to, bytes);
  }

 private:
  // The first bytes that nobody wrote, and that are no gaps between the members of structures: those
  // are short, and come again at each element.
  WrittenPages::Gap missing(DeviceAddress from, std::size_t bytes) const {
    constexpr std::size_t longest_padding = 15, most_looked_at = 1 << 16;
    const DeviceAddress end = from + bytes;
    const auto next = [&](const WrittenPages::Gap& gap) {
      const DeviceAddress behind = gap.begin + gap.bytes;
      return global_.first_gap(behind, end - behind);
    };
    const WrittenPages::Gap first = global_.first_gap(from, bytes);
    WrittenPages::Gap gap = first;
    bool comes_again = false;
    for (std::size_t looked_at = 0; gap.bytes != 0 && looked_at < most_looked_at; ++looked_at) {
      if (gap.bytes > longest_padding) return gap;
      const WrittenPages::Gap other = next(gap);
      if (other.bytes == gap.bytes) {
        // A member is missing, not padded, where as much is left out as is there.
        if (other.begin - gap.begin <= 2 * gap.bytes) return gap;
        comes_again = true;
      }
      gap = other;
    }
    return comes_again ? WrittenPages::Gap{} : first;
  }

  const DeviceMemory& memory_;
  Findings& findings_;
  WrittenPages global_;
};

}  // namespace

std::unique_ptr<Observer> make_initcheck(const DeviceMemory& memory, Findings& findings) {
  return std::make_unique<InitCheck>(memory, findings);
}

}  // namespace ladder::emulator
