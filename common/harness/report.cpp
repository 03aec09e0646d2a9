// The text of reports: what a terminal shows.
#include "common/harness/report.hpp"
