#include "common/emulator/fuzz/mutation.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ladder::emulator::fuzz {
namespace {

constexpr std::string_view pieces[] = {"{",
                                       "}",
                                       "[",
                                       "]",
                                       "(",
                                       ")",
                                       "<",
                                       ">",
                                       ",",
                                       ";",
                                       ":",
                                       "@",
                                       "!",
                                       "|",
                                       "_",
                                       "%r1",
                                       "%d1",
                                       "%p1",
                                       "%h1",
                                       "%f1",
                                       "%e1",
                                       "%v.x",
                                       ".b8",
                                       ".b32",
                                       ".b64",
                                       ".f64",
                                       ".pred",
                                       ".reg",
                                       ".param",
                                       ".local",
                                       ".shared",
                                       ".global",
                                       ".const",
                                       ".entry",
                                       ".func",
                                       ".v2",
                                       ".v4",
                                       ".v8",
                                       "=",
                                       "0x",
                                       "0f",
                                       "0d",
                                       "0f3F800000",
                                       "999999999999",
                                       "18446744073709551615",
                                       "-9223372036854775808",
                                       "-1",
                                       "0",
                                       "1",
                                       "4096",
                                       "\"",
                                       "/*",
                                       "*/",
                                       "//",
                                       "\n",
                                       ".loc 1 1 1",
                                       ".align",
                                       ".section",
                                       "generic(",
                                       "bra",
                                       "call",
                                       "call.uni (r0), f0, (a0)",
                                       "brx.idx %r1, T;",
                                       "ret;",
                                       "exit;",
                                       "trap;",
                                       "bar.sync 0;",
                                       "bar.sync 15, 64;",
                                       "%r<9999999999>",
                                       "%tid.x",
                                       "%laneid",
                                       "%clock64",
                                       "WARP_SZ",
                                       "::",
                                       ".",
                                       "1 << 62",
                                       ".version 99.9",
                                       ".target sm_999",
                                       ".address_size 32",
                                       ".pragma \"nounroll\";",
                                       "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                       "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
                                       "mbarrier.init.shared.b64 [%r1], 4294967295;",
                                       "cp.async.wait_group 99999;",
                                       "atom.global.add.f32 %f1, [%d1], %f1;",
                                       "shfl.sync.idx.b32 %r1|%p1, %r1, %r1, %r1, %r1;",
                                       "vote.sync.ballot.b32 %r1, %p1, 0;",
                                       "redux.sync.add.u32 %r1, %r1, 0;",
                                       ".extern .shared .align 16 .b8 x[];",
                                       ".maxntid 99999, 1, 1",
                                       ".minnctapersm 0",
                                       "+-4",
                                       "[%d1+%r1]"};

constexpr std::string_view ends_of_words = " \t\n,;";

struct Part {
  std::size_t at, length;
};

std::size_t anywhere(const std::string& text, std::mt19937_64& random) {
  return text.empty() ? 0 : random() % text.size();
}

Part word(const std::string& text, std::mt19937_64& random) {
  std::size_t start = text.find_first_not_of(ends_of_words, anywhere(text, random));
  if (start == std::string::npos) start = 0;
  return {start, std::min(text.find_first_of(ends_of_words, start), text.size()) - start};
}

Part line(const std::string& text, std::mt19937_64& random) {
  const std::size_t somewhere = anywhere(text, random);
  const std::size_t before = text.rfind('\n', somewhere);
  const std::size_t start = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find('\n', start), text.size());
  return {start, std::min(end + 1, text.size()) - start};
}

void change_words(std::string& text, const std::string& other, std::mt19937_64& random) {
  const Part part = word(text, random);
  const std::string& from = random() % 2 == 0 ? text : other;
  const Part source = word(from, random);
  const std::string new_word = from.substr(source.at, source.length);
  switch (random() % 4) {
    case 0:
      text.erase(part.at, part.length);
      break;
    case 1:
      text.insert(part.at, std::string(pieces[random() % std::size(pieces)]) + " ");
      break;
    case 2:
      text.replace(part.at, part.length, pieces[random() % std::size(pieces)]);
      break;
    default:
      text.replace(part.at, part.length, new_word);
  }
}

void change_lines(std::string& text, const std::string& other, std::mt19937_64& random) {
  const Part part = line(text, random);
  const std::string moved = text.substr(part.at, part.length);
  const Part source = line(other, random);
  switch (random() % 4) {
    case 0:
      text.erase(part.at, part.length);
      break;
    case 1:
      text.insert(part.at, moved);
      break;
    case 2:
      text.erase(part.at, part.length);
      text.insert(line(text, random).at, moved);
      break;
    default:
      text.insert(part.at, other.substr(source.at, source.length));
  }
}

void change_characters(std::string& text, std::mt19937_64& random) {
  const std::size_t at = anywhere(text, random);
  switch (random() % 5) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(random());
      break;
    case 1:
      text.erase(at, random() % 40);
      break;
    case 2:
      text.insert(anywhere(text, random), text.substr(at, random() % 40));
      break;
    case 3: {  // another type: .u32 to .s32, .f32, .b32
      const std::size_t dot = text.find('.', at);
      if (dot != std::string::npos && dot + 1 < text.size()) text[dot + 1] = "busf"[random() % 4];
      break;
    }
    default: {  // a number
      const std::size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos) text.insert(digit, 1 + random() % 12, "0179f"[random() % 5]);
    }
  }
}

}  // namespace

std::string damaged_text(const std::string& text, const std::vector<std::string>& others,
                         std::mt19937_64& random) {
  std::string result = text;
  for (std::uint64_t left = 1 + random() % 4; left > 0; --left) {
    const std::string& other = others[random() % others.size()];
    switch (random() % 4) {
      case 0:
        change_lines(result, other, random);
        break;
      case 1:
        change_characters(result, random);
        break;
      default:
        change_words(result, other, random);
    }
  }
  if (random() % 50 == 0) result.resize(anywhere(result, random));
  return result;
}

std::string damaged_bytes(const std::string& bytes, std::mt19937_64& random) {
  std::string result = bytes;
  constexpr std::uint64_t large[] = {0,
                                     1,
                                     0x7fffffff,
                                     0xffffffff,
                                     std::uint64_t{1} << 32,
                                     std::uint64_t{1} << 40,
                                     ~std::uint64_t{0},
                                     std::uint64_t{1} << 63};
  for (std::uint64_t left = 1 + random() % 5; left > 0 && !result.empty(); --left) {
    // Heads tell sizes: half of the damage goes there.
    const std::size_t end =
        random() % 2 == 0 ? result.size() : std::min<std::size_t>(200, result.size());
    const std::size_t at = random() % end;
    switch (random() % 4) {
      case 0: {
        const std::uint64_t value = large[random() % std::size(large)];
        const std::size_t size = std::size_t{1} << random() % 4;
        if (at + size <= result.size()) std::memcpy(result.data() + at, &value, size);
        break;
      }
      case 1:
        result.erase(at, random() % 20);
        break;
      case 2:
        result.insert(at, result.substr(anywhere(result, random), random() % 100));
        break;
      default:
        result[at] = static_cast<char>(random());
    }
  }
  if (random() % 10 == 0) result.resize(anywhere(result, random));
  return result;
}

}  // namespace ladder::emulator::fuzz
