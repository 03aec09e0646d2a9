#include "common/emulator/exec/builtins.hpp"

#include <bit>
#include <cstdio>
#include <cstring>

#include "common/emulator/exec/memory_operations.hpp"
#include "common/emulator/exec/text.hpp"

namespace ladder::emulator {

namespace {

std::byte* stack_of(Warp& warp, const Frame& frame, int lane, std::uint32_t offset) {
  return warp.local + static_cast<std::uint64_t>(lane) * warp.local_stride + frame.local_base +
         offset;
}

std::uint64_t argument(Warp& warp, const Frame& frame, const CallSite& call, std::size_t number,
                       int lane) {
  std::uint64_t value = 0;
  if (number < call.arguments.size()) {
    const CallSite::Slot& slot = call.arguments[number];
    std::memcpy(&value, stack_of(warp, frame, lane, slot.offset), std::min(slot.bytes, 8u));
  }
  return value;
}

void give_back(Warp& warp, const Frame& frame, const CallSite& call, int lane,
               std::uint64_t value) {
  if (call.results.empty()) return;
  const CallSite::Slot& slot = call.results[0];
  std::memcpy(stack_of(warp, frame, lane, slot.offset), &value, std::min(slot.bytes, 8u));
}

std::string read_string(Warp& warp, const CallSite& call, std::uint64_t address, int lane) {
  std::string text;
  if (address == 0) return "(null)";
  for (;; ++address) {
    const char c = static_cast<char>(*resolve_generic(warp, call.source, address, 1, lane));
    if (c == 0) return text;
    text += c;
  }
}

// The variadic arguments lie one after another, each aligned to its size.
class Arguments {
 public:
  int taken() const { return taken_; }
  Arguments(Warp& warp, const CallSite& call, std::uint64_t address, int lane)
      : warp_(warp), call_(call), address_(address), lane_(lane) {}
  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, resolve_generic(warp_, call_.source, address_ + at_, sizeof(T), lane_),
                sizeof(T));
    at_ += sizeof(T);
    ++taken_;
    return value;
  }

 private:
  Warp& warp_;
  const CallSite& call_;
  std::uint64_t address_;
  int lane_;
  std::uint64_t at_ = 0;
  int taken_ = 0;
};

template <class... T>
std::string formatted(const std::string& format, T... values) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  const int size = std::snprintf(nullptr, 0, format.c_str(), values...);
  std::string text(size > 0 ? static_cast<std::size_t>(size) + 1 : 0, '\0');
  if (size > 0) {
    std::snprintf(text.data(), text.size(), format.c_str(), values...);
    text.pop_back();
  }
#pragma GCC diagnostic pop
  return text;
}

std::string format_all(Warp& warp, const CallSite& call, const std::string& format,
                       Arguments& arguments, int lane) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::string spec = "%";
    bool wide = false;
    for (++i; i < format.size() && std::strchr("-+ #0123456789.*lhzjt", format[i]); ++i) {
      if (format[i] == '*') {
        const int number = arguments.next<int>();
        // A negative precision is none.
        if (number < 0 && spec.back() == '.') {
          spec.pop_back();
        } else {
          spec += std::to_string(number);
        }
      } else if (std::strchr("lzjt", format[i])) {
        wide = true;
      } else {
        spec += format[i];
      }
    }
    const char kind = i < format.size() ? format[i] : '%';
    if (kind == '%') {
      out += '%';
    } else if (std::strchr("diouxX", kind)) {
      out += wide ? formatted(spec + "ll" + kind, arguments.next<long long>())
                  : formatted(spec + kind, arguments.next<int>());
    } else if (kind == 'c') {
      out += formatted(spec + kind, arguments.next<int>());
    } else if (std::strchr("eEfFgGaA", kind)) {
      out += formatted(spec + kind, arguments.next<double>());
    } else if (kind == 'p') {
      out += formatted(spec + kind, reinterpret_cast<void*>(arguments.next<std::uint64_t>()));
    } else if (kind == 's') {
      const std::string text = read_string(warp, call, arguments.next<std::uint64_t>(), lane);
      out += formatted(spec + kind, text.c_str());
    } else {
      out += spec + kind;
    }
  }
  return out;
}

void print(Warp& warp, const Frame& frame, const CallSite& call, int lane) {
  const std::string format = read_string(warp, call, argument(warp, frame, call, 0, lane), lane);
  Arguments arguments(warp, call, argument(warp, frame, call, 1, lane), lane);
  const std::string text = format_all(warp, call, format, arguments, lane);
  {
    const std::lock_guard lock(*warp.launch.output_mutex);
    (*warp.launch.output)(text);
  }
  give_back(warp, frame, call, lane, static_cast<std::uint64_t>(arguments.taken()));
}

[[noreturn]] void fail_assertion(Warp& warp, const Frame& frame, const CallSite& call, int lane) {
  const auto text = [&](std::size_t number) {
    return read_string(warp, call, argument(warp, frame, call, number, lane), lane);
  };
  const auto line = static_cast<std::uint32_t>(argument(warp, frame, call, 2, lane));
  throw KernelFault{FaultKind::assertion,
                    "assertion failed: " + text(0),
                    text(1) + ":" + std::to_string(line) + ", in " + text(3),
                    "the condition is false for this thread: print what it is made of",
                    lane,
                    call.source};
}

void allocate(Warp& warp, const Frame& frame, const CallSite& call, int lane) {
  std::uint64_t address = 0;
  try {
    address = warp.launch.memory->allocate(argument(warp, frame, call, 0, lane),
                                           "malloc in a kernel", DeviceMemory::Owner::device_heap);
  } catch (const Fault&) {
    // Device malloc says so with a null pointer.
  }
  give_back(warp, frame, call, lane, address);
}

void release(Warp& warp, const Frame& frame, const CallSite& call, int lane) {
  const std::uint64_t address = argument(warp, frame, call, 0, lane);
  if (address == 0) return;
  try {
    warp.launch.memory->free(address, DeviceMemory::Owner::device_heap);
  } catch (const Fault& fault) {
    throw KernelFault{FaultKind::illegal_address,
                      std::string("free in a kernel: ") + fault.what(),
                      "",
                      "free in a kernel takes what malloc in a kernel returned, once",
                      lane,
                      call.source};
  }
}

}  // namespace

Builtin find_builtin(std::string_view name) {
  if (name == "vprintf") return Builtin::print;
  if (name == "__assertfail") return Builtin::assertion;
  if (name == "malloc") return Builtin::allocate;
  if (name == "free") return Builtin::free;
  return Builtin::none;
}

void run_builtin(Warp& warp, Frame& frame, const CallSite& call, std::uint32_t mask) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    switch (call.builtin) {
      case Builtin::print:
        print(warp, frame, call, lane);
        break;
      case Builtin::assertion:
        fail_assertion(warp, frame, call, lane);
      case Builtin::allocate:
        allocate(warp, frame, call, lane);
        break;
      case Builtin::free:
        release(warp, frame, call, lane);
        break;
      case Builtin::none:
        break;
    }
  }
}

}  // namespace ladder::emulator
