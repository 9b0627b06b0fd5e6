#!/bin/sh
# The rows that abut_bench writes are a JSON array of objects with exactly the agreed keys.
# usage: test_json.sh ABUT_BENCH DIRECTORY
set -eu
bench=$1
out=$2/test_rows.json
"$bench" --quick --family convex --case 'W1 boolean sphere*' --json "$out" >"$2/test_table.txt"
if "$bench" --list | grep -q '^interval '; then
    "$bench" --quick --family interval --json "$2/test_interval.json" >>"$2/test_table.txt"
fi
"$bench" --quick --family surface --json "$2/test_surface.json" >>"$2/test_table.txt"
for file in "$out" "$2/test_surface.json" "$2/test_interval.json"; do
    [ -e "$file" ] || continue
    python3 - "$file" <<'CHECK'
import json, sys
keys = {"family", "case", "abut_ns", "peer", "peer_ns", "ratio", "abut_wrong", "peer_wrong", "counters"}
rows = json.load(open(sys.argv[1]))
assert isinstance(rows, list) and rows, "an array with at least one row"
for row in rows:
    assert set(row) == keys, sorted(set(row) ^ keys)
    assert isinstance(row["family"], str) and isinstance(row["case"], str)
    assert set(row["counters"]) == {"abut", "peer"}
    if row["abut_ns"] is not None and row["peer_ns"] is not None:
        assert abs(row["ratio"] - row["peer_ns"] / row["abut_ns"]) <= 1e-3 * row["ratio"], row
    else:
        assert row["ratio"] is None, row
    assert row["abut_wrong"] in (None, 0), row
CHECK
done
if "$bench" --family nonsense >/dev/null 2>&1; then
    echo "an unknown family must be an error" >&2
    exit 1
fi
