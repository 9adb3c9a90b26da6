#!/bin/sh
# SPDX-License-Identifier: MIT
# probes.sh - probes that an event string defines: added for a recording, and gone after it, whatever ends it
. "$SONDE_SOURCE/tests/lib.sh"

# The texts that the kernel gets, in a tracefs that is made of files.
mkdir -p "$tmp/fake/events/probe/known" "$tmp/fake/events/sched/sched_switch"
echo 7 >"$tmp/fake/events/probe/known/id"
echo header >"$tmp/fake/events/header_page"
: >"$tmp/fake/kprobe_events"
: >"$tmp/fake/uprobe_events"

# defines FILE TEXT EVENT: the event writes this definition to the file, and takes it back
defines() {
	: >"$tmp/fake/$1"
	run env "TRACEFS_PATH=$tmp/fake" "$SONDE" record --dry-run -e "$3" true
	want_status 2
	want_err 'the kernel does not show the new probe'
	sed 's/:sonde_[0-9]*_[0-9a-f]*_[0-9a-f]*/:GROUP/' "$tmp/fake/$1" >"$tmp/defined"
	printf '%s\n-:GROUP/%s\n' "$2" "$(echo "$2" | sed 's|[^/]*/||; s/ .*//')" >"$tmp/expected"
	cmp -s "$tmp/defined" "$tmp/expected" || fail "$3 defines: $(cat "$tmp/defined")"
}
defines kprobe_events 'p:GROUP/do_sys_open do_sys_open filename:string' 'probe:do_sys_open filename:string'
defines kprobe_events 'r:GROUP/vfs_read__return vfs_read ret=$retval:s64' 'probe:vfs_read%return ret=$retval:s64'
defines kprobe_events 'p:GROUP/vfs_read vfs_read+16 a=%di b=%si' 'probe:vfs_read+0x10  a=%di b=%si,cs'
file=$(readlink -f "$SONDE")
defines uprobe_events "p:GROUP/abs_1234 $file:0x1234" "uprobe:$file:0x1234"
defines uprobe_events "r:GROUP/abs_1234__return $file:0x1234 \$retval" "uprobe:$file:0x1234%return \$retval"

# A probe that somebody has added is used as it is.
run env "TRACEFS_PATH=$tmp/fake" "$SONDE" record --dry-run -v -e probe:known true
want_status 0
want_err '^  config  +0x7 \(probe:known\)$'

wrong() {
	run env "TRACEFS_PATH=$tmp/fake" "$SONDE" record --dry-run -e "$1" true
	want_status 2
	want_err "$2"
}
wrong 'uprobe:' 'column 8: expected FILE:FUNCTION'
wrong "uprobe:$file" 'column 8: expected FILE:FUNCTION|no file'
wrong 'uprobe:/nonexistent/file:main' "there is no file '/nonexistent/file'"
wrong "uprobe:$file:nothing_is_called_so" "has no function 'nothing_is_called_so'"
wrong "uprobe:$file:0x10%retrun" 'expected %return'
wrong 'probe:vfs_read+x' 'expected an offset'
wrong 'probe:' 'expected the name'
wrong 'probe:vfs_read a;b' 'no such form'
wrong "probe:$(printf '%3000s' x | tr ' ' x)" 'name'
rm "$tmp/fake/kprobe_events"
wrong 'probe:vfs_read' 'built without kprobes'
[ ! -s "$tmp/fake/uprobe_events" ] || grep -q . "$tmp/fake/uprobe_events" || fail "uprobe_events"

# A breakpoint at a symbol of the kernel.
symbol=$(awk '$2 == "T" && $3 ~ /^[a-z_]+$/ && $1 !~ /^0+$/ { print $1, $3; exit }' /proc/kallsyms 2>/dev/null || :)
if [ -n "$symbol" ]; then
	run "$SONDE" record --dry-run -v -e "mem:${symbol#* }:x" true
	want_status 0
	want_err "bp_addr, config1 } +0x$(echo "${symbol% *}" | sed 's/^0*//')\$"
fi

# The kernel's own.
tracefs=/sys/kernel/tracing
[ -d $tracefs/events ] || tracefs=/sys/kernel/debug/tracing
[ -w $tracefs/uprobe_events ] || skip_part "uprobes cannot be added here"
[ -z "$in_part" ] || exit 0
ours() { grep -c ':sonde_' $tracefs/uprobe_events; }

"$SONDE" record --dry-run -e "uprobe:$SONDE:main" true 2>"$tmp/err" ||
	skip "the kernel takes no uprobe in $SONDE: $(cat "$tmp/err")"
case $(uname -m) in
x86_64) argument=' argc=%di:s32' text=' argc=[0-9]+' ;;
*) argument='' text='' ;;
esac
run "$SONDE" record -o "$tmp/data" -e "uprobe:$SONDE:main$argument" -e "uprobe:$SONDE:main%return" \
	-e "uprobe:$SONDE:main" "$SONDE" version
want_status 0
run "$SONDE" script "$tmp/data"
want_out "uprobe:main: \\([0-9a-f]+\\)$text\$"
want_out 'uprobe:main__return: '
run "$SONDE" check "$tmp/data"
want_status 0
run "$SONDE" evlist "$tmp/data"
want_out '^uprobe:main_1$'

# A recorder that is killed leaves its probe; the next one removes it, and that of no living process.
"$SONDE" record -q -o "$tmp/killed" -e "uprobe:$SONDE:main" sleep 30 >/dev/null 2>&1 &
killed=$!
"$SONDE" record -q -o "$tmp/living" -e "uprobe:$SONDE:main" sleep 30 >/dev/null 2>&1 &
living=$!
wait_until grep -q ":sonde_${killed}_" $tracefs/uprobe_events
wait_until grep -q ":sonde_${living}_" $tracefs/uprobe_events
wait_until [ -s "$tmp/killed" ]
wait_until [ -s "$tmp/living" ]
kill -KILL "$killed"
wait "$killed" 2>/dev/null || :
# until the kernel has closed the events of the killed process
remove_left() {
	"$SONDE" record -q -o "$tmp/next" -e dummy true 2>>"$tmp/said" || return 1
	! grep -q ":sonde_${killed}_" $tracefs/uprobe_events
}
wait_until remove_left
grep -q ":sonde_${living}_" $tracefs/uprobe_events || fail "the probe of a living recorder was removed"
kill -INT "$living"
wait "$living" || :
! grep -q ":sonde_${living}_" $tracefs/uprobe_events || fail "a recorder leaves its probe"

# The same probes in a trace.dat, with the kernel's filter; sonde and trace-cmd read their arguments.
[ -w $tracefs/instances ] || exit 0
case $argument in
'') filter='common_pid > 0' ;;
*) filter='argc > 1' ;;
esac
run "$SONDE" record --ftrace -o "$tmp/trace.dat" -e "uprobe:$SONDE:main$argument" --filter "$filter" \
	-e "uprobe:$SONDE:main%return" "$SONDE" version
want_status 0
run "$SONDE" script "$tmp/trace.dat"
want_out " main: +\\([0-9a-f]+\\)$text\$"
want_out ' main__return: '
run "$SONDE" check "$tmp/trace.dat"
want_status 0
if command -v trace-cmd >/dev/null 2>&1; then
	run trace-cmd report "$tmp/trace.dat"
	want_out " main: +\\([0-9a-f]+\\)$text\$"
fi
run "$SONDE" record --ftrace -o "$tmp/wrong.dat" -e "uprobe:$SONDE:nothing_is_called_so" true
want_status 2
want_err "has no function 'nothing_is_called_so'"
run "$SONDE" record --ftrace -o "$tmp/wrong.dat" -e "uprobe:$SONDE:main,dummy" true
want_status 2
want_err 'a probe and another event'
[ ! -e "$tmp/wrong.dat" ] || fail "a failed recording has left a file"

# A killed one leaves its probe and its instance, and whatever is recorded next removes them.
"$SONDE" record --ftrace -q -o "$tmp/killed.dat" -e "uprobe:$SONDE:main" sleep 30 >/dev/null 2>&1 &
killed=$!
wait_until [ -s "$tmp/killed.dat" ]
kill -KILL "$killed"
wait "$killed" 2>/dev/null || :
nothing_left() {
	remove_left && [ -z "$(find $tracefs/instances -maxdepth 1 -name "sonde-$killed-*")" ]
}
wait_until nothing_left
exit 0
