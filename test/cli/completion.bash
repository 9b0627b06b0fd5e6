#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Completion of bash: loads completion/abut.bash, plays the words of a command line to it, and compares what it offers.
#   completion.bash PATH/abut SOURCE_DIR
set -u
command=$(realpath "$1")
source=$2
. "$source/completion/abut.bash"
cd "$source/test/cli/scenes" || exit 1
failures=0

# offers "words" "expected ...": the last word is the one being completed. Expected: the whole offer, in any order.
offers() {
    local found expected
    eval "COMP_WORDS=($1)"
    COMP_WORDS[0]=$command
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _abut_complete 2>&1
    found=$(printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | LC_ALL=C sort)
    expected=$(printf '%s\n' ${@:2} | LC_ALL=C sort)
    if [ "$found" != "$expected" ]; then
        printf 'completing <%s>\n  offers   %s\n  expected %s\n' "$1" "${found//$'\n'/ }" "${expected//$'\n'/ }"
        failures=$((failures + 1))
    fi
}

offers "abut ''" check first intervals cast classify info view draw help
offers "abut c" check cast classify
offers "abut help i" intervals info
offers "abut check bal" balls.json
offers "abut info t" tetra.off
offers "abut check --j" --json
offers "abut check --ti" --time
offers "abut check --s" --self --separation --simultaneity --stats
offers "abut first --ti"
offers "abut first balls.json --order ''" auto lower upper
offers "abut cast balls.json --" --ray --time --exit-code --json --stats --help --version
offers "abut classify balls.json ''" red green blue
offers "abut classify balls.json g" green
offers "abut classify --time 0.5 balls.json b" blue
offers "abut classify balls.json green ''"
offers "abut check balls.json --pair ''" red green blue
offers "abut check balls.json --pair red g" green
offers "abut check balls.json --pair red green --j" --json
offers "abut check balls.json --method ''" advancement auto brent facetest halving raycast sampled search shooting
offers "abut --json ''" check first intervals cast classify info view draw help
offers "abut classify missing.json ''"
offers "abut --v" --version

# Every option that the completion offers is one that the command knows, and the other way round.
for each in check first intervals cast classify info; do
    known=$("$command" help $each | sed -n 's/^  \(--[a-z-]*\).*/\1/p')
    offers "abut $each --" $known --version
done
for file in _abut abut.fish; do
    for option in $(for each in check first intervals cast classify info; do "$command" help $each; done |
        sed -n 's/^  --\([a-z-]*\).*/\1/p' | sort -u); do
        grep -q -- "\(--\|-l \)$option" "$source/completion/$file" || {
            echo "$file lacks --$option"
            failures=$((failures + 1))
        }
    done
done
# Where these shells are installed, they must at least be able to read their files.
if command -v zsh >/dev/null; then zsh -n "$source/completion/_abut" || failures=$((failures + 1)); fi
if command -v fish >/dev/null; then fish -n "$source/completion/abut.fish" || failures=$((failures + 1)); fi
exit $((failures > 0))
