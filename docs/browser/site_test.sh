#!/usr/bin/env bash
# Makes the course's site from the counters at hand and opens all of it in a browser:
#   site_test.sh WEAVE COUNTERS OUTPUT [PICTURES PAGE.html ...]
# Exit code 77 says what this machine lacks for that; `.ci/run` has the launcher install it.
set -euo pipefail

weave=$1 counters=$2 output=$3
shift 3
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly here source=${here%/docs/browser}

skip() {
  echo "skipped: $1"
  exit 77
}

chromium=${LADDER_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[[ -n $chromium ]] || skip "no chromium here (Debian's package chromium)"
for tool in doxygen node npm; do
  command -v "$tool" >/dev/null || skip "no $tool here"
done
node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' || skip "node is older than 18"
[[ -d /usr/share/doxygen-awesome-css && -d /usr/share/javascript/mathjax ]] ||
  skip "no theme here (Debian's packages doxygen-awesome-css and libjs-mathjax)"

# The driver, kept between runs as long as the lock file stays as it is.
driver="$output/driver"
if ! cmp -s "$here/package-lock.json" "$driver/fetched.json"; then
  rm -rf "$driver"
  mkdir -p "$driver"
  cp "$here/package.json" "$here/package-lock.json" "$driver"
  npm ci --prefix "$driver" --no-audit --no-fund --ignore-scripts >"$output/npm.log" 2>&1 ||
    skip "npm could not fetch the browser's driver: $(tail -n 1 "$output/npm.log")"
  cp "$here/package-lock.json" "$driver/fetched.json"
fi
# Modules are looked for beside the script that wants them.
cp "$here"/*.mjs "$here"/*.js "$driver"

"$weave" site "$output/site" --counters "$counters"
# Chromium keeps its profile, and whatever else it wants, where nobody else looks.
HOME=$(mktemp -d)
export HOME
trap 'rm -rf "$HOME"' EXIT
node "$driver/site_test.mjs" "$output/site/html" "$source" "$chromium" "$@"
