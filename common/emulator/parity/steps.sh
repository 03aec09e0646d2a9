#!/usr/bin/env bash
# Measures the course's steps with Nsight Compute on the GPU at hand: each calls solve() once.
# Usage: steps.sh BUILD FOLDER [CHAPTER...]   BUILD: a folder that `ladder` has built in; without
# CHAPTER all. FOLDER/rows.csv comes to be, rows for measured.csv, where older ones of these steps go.
# About three seconds a chapter and half a second a launch on an H200.
set -euo pipefail
build=$(realpath -- "${1:?usage: steps.sh BUILD FOLDER [CHAPTER...]}")
mkdir -p "${2:?usage: steps.sh BUILD FOLDER [CHAPTER...]}" && out=$(realpath -- "$2")
shift 2
here=$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")
root=$(realpath -- "$here/../../..")
parity=$build/common/emulator/parity
# A chapter's steps in words for step_runner.
words_of() {
  awk -v chapter="$1" -v root="$root" -v build="$build" '$1 == "step" && $2 == chapter {
    print root "/chapters/" $2 "/" $3 ".cu"; print build "/chapters/" $2 "." $3 ".object" }' \
    "$build/solvers.txt"
}
(($#)) || mapfile -t chapters < <(awk '$1 == "step" { print $2 }' "$build/solvers.txt" | sort -u)
(($#)) && chapters=("$@")
emulator=$(find "$build/common/emulator" -maxdepth 1 -name 'libcudart.so.[0-9]*' | head -1)
toolkit=$(dirname -- "$(dirname -- "$(realpath -- "$(command -v nvcc)")")")
: >"$out/rows.csv"
for chapter in "${chapters[@]}"; do
  mapfile -t words < <(words_of "$chapter")
  mkdir -p "$out/$chapter"
  ninja -C "$build" --quiet common/emulator/parity/counter_parity \
    common/emulator/parity/steps/step_runner \
    $(printf '%s\n' "${words[@]}" | sed -n "s|^$build/\(.*\.object\)$|\1|p")
  PATTERNS=$parity/steps/step_runner "$here/record.sh" "$out/$chapter" \
    "$toolkit/lib64/$(basename -- "$emulator")" "${words[@]}"
  LADDER_EMULATOR_REPORT=$out/$chapter/report.json \
    "$parity/steps/step_runner" "$emulator" "${words[@]}" >"$out/$chapter/names"
  "$parity/counter_parity" join "$out/$chapter/measured.csv" "$out/$chapter/names" \
    "$out/$chapter/names" "$out/$chapter/report.json" >>"$out/rows.csv"
done
echo "$(wc -l <"$out/rows.csv") rows, $(awk -F, '$3 != $4' "$out/rows.csv" | wc -l) of them differ"
awk -F, '$3 != $4' "$out/rows.csv"
