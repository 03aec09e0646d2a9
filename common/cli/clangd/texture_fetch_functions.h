// Gone from CUDA 12, still included by clang 14. Only clangd looks here.
