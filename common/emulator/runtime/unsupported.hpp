#pragma once

namespace ladder::emulator {

// Says once that the API function is not supported; returns cudaErrorNotSupported's number.
int unsupported(const char* function);

}  // namespace ladder::emulator
