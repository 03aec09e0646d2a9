#include "common/harness/worker_bench.hpp"

namespace ladder::worker {

void Bench::serve(const protocol::Command&, const std::vector<void*>&, protocol::Reply& reply) {
  reply.outcome = protocol::Outcome::protocol_failure;
}

}  // namespace ladder::worker
