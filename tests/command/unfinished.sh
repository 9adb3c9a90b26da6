#!/bin/sh
# SPDX-License-Identifier: MIT
# unfinished.sh - a recording of sonde whose recorder was killed: every reader says that it was never finished
. "$SONDE_SOURCE/tests/lib.sh"

need_command python3

# killed FILE RECORD-ARGUMENTS...: once the file has events
killed() {
	file=$1
	shift
	setsid "$SONDE" record -o "$tmp/$file" "$@" >/dev/null 2>"$tmp/err" &
	wait_until has_events "$tmp/$file"
	kill -9 -$!
	wait $! || :
}

has_events() {
	"$SONDE" script "$1" 2>/dev/null | grep -q -E 'cpu-clock:|sched_switch:'
}

says() {
	for words in report script export dump 'report --html=/dev/null' 'script --cpu 0'; do
		# shellcheck disable=SC2086 # words
		run "$SONDE" ${words%% *} "$1" ${words#"${words%% *}"}
		want_status 1
		want_err "1 recording was never finished$2"
	done
	run "$SONDE" info "$1"
	want_status 1
	want_out "^# losses +: 1 recording was never finished$2"
}

# Other messages depend on where the few samples of a short run fall.
want_finished() {
	! grep -q 'never finished' "$tmp/err" || failed_run 'the recording is whole'
}

# one that was finished says nothing of it
"$SONDE" record -e cpu-clock -o "$tmp/whole.data" -- true 2>"$tmp/err" || skip "cannot record: $(cat "$tmp/err")"
run "$SONDE" report "$tmp/whole.data"
want_finished

killed killed.data -e cpu-clock -- "$SONDE_BUILD/bench/workload" 150
says "$tmp/killed.data" ' \(killed, or still recording\): build ids'
run "$SONDE" check "$tmp/killed.data"
want_status 1
want_out 'error: unfinished: '
run "$SONDE" repair "$tmp/killed.data" "$tmp/mended.data"
want_status 0
want_err '1 recording was never finished'
run "$SONDE" check "$tmp/mended.data"
want_status 0
run "$SONDE" report "$tmp/mended.data"
want_status 0
want_finished

# killed in the middle of a flush; before the first one; before the header
python3 - "$tmp" <<'PY'
import struct, sys
d = bytearray(open(sys.argv[1] + '/killed.data', 'rb').read())
torn = d[:]
torn[72:104] = bytes(32)
open(sys.argv[1] + '/torn.data', 'wb').write(torn)
none = torn[:struct.unpack_from('=Q', d, 40)[0]]
none[48:56] = bytes(8)
open(sys.argv[1] + '/none.data', 'wb').write(none)
open(sys.argv[1] + '/zeros.data', 'wb').write(bytes(4096))
PY
says "$tmp/torn.data" ' \(killed, or still recording\): build ids'
run "$SONDE" check "$tmp/torn.data"
want_out 'error: unfinished: '
says "$tmp/none.data" ': its recorder was killed before it wrote a record'
run "$SONDE" report "$tmp/zeros.data"
want_status 1
want_err 'zeros.data: begins with zeros: its recorder was killed'
: >"$tmp/empty.data"
run "$SONDE" report "$tmp/empty.data"
want_status 1
want_err 'empty.data: is empty'

# a stream ends with a record that says so, unless its recorder was killed
for command in true 'sleep 0.2'; do
	# shellcheck disable=SC2086 # words
	"$SONDE" record -e cpu-clock -o - -- $command >"$tmp/whole.pipe" 2>/dev/null
	run "$SONDE" report "$tmp/whole.pipe"
	want_finished
	"$SONDE" script "$tmp/whole.pipe" >"$tmp/of_file" 2>&1
	"$SONDE" script -i - <"$tmp/whole.pipe" >"$tmp/of_pipe" 2>&1
	cmp "$tmp/of_file" "$tmp/of_pipe" || fail 'a stream is read another way than its file'
	run "$SONDE" check "$tmp/whole.pipe"
	want_status 0
	"$SONDE" convert --to file "$tmp/whole.pipe" "$tmp/whole.file" 2>/dev/null
	"$SONDE" convert --to pipe "$tmp/whole.file" "$tmp/again.pipe" 2>/dev/null
	run "$SONDE" report "$tmp/again.pipe"
	want_finished
done
setsid "$SONDE" record -e cpu-clock -o - -- sh -c 'while :; do :; done' >"$tmp/killed.pipe" 2>/dev/null &
wait_until has_events "$tmp/killed.pipe"
kill -9 -$!
wait $! || :
for words in report script export; do
	run "$SONDE" $words "$tmp/killed.pipe"
	want_status 1
	want_err '1 recording was never finished \(killed, or still recording\)'
done
run "$SONDE" script -i - <"$tmp/killed.pipe"
want_status 1
want_err '1 recording was never finished \(killed, or still recording\)'
run "$SONDE" info --count - <"$tmp/killed.pipe"
want_status 1
want_out '^# losses +: 1 recording was never finished \(killed, or still recording\)'
# a file shows at its end whether its recorder ended it; what stands after does not matter
run "$SONDE" info "$tmp/killed.pipe"
want_status 1
want_out '^# losses +: 1 recording was never finished \(killed, or still recording\)'
(cat "$tmp/whole.pipe" && echo 'a message') >"$tmp/text.pipe"
run "$SONDE" info "$tmp/text.pipe"
! grep -q 'never finished' "$tmp/out" || failed_run 'the recording is whole'
run "$SONDE" check "$tmp/text.pipe"
want_out 'record-garbage: .* found 10 bytes of text that are no records'
run "$SONDE" check "$tmp/killed.pipe"
want_status 1
want_out 'error: unfinished: stream: '
for words in repair cut 'convert --to file'; do
	rm -f "$tmp/mended.pipe"
	# shellcheck disable=SC2086 # words
	run "$SONDE" $words "$tmp/killed.pipe" "$tmp/mended.pipe"
	want_status 0
	want_err '1 recording was never finished'
	run "$SONDE" check "$tmp/mended.pipe"
	want_status 0
	run "$SONDE" report "$tmp/mended.pipe"
	want_finished
done

if "$SONDE" record --ftrace -e sched:sched_switch -o "$tmp/whole.dat" -- true 2>"$tmp/err"; then
	run "$SONDE" report "$tmp/whole.dat"
	want_finished
	killed killed.dat --ftrace -e sched:sched_switch -- sh -c 'while :; do sleep 0.01; done'
	says "$tmp/killed.dat" ' \(killed, or still recording\): up to half a second of events'
	run "$SONDE" check "$tmp/killed.dat"
	want_status 1
	want_out 'error: dat-unfinished: '
	run "$SONDE" repair "$tmp/killed.dat" "$tmp/mended.dat"
	want_status 0
	want_err '1 recording was never finished'
	run "$SONDE" check "$tmp/mended.dat"
	want_status 0
else
	skip "only perf.data was looked at: $(cat "$tmp/err")"
fi
