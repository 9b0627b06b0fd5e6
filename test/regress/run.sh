#!/usr/bin/env bash
# Runs every NAME.case of this folder (README.md says how one looks).
#   run.sh ABUT_COMMAND
set -u
abut=$(realpath "$1")
cd "$(dirname "$0")" || exit 1
failed=0 runs=0
complain() {
    echo "$case_file: $1"
    echo "  ran: abut $arguments"
    echo "  said: $output"
    failed=1
}
for case_file in *.case; do
    arguments= output= code=
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '' | '#'*) ;;
        'run '*)
            arguments=${line#run }
            # shellcheck disable=SC2086
            output=$(ulimit -t 60 && "$abut" $arguments 2>&1)
            code=$?
            output=$(printf '%s' "$output" | tr -d ' \n\t')
            runs=$((runs + 1))
            ;;
        'exit '*) [ "$code" = "${line#exit }" ] || complain "exit code $code, not ${line#exit }" ;;
        'has '*) [[ $output == *"${line#has }"* ]] || complain "the output lacks ${line#has }" ;;
        'hasnot '*) [[ $output != *"${line#hasnot }"* ]] || complain "the output has ${line#hasnot }" ;;
        *) complain "this line is not understood: $line" ;;
        esac
    done <"$case_file"
done
echo "$runs runs"
[ "$runs" -gt 0 ] && exit $failed
