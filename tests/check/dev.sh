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
want_out '^  \./dev test NAME\.\.\. '

run "$dev" nonsense
want_status 2
want_err "there is no 'nonsense'"

# every row of the table has a name, or a sign, for each distribution
sed -n "/^packages='/,/^'/p" "$dev" | grep -v "'" >"$tmp/table"
awk 'NF && NF != 6 { print; bad = 1 } END { exit bad }' "$tmp/table" || fail "a row of the packages is not complete"
awk 'NF && $1 !~ /^(what|build|demo|test|full|hosts|lint)$/ { print; bad = 1 } END { exit bad }' "$tmp/table" ||
	fail "nobody asks for these packages"

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
	sed -n "/^$function() {/,/^}/p" "$dev" | grep -q '^	ready_readers$' ||
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
