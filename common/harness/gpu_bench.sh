#!/usr/bin/env bash
# Times the chapters on the GPU at hand, library ceilings interleaved.
# Usage: gpu_bench.sh FOLDER NAME [CHAPTER...]   FOLDER/CHAPTER.NAME.json is what belongs into the
# chapter as results/NAME.json ("h200"); a short table comes last.
set -uo pipefail
out=${1:?usage: gpu_bench.sh FOLDER NAME [CHAPTER...]}
mkdir -p "$out" && out=$(realpath -- "$out") || exit 6
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 6
name=${2:?usage: gpu_bench.sh FOLDER NAME [CHAPTER...]}
shift 2
chapters=("${@:-01}")
ladder=${LADDER:-build/common/cli/ladder}
worst=0
for chapter in "${chapters[@]}"; do
  json=$out/$chapter.$name.json
  "$ladder" bench "$chapter" --json >"$json" 2>"$out/$chapter.log" || worst=1
  grep -E '"(id|median_us|name|ratio|gb_s|N|M|K|rows|cols)":' "$json" | tr -d ' ",' | tr '\n' ' ' |
    sed 's/id:/\n/g'
  printf '\n'
done
exit "$worst"
