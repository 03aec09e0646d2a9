// The JSON of reports; apart from the text because the JSON header is heavy.
#include "common/harness/report.hpp"
