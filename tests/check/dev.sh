#!/bin/sh
# SPDX-License-Identifier: MIT
# dev.sh - ./dev explains each of its commands, refuses others, and knows which packages there are for what
. "$SONDE_SOURCE/tests/lib.sh"
dev=$SONDE_SOURCE/dev

run "$dev" help
want_status 0
for command in $(sed -n '/^case $command in/,/^esac/s/^\([a-z| -]*\)).*/\1/p' "$dev" | tr -d '|'); do
	case $command in
	help | -h | --help) ;;
	*) want_out "^  \./dev $command( |$)" ;;
	esac
done
want_out '^  \./dev test quick '
want_out '^  \./dev test all '
want_out '^  \./dev test NAME\.\.\. '

run "$dev" nonsense
want_status 2
want_err "there is no 'nonsense'"

# every row of the table has a name, or a sign, for each distribution
sed -n "/^packages='/,/^'/p" "$dev" | grep -v "'" >"$tmp/table"
awk 'NF && NF != 6 { print; bad = 1 } END { exit bad }' "$tmp/table" || fail "a row of the packages is not complete"
awk 'NF && $1 !~ /^(what|build|demo|test|full|bits|hosts|lint)$/ { print; bad = 1 } END { exit bad }' "$tmp/table" ||
	fail "nobody asks for these packages"

# on a bare Debian, what ./dev test installs is at most 700 MB; what is required is on each
if grep -q '^PRETTY_NAME="Debian GNU/Linux 12 ' /etc/os-release && apt-cache show linux-perf >/dev/null 2>&1; then
	# shellcheck disable=SC2046  # lists of words
	run apt-get -s -o Dir::State::status=/dev/null install --no-install-recommends \
		$(awk '$1 ~ /^(build|test)$/ && $2 != "-" { print $2 }' "$tmp/table")
	want_status 0
	# shellcheck disable=SC2046
	apt-cache show --no-all-versions $(sed -n 's/^Inst \([^ ]*\) .*/\1/p' "$tmp/out") >"$tmp/packages"
	awk -v RS= '!/\nPriority: required/ && match($0, /\nInstalled-Size: [0-9]+/) {
			kib += substr($0, RSTART + 17, RLENGTH - 17)
		}
		END { printf "%d\n", kib * 1024 / 1000000 }' "$tmp/packages" >"$tmp/megabytes"
	[ "$(cat "$tmp/megabytes")" -gt 300 ] || fail "apt tells no sizes: $(cat "$tmp/megabytes") MB"
	[ "$(cat "$tmp/megabytes")" -le 700 ] || fail "./dev test installs $(cat "$tmp/megabytes") MB"
fi

# a run of fewer tests says how many it leaves out and why, and the sum stands alone on the last line
mkdir -p "$tmp/fewer"
cat >"$tmp/fewer/meson" <<'SH'
#!/bin/sh
case " $* " in
*" --no-suite heavy "*) n=3 ;;
*) n=5 ;;
esac
for i in $(seq $n); do echo "sonde:unit / test-$i"; done
SH
chmod +x "$tmp/fewer/meson"
for function in count_of leaves_out sum_up; do
	sed -n "/^$function() {/,/^}/p" "$dev"
done >"$tmp/fewer/functions"
run env PATH="$tmp/fewer:$PATH" sh -euc '. "$1"
	passed=3 failed=0 skipped=0 unsteady=" test-2" left_out=
	leaves_out "need a browser" --no-suite soak --no-suite heavy
	sum_up' sh "$tmp/fewer/functions"
want_status 0
want_out '^UNSTEADY.* test-2$'
[ "$(tail -1 "$tmp/out")" = '3 passed, 0 failed, 0 skipped' ] || failed_run 'the last line is not the sum'
tail -2 "$tmp/out" | head -1 | grep -q '^dev: 2 tests are left out, since they need a browser; .*\./dev test all$' ||
	failed_run 'the line before it does not say what is left out'
grep -q '\./dev test all$' "$SONDE_SOURCE/.ci/run" || fail '.ci/run does not run all tests'

# a build folder that was made before a package came is made anew, since meson looks for it once
mkdir -p "$tmp/made/bin"
sed -n '/^configure() {/,/^}/p' "$dev" >"$tmp/made/configure"
cat >"$tmp/made/bin/meson" <<'SH'
#!/bin/sh
echo made >>times
: >"$2/build.ninja"
SH
chmod +x "$tmp/made/bin/meson"
run env PATH="$tmp/made/bin:$PATH" sh -euc '
	cd "$1" && . ./configure
	missing_of() { missing=$packages; }
	packages=" clang g++"; configure some -Dx=1; configure some -Dx=1
	packages=" clang"; configure some -Dx=1; configure some -Dx=1
	configure some -Dx=2' sh "$tmp/made"
want_status 0
[ "$(wc -l <"$tmp/made/times")" -eq 3 ] || failed_run "made $(wc -l <"$tmp/made/times") times, not 3"

# the readers of npm come before the tests that run them; without npm or its registry the run goes on
for function in named_tests all_tests; do
	sed -n "/^$function() {/,/^}/p" "$dev" | grep -q '^		*ready_readers$' ||
		fail "$function does not install the readers of npm"
done
mkdir -p "$tmp/tests" "$tmp/bin"
cp -R "$SONDE_SOURCE/tests/npm" "$tmp/tests"
for program in sh dirname cmp cp mkdir sed head; do
	ln -s "$(command -v $program)" "$tmp/bin"
done
sed -n '/^ready_readers() {/,/^}/p' "$dev" >"$tmp/ready"
run env PATH="$tmp/bin" sh -euc 'cd "$1" && . ./ready && ready_readers' sh "$tmp"
want_status 0
want_err '^install.sh: there is no npm$'
want_err '^dev: going on without the readers of npm$'
if command -v npm >/dev/null; then
	export npm_config_registry=http://127.0.0.1:9/ npm_config_cache="$tmp/cache"
	run sh -euc 'cd "$1" && . ./ready && ready_readers' sh "$tmp"
	want_status 0
	want_err '^install.sh: npm ci fails: .*127\.0\.0\.1:9'
	want_err '^dev: going on without the readers of npm$'
fi
