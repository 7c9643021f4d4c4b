#!/bin/sh
# SPDX-License-Identifier: MIT
# `sudar lab`: its report, what it keeps, and how it fails. tools/check_lab.sh PROGRAM

set -eu
cd "$(dirname "$0")/.."

# gnuplot complains of degree signs where letters are bytes: that must not end an experiment
LC_ALL=C
export LC_ALL

# shellcheck source=tools/expect.sh
. tools/expect.sh

expect 0 'integrators' lab --list
expect 2 "--list lists all experiments; 'extra' is too much" lab --list extra
expect 0 'integrators' completion words experiments
expect 0 '--out	DIR' completion words lab
expect 2 "unknown experiment 'integratorz'; did you mean 'integrators'?" lab integratorz
expect 2 "unknown option '--ful'; did you mean '--full'?" lab --ful

out=$work/a/b
expect 0 "$out/index.html" lab integrators --out "$out"
for file in index.html integrators/spring.csv integrators/spring-error.gp integrators/spring-error.svg; do
    check "$file is there" [ -s "$out/$file" ]
done
check 'plots know of dark ground' grep -q 'prefers-color-scheme: dark' "$out/integrators/spring-error.svg"
check 'the report has the section' grep -q "<section id='integrators'>" "$out/index.html"
check 'nothing half made is left' [ -z "$(find "$out" -name '*.part')" ]

# what is finished is kept, and only that
before=$(cat "$out/integrators/finished")
expect 0 '(kept)' lab integrators --out "$out"
check 'it was not run again' [ "$before" = "$(cat "$out/integrators/finished")" ]
"$sudar" lab integrators --out "$out" --again >"$work/text"
check 'but it is when asked for' sh -c "! grep -q kept '$work/text'"
echo 'cut short' >"$out/integrators/finished"
"$sudar" lab integrators --out "$out" >"$work/text"
check 'and when it was cut short' sh -c "! grep -q kept '$work/text'"

# what cannot be done
: >"$work/file"
expect 1 'a file has that name' lab integrators --out "$work/file/lab"
expect 1 'cannot make the folder' lab integrators --out /proc/nowhere/lab
mkdir "$work/empty" "$work/bad"
old=$PATH
PATH=$work/empty
got=0
"$sudar" lab integrators --out "$out" --again >"$work/said" 2>&1 || got=$?
PATH=$old
check 'no gnuplot: exit code 1' [ "$got" -eq 1 ]
check 'and words' grep -q "need the program 'gnuplot'" "$work/said"
cat >"$work/bad/gnuplot" <<'END'
#!/bin/sh
[ "$1" = --version ] && exit 0
echo 'it is broken'
exit 7
END
chmod +x "$work/bad/gnuplot"
PATH=$work/bad:$old expect 1 'it is broken' lab integrators --out "$out" --again
check 'a report says so' grep -q 'its files could not be written' "$out/index.html"
check 'what is broken is not finished' [ ! -e "$out/integrators/finished" ]

[ "$bad" -eq 0 ] && echo "lab: report, resumption and failures are as they should be"
exit "$bad"
