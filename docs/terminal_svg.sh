#!/usr/bin/env bash
# Makes a picture of a command's output as a terminal shows it, colours included:
#   docs/terminal_svg.sh ./ladder run 01 --on emulator >docs/ladder-run.svg
# Needs script (util-linux) and awk. What is captured is real: run it again after a change.
set -euo pipefail

columns=${COLUMNS:-92}
command=$(printf '%q ' "$@")
{
  printf '\033[2m$\033[0m %s\n' "$*"
  TERM=xterm-256color LANG=C.UTF-8 \
    script -qec "stty cols $columns rows 50; $command 2>/dev/null" /dev/null </dev/null || true
} | awk -v columns="$columns" '
  # Text between escape codes, as one <tspan> for each style.
  function escaped(text) {
    gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
    return text
  }
  function styled(line,    result, at, code, rest, end) {
    result = ""; style = ""
    rest = line
    while ((at = index(rest, "\033[")) > 0) {
      result = result span(substr(rest, 1, at - 1))
      rest = substr(rest, at + 2)
      end = match(rest, /[A-Za-z]/)
      code = substr(rest, 1, end - 1)
      if (substr(rest, end, 1) == "m") style = (code == "0" || code == "") ? "" : "c" code
      rest = substr(rest, end + 1)
    }
    return result span(rest)
  }
  function span(text) {
    if (text == "") return ""
    return style == "" ? escaped(text) : "<tspan class=\"" style "\">" escaped(text) "</tspan>"
  }
  { gsub(/\r/, ""); lines[++count] = styled($0) }
  END {
    while (count > 1 && lines[count] == "") --count
    line_height = 19; glyph = 8.43; margin = 16
    width = int(columns * glyph + 2 * margin); height = count * line_height + 2 * margin
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" ", width, height
    printf "viewBox=\"0 0 %d %d\">\n", width, height
    print "<style>text { font: 14px ui-monospace, Menlo, Consolas, \"DejaVu Sans Mono\", monospace;"
    print "fill: #d8dee9; white-space: pre } .c1 { font-weight: bold } .c2 { fill: #7b8494 }"
    print ".c31 { fill: #f47067 } .c32 { fill: #8ddb8c } .c33 { fill: #e3b341 }</style>"
    printf "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#1d2129\"/>\n", width, height
    for (i = 1; i <= count; ++i)
      if (lines[i] != "")
        printf "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", margin,
          margin + i * line_height - 5, lines[i]
    print "</svg>"
  }'
