#!/bin/sh
# exports_test.sh OURS TOOLKITS: every symbol of the toolkit's runtime is in ours, at the same
# version, and ours has no others but ladderEmulator.
set -eu
symbols() { nm -D --defined-only "$1" | awk '$2 != "A" { sub("@@", "@", $3); print $3 }' | sort; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
symbols "$1" >"$folder/ours"
symbols "$2" >"$folder/toolkits"
missing=$(comm -13 "$folder/ours" "$folder/toolkits")
foreign=$(comm -23 "$folder/ours" "$folder/toolkits" | grep -vE '^(__)?cuda|^ladderEmulator@' || true)
[ -s "$folder/toolkits" ] || { echo "no symbols in $2"; exit 1; }
[ -z "$missing" ] || { echo "missing: $missing"; exit 1; }
[ -z "$foreign" ] || { echo "not the API's: $foreign"; exit 1; }
