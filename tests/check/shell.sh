#!/bin/sh
# SPDX-License-Identifier: MIT
# shell.sh - the scripts are POSIX sh without the usual mistakes
. "$SONDE_SOURCE/tests/lib.sh"

need_command shellcheck
cd "$SONDE_SOURCE"
scripts=$(find dev .ci tests bench fuzz examples -type f \( -name '*.sh' -o -name dev -o -name run \))
# shellcheck disable=SC2086  # a list of words
shellcheck -s sh -S warning -e SC1091 $scripts || fail "shellcheck"
