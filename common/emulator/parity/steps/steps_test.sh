#!/usr/bin/env bash
# The steps' counters equal those in the table, where they were measured.
# Usage: steps_test.sh COUNTER_PARITY STEP_RUNNER CUDART TABLE FILE OBJECT [FILE OBJECT]...
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
LADDER_EMULATOR_REPORT=$folder/report.json "$2" "$3" "${@:5}" >"$folder/names"
"$1" check-steps "$4" "$folder/names" "$folder/report.json"
