#!/usr/bin/env bash
# Measures the patterns of patterns.cu with Nsight Compute on the GPU at hand.
# Usage: record.sh FOLDER [KERNEL...]   FOLDER/measured.csv and FOLDER/names come to be; KERNEL...:
# beginnings of the names of those that are wanted. Where there is no compiler, a program built
# elsewhere (nvcc -arch=sm_90a -cudart static) is taken from PATTERNS. Then, where the emulator is:
#   LADDER_EMULATOR_REPORT=report.json ladder emulate patterns.cu > all_names
#   counter_parity join FOLDER/measured.csv FOLDER/names all_names report.json > rows
# All of them take about five minutes on an H200.
set -euo pipefail
out=${1:?usage: record.sh FOLDER [KERNEL...]}
shift
mkdir -p "$out" && out=$(realpath -- "$out")
here=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")
patterns=${PATTERNS:-$out/patterns}
[[ -x $patterns ]] || nvcc -std=c++17 -arch=native -cudart static "$here/patterns.cu" -o "$patterns"
# The metrics are those of counters.def that are marked as exact.
metrics=$(tr '\n' ' ' <"$here/../counters.def" | grep -oE '"[a-z0-9_]+\.sum", exact' |
  grep -oE '[a-z0-9_]+\.sum' | sort -u | paste -sd,)
"$patterns" "$@" >"$out/names"
ncu --clock-control none --cache-control none --csv --page raw --print-units base \
  --metrics "$metrics" "$patterns" "$@" >"$out/measured.csv"
