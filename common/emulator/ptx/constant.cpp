#include "common/emulator/ptx/constant.hpp"

#include <bit>

namespace ladder::ptx {
namespace {

constexpr int deepest_nesting = 200;

bool both(char c, const Token& token) {
  return token.punctuation == symbol(c, c);
}

// Binding strength of a binary operator, as in C; 0: not one.
int precedence(const Token& token) {
  if (token.kind != Token::Kind::punctuation) return 0;
  if (both('|', token)) return 1;
  if (both('&', token)) return 2;
  if (both('<', token) || both('>', token)) return 8;
  if (both('=', token)) return 6;
  switch (token.punctuation) {
    case symbol('|'):
      return 3;
    case symbol('^'):
      return 4;
    case symbol('&'):
      return 5;
    case symbol('!', '='):
      return 6;
    case symbol('<'):
    case symbol('>'):
    case symbol('<', '='):
    case symbol('>', '='):
      return 7;
    case symbol('+'):
    case symbol('-'):
      return 9;
    case symbol('*'):
    case symbol('/'):
    case symbol('%'):
      return 10;
    default:
      return 0;
  }
}

Constant integer(std::uint64_t bits, bool is_unsigned) {
  return {Constant::Kind::integer, is_unsigned, bits};
}
Constant float64(double value) {
  return {Constant::Kind::float64, false, std::bit_cast<std::uint64_t>(value)};
}
bool is_true(const Constant& value) {
  return value.kind == Constant::Kind::integer ? value.bits != 0 : value.as_double() != 0;
}

template <class T>
bool compare(std::uint16_t operation, T a, T b) {
  switch (operation) {
    case symbol('<'):
      return a < b;
    case symbol('>'):
      return a > b;
    case symbol('<', '='):
      return a <= b;
    case symbol('>', '='):
      return a >= b;
    case symbol('=', '='):
      return a == b;
    default:
      return a != b;
  }
}

class Evaluator {
 public:
  explicit Evaluator(TokenStream& tokens) : tokens_(tokens) {}

  Constant conditional() {
    Constant value = binary(1);
    if (!tokens_.take('?')) return value;
    const Nesting nesting(*this);
    const Constant yes = conditional();
    tokens_.expect(':', "of a '?:' expression");
    const Constant no = conditional();
    return is_true(value) ? yes : no;
  }

  Constant unary() {
    const Nesting nesting(*this);
    if (tokens_.take('+')) return unary();
    if (tokens_.take('-')) return negate(unary());
    if (tokens_.take('!')) return integer(is_true(unary()) ? 0 : 1, false);
    if (tokens_.take('~')) {
      const Constant value = unary();
      if (value.kind != Constant::Kind::integer) tokens_.fail("'~' of a floating-point number");
      return integer(~value.bits, value.is_unsigned);
    }
    if (tokens_.take('(')) return cast_or_parentheses();
    return literal();
  }

 private:
  struct Nesting {
    explicit Nesting(Evaluator& evaluator) : owner(evaluator) {
      if (++owner.depth_ > deepest_nesting)
        owner.tokens_.fail("a constant expression is nested too deeply");
    }
    ~Nesting() { --owner.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Evaluator& owner;
  };

  Constant cast_or_parentheses() {
    if (tokens_.at_directive(".s64") || tokens_.at_directive(".u64")) {
      const bool is_unsigned = tokens_.at_directive(".u64");
      tokens_.advance();
      tokens_.expect(')', "after a cast");
      const Constant value = unary();
      if (value.kind != Constant::Kind::integer)
        tokens_.fail("a cast of a floating-point number to an integer");
      return integer(value.bits, is_unsigned);
    }
    const Constant value = conditional();
    tokens_.expect(')', "of a constant expression");
    return value;
  }

  Constant literal() {
    const Token& token = tokens_.current();
    Constant value;
    value.bits = token.bits;
    value.is_unsigned = token.is_unsigned;
    if (token.kind == Token::Kind::float32) {
      value.kind = Constant::Kind::float32;
    } else if (token.kind == Token::Kind::float64) {
      value.kind = Constant::Kind::float64;
    } else if (tokens_.at_identifier("WARP_SZ")) {
      value.bits = 32;
    } else if (token.kind != Token::Kind::integer) {
      tokens_.fail_expected("a constant");
    }
    tokens_.advance();
    return value;
  }

  // Flips the sign bit, so that -0 and the sign of a NaN survive.
  static Constant negate(Constant value) {
    if (value.kind == Constant::Kind::integer) return integer(0 - value.bits, value.is_unsigned);
    value.bits ^=
        value.kind == Constant::Kind::float32 ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    return value;
  }

  Constant binary(int weakest) {
    Constant left = unary();
    for (;;) {
      const int strength = precedence(tokens_.current());
      if (strength == 0 || strength < weakest) return left;
      const Nesting nesting(*this);
      const std::uint16_t operation = tokens_.current().punctuation;
      tokens_.advance();
      const Constant right = binary(strength + 1);
      const bool integers =
          left.kind == Constant::Kind::integer && right.kind == Constant::Kind::integer;
      left = integers ? of_integers(operation, left, right) : of_floats(operation, left, right);
    }
  }

  Constant of_integers(std::uint16_t operation, const Constant& left, const Constant& right) {
    const std::uint64_t a = left.bits, b = right.bits;
    const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    switch (operation) {
      case symbol('|', '|'):
        return integer(a != 0 || b != 0, false);
      case symbol('&', '&'):
        return integer(a != 0 && b != 0, false);
      case symbol('|'):
        return integer(a | b, is_unsigned);
      case symbol('^'):
        return integer(a ^ b, is_unsigned);
      case symbol('&'):
        return integer(a & b, is_unsigned);
      case symbol('+'):
        return integer(a + b, is_unsigned);
      case symbol('-'):
        return integer(a - b, is_unsigned);
      case symbol('*'):
        return integer(a * b, is_unsigned);
      case symbol('<', '<'):
        return integer(b > 63 ? 0 : a << b, left.is_unsigned);
      case symbol('>', '>'):
        if (left.is_unsigned) return integer(b > 63 ? 0 : a >> b, true);
        return integer(static_cast<std::uint64_t>(sa >> (b > 63 ? 63 : b)), false);
      case symbol('/'):
      case symbol('%'):
        return integer(divide(operation == symbol('%'), a, b, is_unsigned), is_unsigned);
      default:
        return integer(is_unsigned ? compare(operation, a, b) : compare(operation, sa, sb), false);
    }
  }

  std::uint64_t divide(bool remainder, std::uint64_t a, std::uint64_t b, bool is_unsigned) {
    if (b == 0) tokens_.fail("division by zero in a constant expression");
    if (is_unsigned) return remainder ? a % b : a / b;
    const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
    if (sb == -1) return remainder ? 0 : 0 - a;  // the smallest integer has no opposite
    return static_cast<std::uint64_t>(remainder ? sa % sb : sa / sb);
  }

  Constant of_floats(std::uint16_t operation, const Constant& left, const Constant& right) {
    const double a = left.as_double(), b = right.as_double();
    switch (operation) {
      case symbol('+'):
        return float64(a + b);
      case symbol('-'):
        return float64(a - b);
      case symbol('*'):
        return float64(a * b);
      case symbol('/'):
        return float64(a / b);
      case symbol('|', '|'):
        return integer(a != 0 || b != 0, false);
      case symbol('&', '&'):
        return integer(a != 0 && b != 0, false);
      case symbol('<'):
      case symbol('>'):
      case symbol('<', '='):
      case symbol('>', '='):
      case symbol('=', '='):
      case symbol('!', '='):
        return integer(compare(operation, a, b), false);
      default:
        tokens_.fail("an integer operator between floating-point numbers");
    }
  }

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace

double Constant::as_double() const {
  switch (kind) {
    case Kind::float32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Kind::float64:
      return std::bit_cast<double>(bits);
    default:
      return is_unsigned ? static_cast<double>(bits)
                         : static_cast<double>(static_cast<std::int64_t>(bits));
  }
}

bool starts_constant(const Token& token) {
  switch (token.kind) {
    case Token::Kind::integer:
    case Token::Kind::float32:
    case Token::Kind::float64:
      return true;
    case Token::Kind::identifier:
      return token.text == "WARP_SZ";
    case Token::Kind::punctuation:
      return token.punctuation == symbol('-') || token.punctuation == symbol('+') ||
             token.punctuation == symbol('~');
    default:
      return false;
  }
}

Constant parse_constant(TokenStream& tokens) {
  return Evaluator(tokens).conditional();
}

}  // namespace ladder::ptx
