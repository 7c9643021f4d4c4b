#!/bin/sh
# SPDX-License-Identifier: MIT
# `sudar sweep`: its tables, its errors, and that it goes on after it was killed.
#     tools/check_sweep.sh PROGRAM

# shellcheck disable=SC2086 # lists of words

set -eu
cd "$(dirname "$0")/.."

# shellcheck source=tools/expect.sh
. tools/expect.sh
cd "$work"

expect 2 'which scene?' sweep --vary size=1,2
expect 2 'what is to vary?' sweep tower
expect 2 "wants key=value" sweep tower --vary size
expect 2 "no setting 'subStepCont'; did you mean 'subStepCount'?" sweep tower --vary subStepCont=1,2
expect 2 "--vary size: value 2 is empty" sweep tower --vary size=4,,5
expect 2 "--vary size wants a whole number from 1, not '2.5'" sweep tower --vary size=2.5
expect 2 '--size of tower is from' sweep tower --vary size=5,2000000000
expect 2 "--vary size is there twice" sweep tower --vary size=5 --vary size=6
expect 2 'say how many --samples' sweep tower --vary slop=1e-4..1e-3
expect 2 'the smaller number first' sweep tower --vary slop=1e-3..1e-4 --samples 3
expect 2 'the smaller number first' sweep tower --vary slop=0..1:log --samples 3
expect 2 '--samples wants a whole number from 1 to 10000000' sweep tower --vary seed=1..9 --samples 10000001
expect 2 'cases; at most' sweep tower --vary "size=$(seq -s, 1 4000)" --vary "seed=$(seq -s, 1 4000)"
expect 2 '--steps or --time, not both' sweep tower --vary size=5 --steps 1 --time 1
expect 1 'No such file or directory' sweep tower --vary size=5 --steps 1 --out nowhere/t.csv
check "what is refused leaves nothing behind" [ ! -e sweep.csv.sweep ]

# all combinations, the last fastest; the hashes are those of `sudar run`
words="sweep tower --vary size=4,6 --vary subStepCount=2,4,8 --steps 40"
expect 0 't1.csv: 6 cases' $words --threads 1 --out t1.csv
expect 0 't3.csv: 6 cases' $words --threads 3 --out t3.csv
check "threads do not matter" cmp t1.csv t3.csv
check "a head and six rows" [ "$(wc -l <t1.csv)" -eq 7 ]
check "the order of cases" grep -q '^4,6,4,ok,40,' t1.csv
check "the folder of rows is gone" [ ! -e t1.csv.sweep ]
"$sudar" run tower --size 6 --steps 40 --set subStepCount=4 --json >run.json
check "the hash of sudar run" grep -q "$(sed -n 's/.*"hash": *"\([0-9a-fx]*\)".*/\1/p' run.json | sed 's/^0x//')" t1.csv

# two processes, as a launcher starts them: whoever comes last makes the table
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 "$sudar" $words --out t2.csv >rank1 2>&1
check "the first of two leaves the table to the other" grep -q 'process 1 of 2: 3 cases, others' rank1
check "there is no table yet" [ ! -e t2.csv ]
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$sudar" $words --out t2.csv >rank0 2>&1
check "processes do not matter" cmp t1.csv t2.csv

# more than can be done in a second, after which there is a line of progress
"$sudar" sweep tower --size 3 --steps 60 --vary seed=1..1000000 --samples 1000000 --threads 1 --out never.csv 2>progress >/dev/null &
for _ in $(seq 200); do
    if grep -q ' left$' progress; then break; fi
    sleep 0.1
done
kill $! && wait $! || true
check "progress is told in cases" grep -q '^tower: [0-9]* of 1000000 cases, [0-9]*%, .* left$' progress

# what a process leaves that is killed while it writes: whole rows and half of one. The same command
# goes on from there, even with another number of processes.
long="sweep pile --vary seed=1..1000000 --vary slop=1e-4..1e-3:log --samples 12 --size 40 --steps 60"
"$sudar" $long --threads 1 --out whole.csv --quiet
SLURM_PROCID=0 SLURM_NTASKS=3 "$sudar" $long --out cut.csv --quiet
done=$(grep -c , cut.csv.sweep/rank-0.rows)
check "a third of the rows are there" [ "$done" -eq 4 ]
printf '11,999,0.' >>cut.csv.sweep/rank-0.rows
expect 2 'holds rows of another sweep' $long --threads 1 --out cut.csv --steps 61
expect 2 'holds rows of another sweep' sweep pile --vary seed=1,2 --steps 1 --size 40 --out cut.csv
PMI_RANK=0 PMI_SIZE=2 "$sudar" $long --out cut.csv >again0 2>&1
PMI_RANK=1 PMI_SIZE=2 "$sudar" $long --out cut.csv >again1 2>&1
check "a sweep that was killed ends in the same table" cmp whole.csv cut.csv
check "what was done was not done again" [ "$(awk '/^process/ { sum += $5 } END { print sum }' again0 again1)" -eq $((12 - done)) ]

if command -v mpirun >/dev/null; then
    mpirun --allow-run-as-root --oversubscribe -n 2 "$sudar" $long --out mpi.csv >mpi.log 2>&1 || cat mpi.log
    check "mpirun gives the same table" cmp whole.csv mpi.csv
fi

# a value with commas
expect 0 '2 cases' sweep tower --size 4 --steps 5 --vary 'gravity=0,-9.81,0|0,-1.62,0' --out g.csv
check "values with commas stand in quotes" grep -q '^1,"0,-1.62,0",ok' g.csv

exit $bad
