#!/bin/bash
# run.sh SECONDS OUT JOBS [TARGET...]: runs every fuzz target of this bundle (scripts/fuzz --bundle made it) at once, each in
# JOBS processes with seeds and corpora of their own.
#
# A process that ends with a finding is started again with another seed for the time that is left, 8 times at most. OUT
# gets: summary.txt (a line for each target: runs, coverage, findings), crashes/ (the inputs), logs/ (the end of every
# process's log), corpus/ (what was added, an archive for each target). Exit code 1 when anything was found.
set -u
cd "$(dirname "$0")" || exit 2
seconds=${1:?usage: run.sh SECONDS OUT JOBS [TARGET...]}
out=${2:?usage: run.sh SECONDS OUT JOBS [TARGET...]}
jobs=${3:?usage: run.sh SECONDS OUT JOBS [TARGET...]}
shift 3
mkdir -p "$out/crashes" "$out/logs" "$out/corpus"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH=$PWD/lib
export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1:symbolize=0
export UBSAN_OPTIONS=print_stacktrace=1:symbolize=0

targets=("$@")
[ ${#targets[@]} -gt 0 ] || for program in fuzz-*; do targets+=("$program"); done
# Where this machine's C library is too old for the programs, they get the one that they were built with.
loader=()
if ! "./${targets[0]}" -help=1 >/dev/null 2>&1; then
  loader=("$PWD/libc/ld-linux-x86-64.so.2" --library-path "$PWD/libc:$PWD/lib")
fi

one() {
  local target=$1 job=$2 name=${1#fuzz-} end=$((SECONDS + seconds)) turn=0 left
  local own=$work/$target-$job
  mkdir -p "$own"
  while left=$((end - SECONDS)) && [ $left -gt 2 ] && [ $turn -lt 8 ]; do
    turn=$((turn + 1))
    # shellcheck disable=SC2046
    timeout -k 10 $((left + 60)) ${loader[@]+"${loader[@]}"} "./$target" -max_total_time=$left -rss_limit_mb=2048 -timeout=25 \
      -seed=$((job * 1000 + turn + RANDOM * 10000)) -print_final_stats=1 -artifact_prefix="$out/crashes/$target-" \
      $(cat "corpus/$name.options") "$own" "corpus/$name" \
      >"$work/$target-$job.log" 2>&1 && break
    echo "found by process $job, turn $turn" >>"$work/$target-$job.log"
    { echo "== turn $turn"; tail -n 60 "$work/$target-$job.log" | cut -c1-400; } >>"$out/logs/$target-$job.txt"
  done
  { echo "== last turn"; tail -n 25 "$work/$target-$job.log" | cut -c1-300; } >>"$out/logs/$target-$job.txt"
}

for target in "${targets[@]}"; do
  for ((job = 1; job <= jobs; ++job)); do
    one "$target" "$job" &
  done
done
wait

found=0
for target in "${targets[@]}"; do
  runs=$(awk '/number_of_executed_units/ { n += $2 } END { print n + 0 }' "$out/logs/$target"-*.txt)
  coverage=$(grep -ho 'cov: [0-9]*' "$work/$target"-*.log | sort -t' ' -k2 -n | tail -1)
  # Each turn that did not end by itself is a finding, whether it left an input or not.
  turns=$(grep -ch '^== turn' "$out/logs/$target"-*.txt | awk '{ n += $1 } END { print n + 0 }')
  echo "$target: $jobs processes, $runs runs, ${coverage:-cov: ?}, $turns findings"
  [ "$turns" -eq 0 ] || found=1
  mkdir -p "$work/new/${target#fuzz-}"
  find "$work/$target"-*/ -type f -size -64k -exec cp -n -t "$work/new/${target#fuzz-}" {} +
  tar -C "$work/new" -czf "$out/corpus/$target.tar.gz" "${target#fuzz-}"
done >"$out/summary.txt"
cat "$out/summary.txt"
grep -q ' [1-9][0-9]* findings' "$out/summary.txt" && exit 1
exit 0
