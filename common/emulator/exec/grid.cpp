#include "common/emulator/exec/grid.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "common/emulator/exec/observer.hpp"
#include "common/emulator/exec/thread_block.hpp"

namespace ladder::emulator {

namespace {

class Grid {
 public:
  Grid(LaunchState& launch, std::uint64_t resident)
      : launch_(launch),
        blocks_(std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z),
        resident_(resident) {}

  std::uint64_t blocks() const { return blocks_; }

  // One host thread's share. Stops early when another thread failed.
  void work(Worker& worker, std::function<void()> when_busy = nullptr) {
    try {
      run_blocks(worker, std::move(when_busy));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  using Blocks = std::vector<std::unique_ptr<ThreadBlock>>;

  // Starts the next block, in an idle place if there is one.
  bool admit(Worker& worker, Blocks& running, Blocks& idle) {
    if (under_way_.fetch_add(1) >= resident_) {
      --under_way_;
      return false;
    }
    const std::uint64_t ticket = next_.fetch_add(1);
    if (ticket >= blocks_) {
      --under_way_;
      return false;
    }
    if (idle.empty()) idle.push_back(std::make_unique<ThreadBlock>(launch_, worker));
    running.push_back(std::move(idle.back()));
    idle.pop_back();
    running.back()->start(ticket);
    return true;
  }

  // `when_busy` is called once, if the work turns out to be more than a trifle.
  void run_blocks(Worker& worker, std::function<void()> when_busy) {
    const auto busy_at = Clock::now() + std::chrono::microseconds(100);
    Blocks running, idle;
    while (!stop_) {
      if (running.empty() && !admit(worker, running, idle)) {
        if (next_ >= blocks_) return;
        std::this_thread::yield();  // others hold all places
        continue;
      }
      if (when_busy && Clock::now() >= busy_at) std::exchange(when_busy, nullptr)();
      bool finished = false;
      for (std::size_t i = 0; i < running.size() && !stop_;) {
        if (running[i]->run() == ThreadBlock::Outcome::spinning) {
          ++i;
          continue;
        }
        finished = true;
        last_finished_ = now();
        --under_way_;
        idle.push_back(std::move(running[i]));
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      }
      // All wait for other blocks: perhaps for one that has not started.
      if (finished || admit(worker, running, idle)) continue;
      std::this_thread::yield();
      if (launch_.when_stalled != nullptr && now() - last_finished_ > stalled_after &&
          !stalled_.exchange(true)) {
        launch_.several_threads = true;
        (*launch_.when_stalled)();
      }
    }
  }

  using Clock = std::chrono::steady_clock;
  static constexpr Clock::rep stalled_after =
      std::chrono::nanoseconds(std::chrono::milliseconds(10)).count();
  static Clock::rep now() {
    return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
  }

  LaunchState& launch_;
  const std::uint64_t blocks_, resident_;
  std::atomic<std::uint64_t> next_{0}, under_way_{0};
  std::atomic<bool> stop_{false}, stalled_{false};
  std::atomic<Clock::rep> last_finished_{now()};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

void run_grid(LaunchState& launch, int threads, std::uint64_t resident, Counters& counters,
              Tally& tally) {
  Grid grid(launch, resident);
  std::uint64_t wanted = threads > 0 ? static_cast<std::uint64_t>(threads)
                                     : std::max(1u, std::thread::hardware_concurrency());
  wanted = std::min(wanted, grid.blocks());
  if (wanted > 1) launch.several_threads = true;
  std::vector<Worker> workers(wanted);
  for (Worker& worker : workers) worker.launch = &launch;
  {
    std::vector<std::jthread> helpers;
    grid.work(workers[0], [&] {
      try {
        for (std::uint64_t t = 1; t < wanted; ++t) {
          helpers.emplace_back([&grid, &workers, t] { grid.work(workers[t]); });
        }
      } catch (const std::system_error&) {
        // No more threads to be had: those that run do all the work.
      }
    });
  }
  for (Worker& worker : workers) {
    counters += worker.counters;
    worker.tally.settle();
    if (&worker == &workers.front()) {
      tally = std::move(worker.tally);
    } else {
      tally.merge(worker.tally);
    }
  }
  grid.rethrow();
}

}  // namespace ladder::emulator
