#include "common/emulator/fuzz/garbage.hpp"

#include <lz4.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>

#include "common/emulator/device.hpp"
#include "common/emulator/fuzz/generator.hpp"
#include "common/emulator/fuzz/mutation.hpp"
#include "common/emulator/kernel_runs/kernel_run.hpp"
#include "common/emulator/runtime/fat_binary.hpp"

namespace ladder::emulator::fuzz {
namespace {

constexpr std::size_t kCases = 50;        // of a piece of work
constexpr unsigned kSecondsOfPiece = 60;  // a kernel is stopped after a twentieth of a second
constexpr unsigned kSecondsOfCase = 10;
constexpr rlim_t kMostMemory = rlim_t{4} << 30;
constexpr std::size_t kMostPieces = 1000000;

enum Way { refused, faulted, finished, read_fat_binary_way, ways };

struct Case {
  std::string bytes;
  bool is_fat_binary = false;
};

std::string whole_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> seeds_of(const GarbageRequest& request) {
  std::vector<std::string> seeds;
  if (!request.seeds.empty())
    for (const auto& entry : std::filesystem::directory_iterator(request.seeds))
      if (entry.path().extension() == ".ptx") seeds.push_back(whole_file(entry.path()));
  for (std::size_t i = 0; i < 40; ++i) seeds.push_back(generate(request.seed, i).run().ptx);
  return seeds;
}

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A container with one text, as nvcc makes it: plain, LZ4 or zstd.
std::string fat_binary(const std::string& text, unsigned way) {
  std::string payload = text;
  std::uint64_t flags = 0;
  if (way == 1) {
    payload.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
    payload.resize(static_cast<std::size_t>(
        LZ4_compress_default(text.data(), payload.data(), static_cast<int>(text.size()),
                             static_cast<int>(payload.size()))));
    flags = 0x2000;
  } else if (way == 2) {
    payload.resize(ZSTD_compressBound(text.size()));
    payload.resize(ZSTD_compress(payload.data(), payload.size(), text.data(), text.size(), 1));
    flags = 0x8000;
  }
  const std::size_t padded = (payload.size() + 7) / 8 * 8;
  std::string bytes(16 + 80, '\0');
  put(bytes, 0, std::uint32_t{0xba55ed50});
  put(bytes, 4, std::uint16_t{1});
  put(bytes, 6, std::uint16_t{16});
  put(bytes, 8, static_cast<std::uint64_t>(80 + padded));
  put(bytes, 16, std::uint16_t{1});
  put(bytes, 20, std::uint32_t{80});
  put(bytes, 24, static_cast<std::uint64_t>(padded));
  if (flags != 0) put(bytes, 32, static_cast<std::uint32_t>(payload.size()));
  put(bytes, 44, std::uint32_t{90});
  put(bytes, 56, flags | 0x11);
  put(bytes, 72, static_cast<std::uint64_t>(flags != 0 ? text.size() : 0));
  payload.resize(padded);
  return bytes + payload;
}

// Case `number` of a seed is always the same.
Case make_case(const std::vector<std::string>& seeds, std::uint64_t seed, std::size_t number) {
  std::mt19937_64 random(seed * 7919 + number);
  const std::string& text = seeds[random() % seeds.size()];
  if (random() % 4 != 0) return {damaged_text(text, seeds, random)};
  return {damaged_bytes(fat_binary(text, static_cast<unsigned>(random() % 3)), random), true};
}

// Names of kernels, as far as a damaged text tells.
std::vector<std::string> kernels_of(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(".entry"); at != std::string::npos && names.size() < 3;
       at = text.find(".entry", at + 1)) {
    const std::size_t start = text.find_first_not_of(" \t\n", at + 6);
    if (start == std::string::npos) break;
    names.push_back(text.substr(start, text.find_first_of(" \t\n(", start) - start));
  }
  return names;
}

class Victim {
 public:
  Victim() : device_({}, options()) {
    const rlimit limit{kMostMemory, kMostMemory};
    setrlimit(RLIMIT_DATA, &limit);
    memory_ = device_.allocate(1 << 16);
    device_.set_output([](std::string_view) {});
  }

  Way run(const Case& one) {
    std::string text = one.bytes;
    if (one.is_fat_binary) {
      // On the heap and exactly as long, so that a sanitizer sees a read past the end.
      const auto* bytes = reinterpret_cast<const std::byte*>(one.bytes.data());
      const std::vector<std::byte> exact(bytes, bytes + one.bytes.size());
      try {
        text = choose_ptx(read_fat_binary(exact), device_.properties());
      } catch (const Fault&) {
        return read_fat_binary_way;
      }
    }
    Module* module = nullptr;
    try {
      module = device_.load(text, "garbage");
    } catch (const Fault&) {
      return refused;
    }
    Way way = finished;
    for (const std::string& name : kernels_of(text)) {
      try {
        launch(device_.function(module, name));
      } catch (const Fault&) {
        way = faulted;
      }
    }
    device_.unload(module);
    return way;
  }

 private:
  static Options options() {
    Options options;
    options.threads = 1;
    options.time_limit_s = 0.05;
    return options;
  }

  void launch(const Function* function) {
    if (function == nullptr) return;
    std::vector<std::byte> parameters(device_.attributes(function).parameter_total);
    for (std::size_t at = 0; at + 8 <= parameters.size(); at += 8)
      std::memcpy(parameters.data() + at, &memory_, 8);
    Launch launch;
    launch.function = function;
    launch.grid.x = 2;
    launch.block.x = 64;
    launch.dynamic_shared_bytes = 1024;
    launch.parameters = parameters;
    device_.launch(launch);
  }

  Device device_;
  DeviceAddress memory_ = 0;
};

// The case of a piece that kills its process, and how.
std::optional<std::pair<std::size_t, std::string>> culprit(const std::vector<std::string>& seeds,
                                                           std::uint64_t seed, std::size_t piece) {
  std::vector<Death> deaths;
  const auto prepare = [&]() -> Work {
    const auto victim = std::make_shared<Victim>();
    return [&, victim](std::size_t i) {
      victim->run(make_case(seeds, seed, piece * kCases + i));
      return Piece{"lived"};
    };
  };
  in_processes(kCases, {1, kSecondsOfCase, 0}, prepare, deaths);
  if (deaths.empty()) return std::nullopt;
  return std::make_pair(piece * kCases + deaths[0].index, deaths[0].how);
}

}  // namespace

int garbage(const GarbageRequest& request) {
  const std::vector<std::string> seeds = seeds_of(request);
  std::vector<Death> deaths;
  const auto prepare = [&]() -> Work {
    const auto victim = std::make_shared<Victim>();
    return [&, victim](std::size_t piece) {
      std::array<std::size_t, ways> tally{};
      for (std::size_t i = 0; i < kCases; ++i)
        ++tally[victim->run(make_case(seeds, request.seed, piece * kCases + i))];
      return Piece{std::string(reinterpret_cast<const char*>(tally.data()), sizeof tally)};
    };
  };
  const auto seconds = static_cast<unsigned>(request.minutes * 60);
  const std::vector<std::string> results =
      in_processes(kMostPieces, {request.jobs, kSecondsOfPiece, seconds}, prepare, deaths);
  std::array<std::size_t, ways> all{};
  for (const std::string& result : results) {
    std::array<std::size_t, ways> tally{};
    if (result.size() != sizeof tally) continue;
    std::memcpy(tally.data(), result.data(), sizeof tally);
    for (std::size_t way = 0; way < ways; ++way) all[way] += tally[way];
  }
  std::printf(
      "%zu texts were refused, %zu ended in a fault, %zu ran; %zu fat binaries were refused\n",
      all[refused], all[faulted], all[finished], all[read_fat_binary_way]);
  for (const Death& death : deaths) {
    const auto found = culprit(seeds, request.seed, death.index);
    const std::size_t number = found ? found->first : death.index * kCases;
    std::printf("case %zu of seed %ju: %s\n", number, static_cast<std::uintmax_t>(request.seed),
                found ? found->second.c_str() : ("not again: " + death.how).c_str());
    if (request.save.empty()) continue;
    std::filesystem::create_directories(request.save);
    const Case one = make_case(seeds, request.seed, number);
    std::ofstream(request.save /
                      ("case_" + std::to_string(number) + (one.is_fat_binary ? ".fatbin" : ".ptx")),
                  std::ios::binary)
        << one.bytes;
  }
  std::printf("%zu deaths\n", deaths.size());
  return deaths.empty() ? 0 : 1;
}

}  // namespace ladder::emulator::fuzz
