# SPDX-License-Identifier: MIT
# lib.sh - what the test scripts share: . "$SONDE_SOURCE/tests/lib.sh"
#
# From the environment: SONDE (the command), SONDE_SOURCE, SONDE_BUILD, SONDE_CORPUS (or ../shared/corpus beside the
# source), SONDE_PART (`own`: a test ends where it needs the corpus).
# shellcheck shell=sh
set -eu
SONDE_CORPUS=${SONDE_CORPUS:-$SONDE_SOURCE/../shared/corpus}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/sonde-test.XXXXXX")
in_part=
trap finish EXIT
trap 'exit 1' HUP INT TERM

# at_end: what a test undoes, whichever way it ends
at_end() {
	:
}

finish() {
	code=$?
	at_end
	rm -rf "$tmp"
	[ "$code" -ne 0 ] || [ -z "$in_part" ] || exit 77
}

# skip_part WHY: what follows is tested, but the test counts as skipped, so that nobody takes it for the whole
skip_part() {
	[ -n "$in_part" ] || echo "skipped in part: $*"
	in_part=yes
}

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

need_command() {
	command -v "$1" >/dev/null 2>&1 || skip "there is no $1"
}

need_corpus() {
	[ "${SONDE_PART:-}" != own ] || exit 0
	[ -d "$SONDE_CORPUS" ] || skip "there is no corpus at $SONDE_CORPUS (set SONDE_CORPUS)"
}

# shipped NAME: a recording of tests/data as $tmp/NAME
shipped() {
	need_command xz
	xz -dc "$SONDE_SOURCE/tests/data/$1.xz" >"$tmp/$1" || fail "tests/data/$1.xz"
}

# run COMMAND...: keeps its output in $tmp/out, its messages in $tmp/err and its exit status in $status
run() {
	status=0
	ran="$*"
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}

failed_run() {
	sed 's/^/  out: /' "$tmp/out" | head -40 >&2
	sed 's/^/  err: /' "$tmp/err" | head -40 >&2
	fail "$ran: $*"
}

want_status() {
	[ "$status" -eq "$1" ] || failed_run "exit status $status, expected $1"
}

# want_out REGEX, want_err REGEX: a line that matches the extended regular expression; `want_no_out`: no output at all
want_out() {
	grep -E -q -e "$1" "$tmp/out" || failed_run "no line of the output matches: $1"
}

want_err() {
	grep -E -q -e "$1" "$tmp/err" || failed_run "no message matches: $1"
}

want_no_out() {
	[ ! -s "$tmp/out" ] || failed_run "there is output"
}

want_no_err() {
	[ ! -s "$tmp/err" ] || failed_run "there are messages"
}

# without_load: takes out of $tmp/err the sentences that a loaded machine adds: the kernel stopped events, a buffer ran
# full, or another test has killed a recorder
without_load() {
	sed -i -e '/the kernel stopped events/d' -e '/ lost: .* ran full/d' -e '/that a killed recorder had left/d' \
		"$tmp/err"
}

# without_names: takes out of $tmp/err the sentences about binaries whose names are not on this machine
without_names() {
	sed -i -e '/: no symbols[:;] /d' -e '/samples have no symbol: /d' -e '/more files are missing: /d' "$tmp/err"
}

# wait_until COMMAND...: calls it until it succeeds, for two minutes at most
wait_until() {
	trials=1200
	until "$@"; do
		trials=$((trials - 1))
		[ "$trials" -gt 0 ] || fail "it has not come to this within two minutes: $*"
		sleep 0.1
	done
}

want_err_lines() {
	[ "$(wc -l <"$tmp/err")" -eq "$1" ] || failed_run "expected $1 lines of messages"
}
