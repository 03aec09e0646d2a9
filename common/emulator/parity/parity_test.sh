#!/usr/bin/env bash
# The emulator's counters equal those in the table, and the table a GPU's, or it says why not.
# Usage: parity_test.sh COUNTER_PARITY PATTERNS CUDART TABLE
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
LD_PRELOAD=$3 LADDER_EMULATOR_REPORT=$folder/report.json "$2" >"$folder/names"
"$1" check "$4" "$folder/names" "$folder/report.json"
