#!/bin/sh
# abut_bench runs quickly, writes rows with the agreed keys, and refuses what it does not know.
# usage: test_json.sh ABUT_BENCH TEST_ROWS DIRECTORY
set -eu
bench=$1
rows=$2
out=$3
"$bench" --list >"$out/test_list.txt"
for family in interval convex mesh cad ellipsoid broad ccd; do
    grep -q "^$family " "$out/test_list.txt" || {
        echo "family $family is missing" >&2
        exit 1
    }
done
"$bench" --quick --family interval --json "$out/test_interval.json" >"$out/test_table.txt"
"$bench" --quick --family convex --case 'sphere*' --json "$out/test_convex.json" >>"$out/test_table.txt"
"$bench" --quick --family cad --json - >"$out/test_cad.json"
for family in interval convex cad; do
    "$rows" "$out/test_$family.json"
done
for wrong in "--family nonsense" "--nonsense" "--json"; do
    # shellcheck disable=SC2086
    if "$bench" $wrong >/dev/null 2>&1; then
        echo "abut_bench $wrong must fail" >&2
        exit 1
    fi
done
