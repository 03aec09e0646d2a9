#!/usr/bin/env bash
# Tests the launcher on a machine made of fakes, and .ci/run beside it: launcher_test.sh path/to/ladder
# A fake nvcc, c++, meson, ninja, apt-get and sudo stand on PATH; each call is written to a log.
# shellcheck disable=SC2317,SC2016  # conditions are passed as commands
set -euo pipefail

launcher=$1
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
root="$box/a course"
bin="$box/bin"
calls="$box/calls"
mkdir -p "$root" "$bin" "$box/elsewhere" "$box/include"
: >"$calls"
failures=0

# The same script, but nothing of this machine's own toolkit and headers is seen.
sed -e "s|/usr/local/cuda|$box/no-cuda|g" -e "s|/usr/include|$box/include|g" \
  -e "s|/usr/share|$box/share|g" "$launcher" >"$root/ladder"
chmod +x "$root/ladder"
for tool in bash env readlink dirname uname mkdir mv cat rm sed grep flock chmod id touch true; do
  if path=$(type -P "$tool"); then ln -s "$path" "$bin/$tool"; fi
done

fake() { # fake NAME BODY
  printf '#!/bin/bash\necho "%s $*" >>"%s"\n%s\n' "$1" "$calls" "$2" >"$bin/$1"
  chmod +x "$bin/$1"
}
fake_all() {
  fake nvcc 'echo "Cuda compilation tools, release 13.0, V13.0.48"'
  fake c++ 'echo 12.2.0'
  fake pkg-config 'exit 0'
  fake meson "mkdir -p '$root/build'; touch '$root/build/build.ninja'"
  fake ninja "
if [[ \$* == *-n* ]]; then
  [[ -e '$root/build/common/cli/ladder' ]] && echo 'ninja: no work to do.'
  exit 0
fi
mkdir -p '$root/build/common/cli'
printf '#!/bin/bash\necho \"real in \$PWD:\"; printf \"<%%s>\" \"\$@\"\n' >'$root/build/common/cli/ladder'
chmod +x '$root/build/common/cli/ladder'
echo '[1/1] Linking target ladder'"
  mkdir -p "$box/include/CLI" "$box/include/doctest" "$box/include/nlohmann"
  touch "$box/include/"{CLI/CLI.hpp,doctest/doctest.h,nlohmann/json.hpp,zstd.h,lz4.h}
}

# Runs the launcher from another folder; sets `code` and `output`.
launch() {
  code=0
  output=$(cd "$box/elsewhere" && env -i PATH="$bin" "${as_user[@]}" "$root/ladder" "$@" 2>&1 \
    </dev/null) || code=$?
}
as_user=()

check() { # check SENTENCE CONDITION...
  local sentence=$1
  shift
  if "$@"; then
    echo "ok: $sentence"
  else
    echo "FAILED: $sentence"
    echo "  exit code $code, output: $output"
    failures=$((failures + 1))
  fi
}
says() { [[ $output == *"$1"* ]]; }
says_not() { [[ $output != *"$1"* ]]; }
exits() { [[ $code == "$1" ]]; }
called() { grep -q "^$1" "$calls"; }
never_called() { ! called "$1"; }

fake_all
rm "$bin/nvcc"
launch run 01
check "a missing nvcc is the machine's fault" exits 6
check "a missing nvcc comes with how to get one" says developer.nvidia.com/cuda-downloads

fake nvcc 'echo "Cuda compilation tools, release 11.8, V11.8.89"'
launch run 01
check "a toolkit that is too old is the machine's fault" exits 6
check "a toolkit that is too old is named with its version" says "CUDA 11.8, too old"
check "nothing is built without a toolkit" never_called meson

mkdir -p "$box/no-cuda/bin"
printf '#!/bin/bash\necho "release 13.0, V13.0.48"\n' >"$box/no-cuda/bin/nvcc"
chmod +x "$box/no-cuda/bin/nvcc"
fake_all
fake nvcc 'echo "Cuda compilation tools, release 11.8, V11.8.89"'
launch list
check "an old toolkit on PATH does not hide a new one elsewhere" exits 0
check "the new one is built for" called "meson setup .*-Dcuda=$box/no-cuda "
fake nvcc 'exit 1'
launch list
check "a toolkit that does not run does not hide one that does" exits 0
rm -rf "$box/no-cuda" "$root/build"

mkdir -p "$box/cuda twelve/bin"
printf '#!/bin/bash\necho "release 12.4, V12.4.1"\n' >"$box/cuda twelve/bin/nvcc"
chmod +x "$box/cuda twelve/bin/nvcc"
code=0
output=$(env -i PATH="$bin" CUDA_PATH="$box/cuda twelve" "$root/ladder" list 2>&1 </dev/null) ||
  code=$?
check "CUDA_PATH comes before PATH, spaces or not" called "meson setup .*-Dcuda=$box/cuda twelve "
rm -rf "$root/build"

fake_all
: >"$calls"
launch run "two words" --flag
check "the real command gets the exit code through" exits 0
check "arguments arrive unchanged" says "<run><two words><--flag>"
check "the working folder stays the user's" says "real in $box/elsewhere:"
: >"$calls"
launch list
check "a second run configures nothing" never_called meson
check "a second run says nothing of its own" says_not "ladder:"

fake nvcc 'echo "release 13.1, V13.1.2"'
: >"$calls"
launch list
check "another toolkit makes the build folder again" called "meson setup"

fake_all
fake ninja 'echo "[1/2] Compiling x.cpp"; echo "x.cpp:1: error: no"; exit 1'
launch list
check "a failed build is our fault" exits 6
check "a failed build shows the compiler's words" says "x.cpp:1: error: no"
check "a failed build hides what went well" says_not "Compiling x.cpp"

# Build folders that cannot be used.
fake_all
rm -rf "$root/build"
fake meson 'echo "Some other Meson process is already using this build directory."; exit 1'
launch list
check "a build that cannot be configured is the machine's fault" exits 6
check "a build that cannot be configured shows Meson's words" says "Some other Meson process"
fake_all
rm -rf "$root/build"
: >"$root/build"
launch list
check "a file in the build folder's place is the machine's fault" exits 6
check "a file in the build folder's place is named" says "$root/build"
rm -f "$root/build"
launch list
fake ninja 'exit 0'
rm "$root/build/common/cli/ladder"
launch list
check "a build without its result is the machine's fault" exits 6
rm -rf "$root/build"
fake_all
if ((EUID == 0)); then
  as_user=("$(command -v setpriv)" --reuid=65534 --regid=65534 --clear-groups)
  chmod a+rx "$box"
  chmod a+rw "$calls"
  launch list
  check "a course that may not be written to is the machine's fault" exits 6
  check "a course that may not be written to is named" says "cannot write to $root"
  as_user=()
fi

# A CPU without the vectors that the emulator is built for.
sed -e "s|/proc/cpuinfo|$box/cpuinfo|g" "$root/ladder" >"$root/ladder.new"
cat "$root/ladder.new" >"$root/ladder"
rm "$root/ladder.new"
echo 'flags : fpu sse2 avx avx2 bmi1 bmi2 fma f16c movbe' >"$box/cpuinfo"
: >"$calls"
launch list
check "a CPU with AVX2 gets the faster emulator" eval '! grep -q emulator_baseline=true "$calls"'
rm -rf "$root/build"
for lacking in avx avx2 bmi1 bmi2 f16c fma movbe; do
  echo "flags : fpu avx avx2 bmi1 bmi2 fma f16c movbe " | sed "s/ $lacking / /" >"$box/cpuinfo"
  : >"$calls"
  launch list
  check "a CPU without $lacking gets an emulator that runs there" called \
    "meson setup .*-Demulator_baseline=true"
  rm -rf "$root/build"
done

# Packages: the headers are gone.
fake_all
fake dpkg-query 'exit 1'
fake apt-get 'exit 0'
: >"$calls"
if ((EUID == 0)); then
  launch list
  launch docs --help
  launch test
  check "what only the site needs is not installed for other commands" never_called apt-get
  launch docs
  check "the site's packages are installed when it is asked for" called \
    "apt-get .*install .*doxygen.* doxygen-awesome-css libjs-mathjax"
  check "the command runs after its packages came" says "<docs>"
  as_user=(LADDER_BROWSER=true)
  launch test
  check "a browser is installed for the tests where it is asked for" called \
    "apt-get .*install .*chromium"
  as_user=()
fi
rm -rf "$root/build" "$box/include/doctest"
: >"$calls"
if ((EUID == 0)); then
  launch list
  check "root installs what is missing" called "apt-get .*install .*doctest-dev"
  check "what is installed is said first" says "installing doctest-dev"
  check "only what is missing is installed" eval '! grep -q "install.*nlohmann" "$calls"'
  rm -rf "$root/build"
  chmod -R a+rwX "$box"
  as_user=("$(command -v setpriv)" --reuid=65534 --regid=65534 --clear-groups)
fi
: >"$calls"
chmod a+rw "$calls"
launch list
check "without root and sudo the exact command is shown" says \
  "apt-get install -y --no-install-recommends doctest-dev"
check "without root and sudo it is the machine's fault" exits 6
check "without root nothing is installed" never_called apt-get
fake sudo 'exit 1'
launch list
check "sudo that wants a password is not asked without a terminal" exits 6
check "sudo was tried without a prompt only" eval '! grep "^sudo" "$calls" | grep -qv "^sudo -n"'
fake sudo 'shift; exec "$@"'
launch list
check "sudo without a password installs" called "apt-get .*install .*doctest-dev"
rm "$bin/apt-get" "$bin/sudo"
rm -rf "$root/build"
launch list
check "a system that is not Debian goes on and says what it lacks" says "not Debian"
check "a system that is not Debian still builds" exits 0

# Continuous integration, on a launcher that says what it is told to.
mkdir -p "$box/ci/.ci"
cp "${launcher%/*}/.ci/run" "$box/ci/.ci/run"
printf '#!/bin/bash\n[[ $1 == test ]] && printf "$tests_say"\n[[ $1 == test ]] && exit "$tests"\n%s\n' \
  'exit "$gate"' >"$box/ci/ladder"
chmod +x "$box/ci/ladder"
integrate() { # integrate GATE TESTS TESTS_SAY; sets `code` and `output`, its last line
  code=0
  output=$(gate=$1 tests=$2 tests_say=$3 "$box/ci/.ci/run" 2>&1 | tail -n 1) || code=$?
}
is() { [[ $output == "$1" ]]; }
integrate 0 0 'building\n5 passed, 0 failed, 1 skipped\n'
check "integration that is green exits 0" exits 0
check "integration ends with the tests' own line" is "5 passed, 0 failed, 1 skipped"
integrate 0 1 '4 passed, 1 failed, 0 skipped\n'
check "a test that fails fails the integration" exits 1
integrate 6 0 '5 passed, 0 failed, 1 skipped\n'
check "a gate that fails fails the integration" exits 6
check "a gate that fails is counted" is "5 passed, 1 failed, 1 skipped"
integrate 0 6 'the build failed\n'
check "tests that cannot be run fail the integration" exits 6
check "tests that cannot be run are counted" is "0 passed, 1 failed, 0 skipped"

exit $((failures > 0))
