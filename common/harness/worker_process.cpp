#include "common/harness/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#include "common/harness/process.hpp"
#include "common/harness/verdict.hpp"

namespace ladder {
namespace {

constexpr std::size_t most_printed = 16 << 10;
constexpr int worker_channel = 3;  // the worker's end, in the worker

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void machine_error(const std::string& what) {
  throw MachineError(what + ": " + std::strerror(errno));
}

std::vector<std::string> environment(const WorkerOptions& options) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "LADDER_EMULATOR_", 16) != 0) result.emplace_back(*entry);
  }
  if (options.emulated) {
    char limit[64];
    std::snprintf(limit, sizeof limit, "LADDER_EMULATOR_TIME_LIMIT=%.3f",
                  0.9 * options.time_limit_s);
    result.emplace_back(limit);
    result.emplace_back("LADDER_EMULATOR_QUIET=1");  // its faults come with the reply
    if (options.emulator_threads > 0)
      result.emplace_back("LADDER_EMULATOR_THREADS=" + std::to_string(options.emulator_threads));
  }
  return result;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) close(number_);
    number_ = other.release();
  }
  return *this;
}

int Descriptor::release() {
  const int number = number_;
  number_ = -1;
  return number;
}

WorkerProcess::WorkerProcess(const WorkerOptions& options) : options_(options) {
  spawn();
  protocol::Command command{};
  command.request = protocol::Request::open_runtime;
  command.number = static_cast<std::uint64_t>(options.device);
  const std::string path = options.cudart.string();
  std::strncpy(command.path, path.c_str(), sizeof command.path - 1);
  opened_ = request(command);
}

WorkerProcess::~WorkerProcess() {
  if (process_ < 0 || !alive_) return;
  kill_with_group(process_);
  waitpid(process_, nullptr, 0);
}

void WorkerProcess::spawn() {
  int channel[2], output[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0)
    machine_error("cannot make a socket for a worker");
  channel_ = Descriptor(channel[0]);
  const Descriptor workers_channel(channel[1]);
  if (pipe2(output, O_CLOEXEC) != 0) machine_error("cannot make a pipe for a worker");
  output_ = Descriptor(output[0]);
  const Descriptor workers_output(output[1]);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, workers_output.get(), 1);
  posix_spawn_file_actions_adddup2(&files, workers_output.get(), 2);
  posix_spawn_file_actions_adddup2(&files, workers_channel.get(), worker_channel);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);

  const std::string executable = options_.executable.string();
  std::vector<std::string> words = {executable, std::to_string(worker_channel),
                                    std::to_string(getpid())};
  words.push_back(std::to_string(options_.emulated ? options_.memory_limit_bytes : 0));
  // A backstop for a checker that hangs: an hour of calls on every core.
  words.push_back(std::to_string(3600 * std::max(1u, std::thread::hardware_concurrency())));
  std::vector<std::string> variables = environment(options_);
  std::vector<char*> arguments, environment_pointers;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (std::string& variable : variables) environment_pointers.push_back(variable.data());
  environment_pointers.push_back(nullptr);
  const int status = posix_spawn(&process_, executable.c_str(), &files, &attributes,
                                 arguments.data(), environment_pointers.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (status != 0)
    throw MachineError("cannot start " + executable + ": " + std::strerror(status) +
                       "\n  build it with: ninja -C build common/harness/ladder-worker");
  process_descriptor_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process_, 0)));
  alive_ = true;
}

void WorkerProcess::drain() {
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(output_.get(), buffer, sizeof buffer);
    if (got <= 0) return;
    const std::size_t kept =
        std::min(static_cast<std::size_t>(got), most_printed - printed_.size());
    printed_.append(buffer, kept);
    printed_more_ = printed_more_ || kept < static_cast<std::size_t>(got);
  }
}

// Takes the process down, if it is not yet, and notes how it ended.
void WorkerProcess::end(Answer& answer, bool timed_out) {
  if (timed_out) kill_with_group(process_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-process_, SIGKILL);  // what it left running
  drain();
  alive_ = false;
  answer.end = timed_out             ? Answer::End::timed_out
               : WIFSIGNALED(status) ? Answer::End::killed
                                     : Answer::End::exited;
  answer.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

std::uint64_t WorkerProcess::guard_bytes() const {
  // The emulator gives every array an allocation of its own, whose bounds memcheck knows exactly.
  // A multiple of 256 keeps the alignment of cudaMalloc.
  return opened_.reply->device.emulated != 0 || options_.exact_arrays ? 0 : 4096;
}

Answer WorkerProcess::load(const std::filesystem::path& solver) {
  protocol::Command command{};
  command.request = protocol::Request::load_solver;
  std::strncpy(command.path, solver.c_str(), sizeof command.path - 1);
  return request(command);
}

Answer WorkerProcess::call(std::uint32_t solver, const Exchange& exchange,
                           const Watching& watching) {
  protocol::Command command = exchange.command();
  command.request = protocol::Request::call;
  command.solver = solver;
  command.watch = watching.what;
  command.order_seed = watching.order_seed;
  command.trace_first_block = watching.trace.first_block;
  command.trace_blocks = watching.trace.blocks;
  command.trace_accesses = watching.trace.accesses;
  return request(command, exchange.inputs(), exchange.results());
}

Answer WorkerProcess::timed_call(std::uint32_t solver, const Exchange& exchange, std::uint64_t seed,
                                 bool with_results) {
  protocol::Command command = exchange.command();
  command.request = protocol::Request::call;
  command.solver = solver;
  command.timed = 1;
  command.seed = seed;
  command.without_results = !with_results;
  return request(command, exchange.inputs(), exchange.results());
}

Answer WorkerProcess::request(const protocol::Command& command, int inputs, int results) {
  Answer answer;
  answer.reply = std::make_unique<protocol::Reply>();
  const auto start = Clock::now();
  if (!alive_) throw MachineError("a worker that has ended was asked for more");

  const int descriptors[2] = {inputs, results};
  iovec data{const_cast<protocol::Command*>(&command), sizeof command};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (inputs >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptors);
    std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  }
  sendmsg(channel_.get(), &message, MSG_NOSIGNAL);  // a dead worker shows below

  for (;;) {
    pollfd wait[] = {{channel_.get(), POLLIN, 0},
                     {output_.get(), POLLIN, 0},
                     {process_descriptor_.get(), POLLIN, 0}};
    const double left_s = options_.time_limit_s - seconds_since(start);
    if (left_s <= 0) {
      end(answer, true);
      break;
    }
    poll(wait, 3, static_cast<int>(std::ceil(std::min(left_s, 1e6) * 1e3)));
    if (wait[1].revents != 0) drain();
    if (wait[0].revents != 0) {
      const ssize_t got = recv(channel_.get(), answer.reply.get(), sizeof *answer.reply, 0);
      if (got == static_cast<ssize_t>(sizeof *answer.reply)) {
        answer.reply->text[sizeof answer.reply->text - 1] = '\0';
        drain();
        break;
      }
      // It ended, or a solver closed or used what is not its own, and may run for ever.
      *answer.reply = {};
      end(answer, !ends_within(process_, options_.time_limit_s - seconds_since(start)));
      break;
    }
    if (wait[2].revents != 0) {
      end(answer, false);
      break;
    }
  }
  answer.seconds = seconds_since(start);
  return answer;
}

}  // namespace ladder
