#include "common/harness/bench_run.hpp"

namespace ladder {

std::vector<Timing> time_subjects(const Tree&, const Toolkit&, const Problem&,
                                  const std::vector<BenchSubject>&, const Parameters&,
                                  const JudgeOptions&) {
  throw MachineError("timing needs the bench worker");
}

BenchReport bench_solvers(const Tree&, const Toolkit&, const std::vector<CatalogEntry>&,
                          const JudgeOptions&) {
  throw MachineError("timing needs the bench worker");
}

}  // namespace ladder
