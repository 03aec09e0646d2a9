#!/usr/bin/env bash
# What is wrong in the course's files stops the site with file and line, and what its numbers say is on
# the pages: planted_test.sh WEAVE COUNTERS SOLVERS. Works on a copy; skipped (77) without Doxygen.
# shellcheck disable=SC2317  # functions are called by name
set -euo pipefail

weave=$1 counters=$2 solvers=$3
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly here source=${here%/docs/weave}
if ! command -v doxygen >/dev/null || [[ ! -d /usr/share/doxygen-awesome-css ]]; then
  echo "skipped: no doxygen, or not its theme"
  exit 77
fi
outer=$(mktemp -d)
trap 'rm -rf "$outer"' EXIT
box="$outer/a folder" # with a blank, as the course's may have
mkdir "$box"
cp "$weave" "$box/weave" # away from the build folder, whose list of solvers it would take
failures=0

# Only chapter 01 and one page by hand, so that this takes no longer as the course grows.
fresh_copy() {
  rm -rf "$box/course"
  mkdir -p "$box/course/chapters" "$box/course/build"
  cp -r "$source/chapters/01_vector_add" "$box/course/chapters"
  cp -r "$source/docs" "$source/meson.build" "$box/course"
  ln -s "$source/common" "$box/course/common"
  rm -rf "$box/course/docs/pages"
  mkdir "$box/course/docs/pages"
  echo index >"$box/course/docs/pages/contents.txt"
  printf '# Kernel Ladder {#index}\n\nWelcome.\n' >"$box/course/docs/pages/index.md"
  grep ' 01_vector_add ' "$solvers" >"$box/course/build/solvers.txt"
}
make_site() {
  code=0
  output=$(LADDER_ROOT="$box/course" "$box/weave" site "$box/site" --counters "$counters" --no-search 2>&1) ||
    code=$?
}
expect() { # expect SENTENCE CONDITION...
  if "${@:2}"; then
    echo "ok: $1"
  else
    printf 'FAILED: %s\n  exit code %s, output: %s\n' "$1" "$code" "$output"
    failures=$((failures + 1))
  fi
}
stops_at() { [[ $code == 2 && $output == *"$1"* ]]; }

step=chapters/01_vector_add/step_05_float4.cu
line_of() { grep -n -m 1 -- "$1" "$box/course/$2" | cut -d: -f1; }

fresh_copy
sed -i '/@builds-on/d' "$box/course/$step"
make_site
expect "a step without @builds-on stops" stops_at "$step:1: a step names its parent"

fresh_copy
sed -i 's/@new /@nwe /' "$box/course/$step"
make_site
expect "an unknown key stops" stops_at "$step:$(line_of @nwe $step): unknown key @nwe"

fresh_copy
sed -i 's|^//! \*\*Predict\.\*\*.*|&\n//! See \\ref no_such_place.|' "$box/course/$step"
make_site
expect "a broken \\ref stops" stops_at "$step:$(line_of no_such_place $step): "

fresh_copy
sed -i 's|^//! \*\*Predict\.\*\*.*|&\n//! See [there](features.html#no_such_place).|' "$box/course/$step"
make_site
expect "a broken link stops" stops_at "$step:$(line_of no_such_place $step): the link features.html#no"

fresh_copy
sed -i 's|^//! \*\*Predict\.\*\*.*|&\n//! See [there](zh/no_such_page.html).|' "$box/course/$step"
make_site
expect "a broken link to another edition stops" \
  stops_at "$step:$(line_of no_such_page $step): the link zh/no_such_page.html"

fresh_copy
printf '\n\\snippet %s gone\n' "$step" >>"$box/course/docs/pages/index.md"
make_site
expect "a label of a snippet that is gone stops" \
  stops_at "docs/pages/index.md:$(line_of 'snippet' docs/pages/index.md): "

fresh_copy
zh=chapters/01_vector_add/zh/step_05_float4.md
sed -i '1s/.*/no hash/' "$box/course/$zh"
make_site
expect "a translation of nothing stops" stops_at "$zh:1: "

fresh_copy
results="$box/course/chapters/01_vector_add/results/h200.json"
sed -i '0,/"median_us": *[0-9.]*/s//"median_us": 1234567.0/' "$results"
sed -i 's|^//! \*\*Predict\.\*\*.*|//! **Predict.** Something else.|' "$box/course/$step"
make_site
expect "a good course makes a site" eval '[[ $code == 0 ]]'
expect "a number that changes in results/ changes on the pages" \
  grep -rql $'1.23\u00a0s' "$box/site/html" --include='vector_add*.html'
expect "a translation of English that has changed says so" \
  grep -q 'kl-stale' "$box/site/html/zh/vector_add_step_05.html"
expect "a translation of English as it is says nothing" \
  eval 'page="$box/site/html/zh/vector_add_step_04.html"; [[ -s $page ]] && ! grep -q "kl-stale" "$page"'

exit $((failures > 0))
