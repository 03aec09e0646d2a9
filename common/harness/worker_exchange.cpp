#include <sys/mman.h>
#include <unistd.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/harness/verdict.hpp"
#include "common/harness/worker_process.hpp"

namespace ladder {
namespace {

constexpr std::uint64_t alignment = 4096;

std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

Descriptor make_memory(const char* name, std::uint64_t bytes) {
  Descriptor memory(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.get() < 0 || ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0)
    throw MachineError("no shared memory for " + std::to_string(bytes) +
                       " bytes of arrays: " + std::strerror(errno));
  return memory;
}

void write_all(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written =
        pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written <= 0) {
      if (written < 0 && errno == EINTR) continue;
      throw MachineError(std::string("cannot fill a case's inputs: ") + std::strerror(errno));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

protocol::Role role_of(const Argument& argument) {
  switch (argument.role) {
    case Role::in:
      return protocol::Role::in;
    case Role::out:
      return protocol::Role::out;
    case Role::inout:
      return protocol::Role::inout;
    case Role::scalar:
      break;
  }
  return argument.type == ElementType::i32 ? protocol::Role::i32 : protocol::Role::f32;
}

std::uint64_t scalar_bits(const Argument& argument, const Parameters& parameters) {
  std::uint64_t bits = 0;
  if (argument.type == ElementType::i32) {
    const auto value = static_cast<std::int32_t>(parameters[argument.name]);
    std::memcpy(&bits, &value, sizeof value);
  } else {
    const auto value = static_cast<float>(parameters.real(argument.name));
    std::memcpy(&bits, &value, sizeof value);
  }
  return bits;
}

}  // namespace

Exchange::Exchange(const Problem& problem, const Parameters& parameters, const Inputs& inputs,
                   std::uint64_t guard_bytes, Purpose purpose)
    : problem_(problem), parameters_(parameters), command_(new protocol::Command{}) {
  if (problem.arguments.size() > protocol::max_arguments)
    throw MachineError("the problem " + problem.name + " has more than " +
                       std::to_string(protocol::max_arguments) + " arguments");
  command_->guard_bytes = guard_bytes;
  std::uint64_t input_bytes = 0, result_bytes = 0;
  for (const Argument& argument : problem.arguments) {
    protocol::Argument& described = command_->arguments[command_->argument_count++];
    described.role = role_of(argument);
    argument.name.copy(described.name, sizeof described.name - 1);
    if (argument.role == Role::scalar) {
      described.scalar = scalar_bits(argument, parameters);
      continue;
    }
    static_assert(static_cast<std::uint8_t>(ElementType::f32) == protocol::element_f32);
    described.element_type = static_cast<std::uint8_t>(argument.type);
    described.elements = static_cast<std::uint64_t>(argument.extent(parameters));
    described.bytes = described.elements * size_of(argument.type);
    described.returned = purpose == Purpose::checked || argument.role != Role::in;
    described.poison =
        argument.type == ElementType::i32 ? protocol::integer_poison : protocol::float_poison;
    if (described.returned != 0) {
      described.result_offset = result_bytes;
      result_bytes += rounded_up(described.bytes + 2 * guard_bytes);
    }
    // The device makes what the default fill makes; a problem's own fill is known here only.
    described.made_on_device =
        purpose == Purpose::timed && !problem.fill && argument.type != ElementType::i32;
    if (argument.role == Role::out || described.made_on_device != 0) continue;
    described.input_offset = input_bytes;
    input_bytes += rounded_up(described.bytes);
  }
  inputs_ = make_memory("ladder-inputs", input_bytes);
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    const Argument& argument = problem.arguments[i];
    if (argument.role != Role::in && argument.role != Role::inout) continue;
    if (command_->arguments[i].made_on_device != 0) continue;
    write_all(inputs_.get(), inputs.find(argument.name)->second.bytes(),
              command_->arguments[i].input_offset);
  }
  fcntl(inputs_.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  results_ = make_memory("ladder-results", result_bytes);
  fcntl(results_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

void Exchange::read(std::uint64_t offset, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = pread(results_.get(), into.data(), into.size(), static_cast<off_t>(offset));
    if (got <= 0) {
      if (got < 0 && errno == EINTR) continue;
      throw MachineError(std::string("cannot read a case's results: ") + std::strerror(errno));
    }
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

Buffer Exchange::result(std::size_t argument) const {
  const Argument& described = problem_.arguments.at(argument);
  Buffer buffer(described.type, described.extent(parameters_));
  const protocol::Argument& placed = command_->arguments[argument];
  read(placed.result_offset + command_->guard_bytes, buffer.bytes());
  return buffer;
}

std::vector<Exchange::Damage> Exchange::damaged_guards() const {
  std::vector<Damage> damaged;
  if (command_->guard_bytes == 0) return damaged;
  std::vector<std::byte> guard(command_->guard_bytes);
  const auto intact = [](std::byte byte) { return byte == std::byte{protocol::guard_byte}; };
  for (std::size_t i = 0; i < problem_.arguments.size(); ++i) {
    if (problem_.arguments[i].role == Role::scalar || !returned(i)) continue;
    const protocol::Argument& placed = command_->arguments[i];
    read(placed.result_offset, guard);
    // The byte nearest to the array is told: the likeliest first step out of it.
    const auto before = std::find_if_not(guard.rbegin(), guard.rend(), intact);
    if (before != guard.rend()) damaged.push_back({i, -1 - (before - guard.rbegin())});
    read(placed.result_offset + command_->guard_bytes + placed.bytes, guard);
    const auto after = std::find_if_not(guard.begin(), guard.end(), intact);
    if (after != guard.end()) damaged.push_back({i, after - guard.begin()});
  }
  return damaged;
}

}  // namespace ladder
