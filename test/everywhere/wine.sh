#!/bin/sh
# Runs a program for Windows: wine.sh PROGRAM ARGUMENT... Node for Windows cannot write to a pipe of Linux, so what it
# writes goes through files, and it has no standard input.
files=$(mktemp -d) || exit 1
trap 'rm -rf "$files"' EXIT
/usr/lib/wine/wine64 "$@" >"$files/output" 2>"$files/errors" </dev/null
code=$?
cat "$files/output"
cat "$files/errors" >&2
exit $code
