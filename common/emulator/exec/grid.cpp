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
#include "common/emulator/observers/access_counts.hpp"

namespace ladder::emulator {

namespace {

std::uint64_t block_count(const LaunchState& launch) {
  return std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
}

class Grid {
 public:
  Grid(LaunchState& launch, std::uint64_t resident, std::vector<Worker>& workers)
      : launch_(launch), blocks_(block_count(launch)), resident_(resident), workers_(workers) {}

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

  std::uint64_t finished() const {
    std::uint64_t sum = 0;
    for (const Worker& worker : workers_) sum += worker.finished;
    return sum;
  }

  // What one host thread works on.
  struct Share {
    Worker& worker;
    std::uint64_t next = 0, end = 0;  // tickets of blocks to start
    std::uint64_t at_once = 1;        // so many tickets are drawn
    Blocks running{}, idle{};
  };

  bool draw_tickets(Share& share) {
    std::uint64_t first = next_, count = 1;
    do {
      if (first >= blocks_) return false;
      // Most launches fit whole, and then nobody need ask the other threads.
      const std::uint64_t under_way = first < resident_ ? first : first - finished();
      if (under_way >= resident_) return false;
      const std::uint64_t fair = (blocks_ - first) / (2 * workers_.size());
      count = std::clamp<std::uint64_t>(std::min(fair, resident_ - under_way), 1, share.at_once);
    } while (!next_.compare_exchange_weak(first, first + count));
    share.next = first;
    share.end = first + count;
    return true;
  }

  // Starts the next block, in an idle place if there is one.
  bool admit(Share& share) {
    if (share.next == share.end && !draw_tickets(share)) return false;
    if (share.idle.empty()) {
      share.idle.push_back(std::make_unique<ThreadBlock>(launch_, share.worker));
    }
    share.running.push_back(std::move(share.idle.back()));
    share.idle.pop_back();
    share.running.back()->start(share.next++);
    return true;
  }

  // Runs those under way as far as they go; false if all wait for other blocks.
  bool run_once(Share& share) {
    const std::uint64_t executed_before = share.worker.counters.warp_instructions;
    bool finished = false;
    for (std::size_t i = 0; i < share.running.size() && !stop_;) {
      if (share.running[i]->run() == ThreadBlock::Outcome::spinning) {
        share.at_once = 1;
        ++i;
        continue;
      }
      finished = true;
      share.worker.finished.store(share.worker.finished + 1, std::memory_order_release);
      share.idle.push_back(std::move(share.running[i]));
      share.running.erase(share.running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    // Threads that draw tickets all the time hinder each other.
    const bool brief = share.worker.counters.warp_instructions - executed_before < brief_block;
    if (finished && share.running.empty()) share.at_once = brief ? 16 : 1;
    return finished;
  }

  // `when_busy` is called once, if the work turns out to be more than a trifle.
  void run_blocks(Worker& worker, std::function<void()> when_busy) {
    const auto busy_at = Clock::now() + std::chrono::microseconds(50);
    Share share{worker};
    Stall stall;
    while (!stop_) {
      if (share.running.empty() && !admit(share)) {
        if (next_ >= blocks_) return;
        std::this_thread::yield();  // others hold all places
        continue;
      }
      if (when_busy && Clock::now() >= busy_at) std::exchange(when_busy, nullptr)();
      // All wait for other blocks: perhaps for one that has not started.
      if (run_once(share) || admit(share)) continue;
      std::this_thread::yield();
      if (launch_.when_stalled != nullptr && stall.lasts(finished()) && !stalled_.exchange(true)) {
        launch_.several_threads = true;
        (*launch_.when_stalled)();
      }
    }
  }

  static constexpr std::uint64_t brief_block = 4000;  // warp instructions: some 20 microseconds
  using Clock = std::chrono::steady_clock;

  // Whether no block of the launch has finished for long.
  struct Stall {
    std::uint64_t finished = ~std::uint64_t{0};  // not known yet
    Clock::time_point since{};

    bool lasts(std::uint64_t finished_now) {
      const auto now = Clock::now();
      if (finished_now != std::exchange(finished, finished_now)) since = now;
      return now - since > std::chrono::milliseconds(10);
    }
  };

  LaunchState& launch_;
  const std::uint64_t blocks_, resident_;
  const std::vector<Worker>& workers_;
  alignas(128) std::atomic<std::uint64_t> next_{0};
  alignas(128) std::atomic<bool> stop_{false};
  std::atomic<bool> stalled_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

void run_grid(LaunchState& launch, int threads, std::uint64_t resident, Counters& counters,
              Tally& tally) {
  std::uint64_t wanted = threads > 0 ? static_cast<std::uint64_t>(threads)
                                     : std::max(1u, std::thread::hardware_concurrency());
  wanted = std::min(wanted, block_count(launch));
  if (wanted > 1) launch.several_threads = true;
  std::vector<Worker> workers(wanted);
  for (Worker& worker : workers) worker.launch = &launch;
  Grid grid(launch, resident, workers);
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
    settle(worker.tally);
    if (&worker == &workers.front()) {
      tally = std::move(worker.tally);
    } else {
      tally.merge(worker.tally);
    }
  }
  grid.rethrow();
}

}  // namespace ladder::emulator
