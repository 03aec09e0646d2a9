# The course in a container, for Windows (WSL2), macOS and anyone who wants to keep the toolkit off
# their system. No GPU is needed; with one, add `--gpus all` (NVIDIA Container Toolkit).
#
#   docker build -t kernel-ladder .
#   docker run --rm -it -v "$PWD:/course" kernel-ladder ./ladder run 01
#
# NVIDIA publishes this image for x86-64 and aarch64 on Ubuntu 24.04; the course itself is developed
# on Debian 12. Continuous integration does not build this image.
FROM nvidia/cuda:13.0.1-devel-ubuntu24.04

RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      g++ meson ninja-build pkg-config git less \
      libcli11-dev doctest-dev nlohmann-json3-dev libffi-dev libzstd-dev liblz4-dev \
      clangd clang-format-14 bubblewrap \
 && ln -s clang-format-14 /usr/bin/clang-format \
 && rm -rf /var/lib/apt/lists/*

ENV CUDA_PATH=/usr/local/cuda LANG=C.UTF-8
WORKDIR /course
CMD ["bash"]
