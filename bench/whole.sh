#!/bin/sh
# Times whole processes against floors, with hyperfine: start-up, list, edit, and
# a warm call. Usage: bench/whole.sh [RUNS]
set -eu
cd "$(dirname "$0")/.."
runs=${1:-40}
command -v hyperfine >/dev/null 2>&1 || { echo "hyperfine is not installed" >&2; exit 1; }
dir=$(mktemp -d)
run=$(mktemp -d /tmp/bXXXXXX)
export HOME="$dir/home" XDG_RUNTIME_DIR="$run" TMPDIR="$dir" XDG_CONFIG_HOME= XDG_STATE_HOME=
build() { CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$dir/$2" "$1"; }
mkdir -p "$HOME" "$dir/project"
HOME_FOR_GO=$(getent passwd "$(id -u)" | cut -d: -f6)
HOME="$HOME_FOR_GO" build ./cmd/mcpctl mcpctl
HOME="$HOME_FOR_GO" build ./bench/hello hello
HOME="$HOME_FOR_GO" build ./testdata/servers/cmd/echo echo
m="$dir/mcpctl"
trap '"$m" supervisor stop; rm -rf "$dir" "$run"' EXIT
cd "$dir/project"
for i in 1 2 3 4 5; do "$m" add "s$i" -- "$dir/echo"; done
git config --global user.name x
"$m" supervisor start
"$m" call s1 echo text=x >/dev/null
printf 'size %s bytes; init %s\n' "$(stat -c %s "$m")" \
	"$(GODEBUG=inittrace=1 "$m" --version 2>&1 >/dev/null | awk '/^init/ {n++; ms += $5} END {printf "%.2f ms over %d packages", ms, n}')"
hyperfine -N --warmup 5 --runs "$runs" \
	-n hello "$dir/hello --version" \
	-n 'git config --list' 'git config --list' \
	-n 'mcpctl --version' "$m --version" \
	-n 'mcpctl list --json, 5 servers' "$m list --json" \
	-n 'mcpctl call, warm' "$m call s1 echo --args '{\"text\":\"x\"}'" \
	--export-json "$dir/out.json"
python3 - "$dir/out.json" <<'P' 2>/dev/null || true
import json, sys
r = json.load(open(sys.argv[1]))["results"]
for x in r: print("%-32s %6.2f ms  %.2fx hello" % (x["command"], x["median"]*1e3, x["median"]/r[0]["median"]))
P
