#!/usr/bin/env bash
# Checks the course on the GPU at hand: every step and solution against its problem, the emulator
# against the GPU bit by bit, and compute-sanitizer (memcheck, racecheck) over them all.
# Usage: gpu_check.sh FOLDER [CHAPTER...]   JSON and logs go to FOLDER; a short table comes last.
set -uo pipefail
out=${1:?usage: gpu_check.sh FOLDER [CHAPTER...]}
mkdir -p "$out" && out=$(realpath -- "$out") || exit 6
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 6
shift
chapters=("${@:-01}")
ladder=${LADDER:-build/common/cli/ladder}
worst=0
rows=()

note() {  # name, exit code, words
  rows+=("$(printf '%-34s %-4s %s' "$1" "$2" "$3")")
  (($2 == 0)) || worst=1
}

solutions=()
for chapter in "${chapters[@]}"; do
  solutions+=(chapters/"$chapter"*/solutions/*.cu)
done

"$ladder" check "${chapters[@]}" --on gpu --json >"$out/steps.json" 2>"$out/steps.log"
note "steps" $? "$(grep -c '"verdict": "solved"' "$out/steps.json") verdicts of solved"
"$ladder" check "${solutions[@]}" --on gpu --json >"$out/solutions.json" 2>"$out/solutions.log"
note "solutions" $? "$(grep -c '"verdict": "solved"' "$out/solutions.json") verdicts of solved"
"$ladder" dev parity >"$out/parity.txt" 2>&1
note "emulator and GPU, bit by bit" $? "$(grep -c ' 0 of ' "$out/parity.txt") of $(wc -l <"$out/parity.txt") equal"

# A worker under the sanitizer is slow; the sizes are those where mistakes show.
sizes_of() {  # chapter
  case $1 in
    02*) printf -- '--case %s ' rows=1,cols=1 rows=33,cols=31 rows=65,cols=129 rows=68,cols=132 ;;
    *) printf -- '--case %s ' N=1 N=1023 N=4097 ;;
  esac
}
for tool in memcheck racecheck; do
  for chapter in "${chapters[@]}"; do
    log=$out/$tool.$chapter.log
    compute-sanitizer --tool "$tool" --target-processes all --log-file "$log.%p" \
      "$ladder" check "$chapter" chapters/"$chapter"*/solutions/*.cu --on gpu --exact-arrays \
      --time-limit 200 $(sizes_of "$chapter") >"$out/$tool.$chapter.txt" 2>&1
    code=$?
    cat "$log".* >"$log" 2>/dev/null
    rm -f "$log".*
    clean=$(grep -cE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards' "$log")
    all=$(grep -cE '(ERROR|RACECHECK) SUMMARY' "$log")
    ((clean == all && clean > 0)) || code=1
    note "$tool, chapter $chapter" "$code" "$clean of $all processes clean"
  done
done

# A tool that says nothing may see nothing: a planted fault must be found.
planted=chapters/01_vector_add/mutants/mutant_guard_off_by_one.cu
compute-sanitizer --tool memcheck --target-processes all --log-file "$out/planted.log" \
  "$ladder" check "$planted" --on gpu --exact-arrays --case N=257 >"$out/planted.txt" 2>&1
found=$(grep -c 'Invalid __global__' "$out/planted.log")
note "memcheck, a planted fault" "$((found > 0 ? 0 : 1))" "$found reports"

printf '\n%-34s %-4s %s\n' check exit result
printf '%s\n' "${rows[@]}"
exit "$worst"
