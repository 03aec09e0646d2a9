#include "common/cli/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace ladder::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kRedraw{80};

std::size_t columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string time_left(double seconds) {
  if (seconds < 1) return "";
  if (seconds < 90) return ", about " + std::to_string(static_cast<int>(seconds + 0.5)) + " s left";
  return ", about " + std::to_string(static_cast<int>(seconds / 60 + 0.5)) + " min left";
}

}  // namespace

ProgressLine::ProgressLine(int parts)
    : parts_(parts), terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()) {
  const char* term = std::getenv("TERM");
  if (term && std::string(term) == "dumb") terminal_ = false;
}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(int part, const std::string& what, double fraction) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (drawn_ && now - last_ < kRedraw) return;
  last_ = now;
  std::string text = "  " + what;
  if (parts_ > 1) text += "  " + std::to_string(part + 1) + "/" + std::to_string(parts_);
  const double done = (part + fraction) / (parts_ > 0 ? parts_ : 1);
  const double spent = std::chrono::duration<double>(now - start_).count();
  if (done > 0.02 && spent > 1) text += time_left(spent / done - spent);
  // One column stays free: a line that fills the window would wrap.
  if (text.size() + 1 > columns()) text.resize(columns() > 1 ? columns() - 1 : 0);
  std::fprintf(stderr, "\r%s\033[K", text.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLine::finished(int part, const std::string& what) {
  if (terminal_ || parts_ < 2) return;
  std::fprintf(stderr, "%s (%d of %d)\n", what.c_str(), part + 1, parts_);
}

void ProgressLine::clear() {
  if (!drawn_) return;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace ladder::cli
