#include "common/emulator/exec/grid.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "common/emulator/exec/endless_wait.hpp"
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
  static constexpr std::uint64_t brief_block = 4000;  // warp instructions: some 20 microseconds
  using Clock = std::chrono::steady_clock;

  // How long no block of the launch has finished.
  struct Stall {
    std::uint64_t finished = ~std::uint64_t{0};  // not known yet
    Clock::time_point since{};

    Clock::duration next_audit{};

    Clock::duration lasts(std::uint64_t finished_now) {
      const auto now = Clock::now();
      if (finished_now != std::exchange(finished, finished_now)) {
        since = now;
        next_audit = std::chrono::milliseconds(100);
      }
      return now - since;
    }
  };

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

  // A share is known to the others while it lives.
  class ShareScope {
   public:
    ShareScope(Grid& grid, Share& share) : grid_(grid), share_(share) {
      const std::lock_guard lock(grid_.halt_mutex_);
      grid_.shares_.push_back(&share_);
    }
    ~ShareScope() {
      const std::lock_guard lock(grid_.halt_mutex_);
      std::erase(grid_.shares_, &share_);
      grid_.halt_changed_.notify_all();
    }
    ShareScope(const ShareScope&) = delete;

   private:
    Grid& grid_;
    Share& share_;
  };

  // `when_busy` is called once, if the work turns out to be more than a trifle.
  void run_blocks(Worker& worker, std::function<void()> when_busy) {
    const auto busy_at = Clock::now() + std::chrono::microseconds(50);
    Share share{worker};
    const ShareScope scope(*this, share);
    Stall stall;
    while (!stop_) {
      if (halt_) wait_while_halted();
      if (share.running.empty() && !admit(share)) {
        if (next_ >= blocks_) return;
        std::this_thread::yield();  // others hold all places
        continue;
      }
      if (when_busy && Clock::now() >= busy_at) std::exchange(when_busy, nullptr)();
      // All wait for other blocks: perhaps for one that has not started.
      if (run_once(share) || admit(share)) continue;
      std::this_thread::yield();
      look_into(stall);
    }
  }

  void look_into(Stall& stall) {
    const auto lasts = stall.lasts(finished());
    if (launch_.when_stalled != nullptr && lasts > std::chrono::milliseconds(10) &&
        !stalled_.exchange(true)) {
      launch_.several_threads = true;
      (*launch_.when_stalled)();
    }
    if (launch_.nobody_else == nullptr || lasts < stall.next_audit) return;
    stall.next_audit = 2 * lasts;
    audit();
  }

  // The other threads stand still while one finds out if the launch waits for ever: then it is a
  // fault. What it runs meanwhile is done as by anybody.
  void audit() {
    std::unique_lock lock(halt_mutex_);
    if (halt_) return;  // another one does
    struct Halt {
      explicit Halt(Grid& its_grid) : grid(its_grid) { grid.halt_ = true; }
      ~Halt() {
        grid.halt_ = false;
        grid.halt_changed_.notify_all();
      }
      Grid& grid;
    } const halt(*this);
    const bool alone = halt_changed_.wait_for(lock, std::chrono::milliseconds(20),
                                              [&] { return halted_ + 1 == shares_.size(); });
    const bool nobody_else = (*launch_.nobody_else)(static_cast<int>(shares_.size()));
    if (alone && nobody_else && nobody_starts()) look_for_an_endless_wait();
  }

  void wait_while_halted() {
    std::unique_lock lock(halt_mutex_);
    ++halted_;
    halt_changed_.notify_all();
    halt_changed_.wait(lock, [&] { return !halt_; });
    --halted_;
  }

  // No block is about to begin.
  bool nobody_starts() const {
    return std::none_of(shares_.begin(), shares_.end(),
                        [](const Share* share) { return share->next != share->end; });
  }

  class AuditScope {
   public:
    AuditScope(Worker& worker, WaitAudit& audit) : worker_(worker) { worker_.audit = &audit; }
    ~AuditScope() { worker_.audit = nullptr; }
    AuditScope(const AuditScope&) = delete;

   private:
    Worker& worker_;
  };

  // Returns as soon as anything happens but waiting.
  void look_for_an_endless_wait() {
    constexpr int most_rounds = 64;
    WaitAudit audit;
    std::uint64_t before = 0;
    for (int round = 0, compared_until = 1; round < most_rounds; ++round) {
      std::uint64_t state = 0;
      for (Share* share : shares_) {
        const AuditScope scope(share->worker, audit);
        if (run_once(*share) || audit.disturbed()) return;
        for (const auto& block : share->running) state = std::rotl(state, 1) ^ state_of(*block);
      }
      if (round > 0 && state == before) return report_endless(audit);
      // A loop may come round after several rounds.
      if (round < compared_until && round > 0) continue;
      before = state;
      compared_until = 2 * round + 1;
    }
  }

  void report_endless(const WaitAudit& audit) const {
    for (const Share* share : shares_) {
      if (!share->running.empty()) share->running.front()->report_endless(audit);
    }
  }

  LaunchState& launch_;
  const std::uint64_t blocks_, resident_;
  const std::vector<Worker>& workers_;
  alignas(128) std::atomic<std::uint64_t> next_{0};
  alignas(128) std::atomic<bool> stop_{false};
  std::atomic<bool> stalled_{false};
  std::mutex halt_mutex_;
  std::condition_variable halt_changed_;
  std::atomic<bool> halt_{false};  // all threads but one are to stand still
  std::size_t halted_ = 0;         // that do
  std::vector<Share*> shares_;     // of the threads that work
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
