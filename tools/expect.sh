# SPDX-License-Identifier: MIT
# What scripts that try the command `sudar` share: . tools/expect.sh
# The program is their first word, by default that of build/release.
# They have a folder $work of their own, and end with `exit $bad`.

# shellcheck shell=sh disable=SC2034 # used by those that include this

sudar=${1:-build/release/cli/sudar}
case $sudar in /*) ;; *) sudar=$PWD/$sudar ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# expect CODE PART WORD...: exit code CODE, and PART somewhere in what it says
expect() {
    code=$1 part=$2
    shift 2
    got=0
    "$sudar" "$@" >"$work/text" 2>&1 || got=$?
    if [ "$got" -ne "$code" ] || ! grep -qF -- "$part" "$work/text"; then
        echo "sudar $*: exit code $got and this text, not $code and '$part':"
        cat "$work/text"
        bad=1
    fi
}
check() { # what, condition...
    what=$1
    shift
    if ! "$@"; then
        echo "not so: $what"
        bad=1
    fi
}
