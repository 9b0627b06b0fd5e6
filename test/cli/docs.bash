#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the examples of the documents: each ```console block is a line "$ abut ..." and what it prints.
#   docs.bash PATH/abut SOURCE_DIR [--write]
# With --write the blocks are filled with what the command prints now.
set -u
command=$(realpath "$1")
cd "$2" || exit 1
failures=0
examples=0
blot() { sed 's/(±[^)]*)/(±)/g; s/^hierarchy .*/hierarchy/' "$1"; }
for document in docs/cli.md docs/meshes.md; do
    fresh=$(mktemp)
    inside=
    while IFS= read -r line; do
        case $inside$line in
        '```console') inside=yes ;;
        'yes```') inside= ;;
        'yes$ abut '*)
            printf '%s\n' "$line"
            # The words of a document, not of a stranger.
            eval "\"\$command\" ${line#\$ abut }" 2>&1
            examples=$((examples + 1))
            continue
            ;;
        yes*) continue ;; # what was printed when it was written
        esac
        printf '%s\n' "$line"
    done <"$document" >"$fresh"
    if [ "${3:-}" = --write ]; then
        cat "$fresh" >"$document"
    # The widths of enclosures may differ from one way of rounding to another, and how hierarchies are laid out is not agreed.
    elif ! diff <(blot "$document") <(blot "$fresh"); then
        echo "$document: the examples print something else now"
        failures=1
    fi
    rm -f "$fresh"
done
[ "$examples" -gt 0 ] || { echo "no examples found"; exit 1; }
exit $failures
