#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The man page formats without a warning, and names every command and option that the command has.
#   man.bash PATH/abut SOURCE_DIR
set -u
command=$1
page=$2/man/abut.1
failures=0
for word in $("$command" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    grep -q "^\.It Cm $word$" "$page" || { echo "abut.1 lacks the command $word"; failures=1; }
    [ "$word" = help ] && continue
    for option in $("$command" help "$word" | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
        grep -q "^\.It Fl -$option\( \|$\)" "$page" || { echo "abut.1 lacks --$option"; failures=1; }
    done
done
[ $failures = 0 ] || exit 1
if command -v mandoc >/dev/null; then
    mandoc -Tlint -W warning "$page" || exit 1
elif command -v groff >/dev/null; then
    warnings=$(groff -mandoc -Tutf8 -Kutf8 -ww -z "$page" 2>&1)
    [ -z "$warnings" ] || { echo "$warnings"; exit 1; }
else
    exit 77
fi
