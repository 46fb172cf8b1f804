#!/bin/sh
# run.sh check|kernels|models|bench|compare|all [RESULTS [WEIGHTS]]: tests and measurements on this machine's GPU, from the folder that
# scripts/gpu-bundle made; docs/Testing.md, "A GPU". Needs the driver, a shell, awk, sed and tar, nothing else
# (compare: torch).
#
#   check    the conformance suite; then kernels and models
#   kernels  each kernel of each tiny model on random steps, fresh ones each time, against the artifact of the same model
#            for a CPU, which this machine's CPU runs (`adze check`)
#   models   each tiny model's tokens against those of the artifact for a CPU, and SmolLM2's against transformers', if
#            WEIGHTS (the folder beside the bundle) has the parts of its weights
#   bench    uploads and launches; kernels, steps and answers of Llama-3-8B's shape with generated weights
#   compare  the same kernels beside cuBLAS and cuDNN (gpu-vs-torch.py)
#
# Logs and JSON lie in RESULTS. The exit status is 1 where something failed, else 2 where something was skipped, which is
# no pass, else 0.
set -u
here=$(cd "$(dirname "$0")" && pwd)
what=${1:-all}
case $what in check | kernels | models | bench | compare | all) ;; *)
  echo "run.sh: '$what' is no step; accepted: check, kernels, models, bench, compare, all" >&2
  exit 1
  ;;
esac
mkdir -p "${2:-$here/results}"
results=$(cd "${2:-$here/results}" && pwd)
weights=${3:-}
[ -z "$weights" ] || weights=$(cd "$weights" && pwd) || exit 1
cd "$here"
[ -e models/list ] || tar -xzf artifacts.tar.gz || exit 1
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# Containers mount the driver where the loader does not look.
for drivers in /usr/local/nvidia/lib64 /usr/lib/wsl/lib; do
  [ ! -e "$drivers/libcuda.so.1" ] || export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$drivers"
done
failed=0
skipped=0
fail() {
  echo "FAILED: $1"
  failed=1
}
skip() {
  echo "skipped, $1"
  skipped=1
}

conformance() {
  echo "== conformance"
  timeout 240 ./ConformanceTests --gtest_output=json:"$results/conformance.json" >"$results/conformance.log" 2>&1 ||
    fail "ConformanceTests"
  grep -E '^\[ +(PASSED|FAILED|SKIPPED) +\]|^\[=+\]|Failure$' "$results/conformance.log" | tail -40
  if grep -q '^\[  SKIPPED \] .*Gpu' "$results/conformance.log"; then
    fail "tests of the GPU were skipped; the reason: $(grep -A 1 ': Skipped' "$results/conformance.log" | tail -1)"
  fi
}

# tokens NAME ARTIFACT PROMPTS REQUESTS: the answers' ids, a line each, in RESULTS/NAME.tokens.
tokens() {
  timeout 120 ./adze run "$2" --batch "$3" --requests "$4" --greedy --ignore-eos --quiet \
    >"$results/$1.json" 2>"$results/$1.log" || return 1
  sed 's/.*"tokens":\[\([0-9,]*\)\].*/\1/' "$results/$1.json" >"$results/$1.tokens"
}

# compare_tokens NAME EXPECTED LEAST: counts ids up to the first difference of each line; fails below LEAST percent.
compare_tokens() {
  awk -F, -v name="$1" -v least="$3" '
    NR == FNR { expected[FNR] = $0; lines = FNR; next }
    { count = split(expected[FNR], wanted, ","); all += count; got = FNR
      for (i = 1; i <= count && i <= NF && $i == wanted[i]; ++i) ++equal }
    END {
      good = got == lines && all > 0 && 100 * equal >= least * all
      printf "%-28s %5d of %5d greedy tokens equal, at least %d %% wanted: %s\n", name, equal, all, least, good ? "ok" : "NOT OK"
      exit !good
    }' "$2" "$results/$1.tokens"
}

check_model() { # NAME ARTIFACT PROMPTS EXPECTED LEAST
  for requests in 1 5; do
    if tokens "$1.$requests" "$2" "$3" "$requests"; then
      compare_tokens "$1.$requests" "$4" "$5" || fail "$1 with $requests requests at once"
    else
      fail "$1 gave no answer: $(tail -3 "$results/$1.$requests.log")"
    fi
  done
}

kernels() {
  echo "== kernels: on random steps, against those of a CPU"
  while read -r name least; do
    if timeout 120 ./adze check "models/$name.adze" --against "models/$name.cpu.adze" >"$results/$name.kernels" 2>&1; then
      sed "1s/^/$name: /; 1b; \$b; /^  not compared/b; d" "$results/$name.kernels"
    else
      cat "$results/$name.kernels"
      fail "kernels of $name"
    fi
  done <models/list
}

models() {
  echo "== models: tokens against those of a CPU, alone and five requests at once"
  while read -r name least; do
    check_model "$name" "models/$name.adze" models/prompts.jsonl "models/$name.tokens" "$least"
  done <models/list
  echo "== SmolLM2: tokens against those of transformers in f32"
  if [ ! -e smollm2/list ]; then
    skip "the bundle has no SmolLM2"
    return
  fi
  while read -r name hash least; do
    if [ -z "$weights" ]; then
      skip "no weights: $name"
      continue
    fi
    cat "$weights/$hash".part* >"smollm2/$name.adze/weights.bin" || { fail "$name: its parts are not in $weights"; continue; }
    ./adze verify "smollm2/$name.adze" >"$results/$name.log" 2>&1 || { fail "$name: $(cat "$results/$name.log")"; continue; }
    check_model "$name" "smollm2/$name.adze" smollm2/prompts.jsonl smollm2/tokens "$least"
  done <smollm2/list
}

# generate NAME: the weights of an artifact, once; its folder is then $place/NAME.adze. 20 GB go into memory where there is
# room for them, since a disk may take minutes.
place=bench
generate() {
  if [ $place = bench ] && [ "$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')" -gt 25000000 ] 2>/dev/null; then
    place=/dev/shm/adze-bundle.$$
    trap 'rm -rf "$place"' EXIT
    trap 'exit 1' INT TERM HUP
    cp -r bench "$place"
  fi
  [ -e "$place/$1.adze/weights.bin" ] || ./adze bench weights "$place/$1.adze" --seed 1 || fail "no weights for $1"
}

# table NAME COMMAND...: text for people on standard output, JSON in RESULTS/NAME.json
table() {
  name=$1
  shift
  timeout 240 ./adze "$@" --output "$results/$name.json" 2>"$results/$name.log" ||
    fail "$name: $(tail -3 "$results/$name.log")"
}

bench() {
  echo "== uploads and launches"
  timeout 240 ./device-benchmark >"$results/device-benchmark.json" || fail "device-benchmark"
  cat "$results/device-benchmark.json"
  echo "== Llama-3-8B with generated weights"
  generate kernels
  generate model
  table kernels bench kernel "$place/kernels.adze" --tokens 1,16,64,1024,4096,32 --requests 1,16,64,1,1,32 \
    --history 1024,1024,1024,0,0,4095
  table steps bench step "$place/model.adze" --tokens 1,1,16,64,2048 --requests 1,1,16,64,1 --history 1024,7168,1024,1024,0 \
    --repetitions 20
  table answers bench model "$place/model.adze" --prompt-tokens 128,1024,4096 --batch 1,16,64 --repetitions 3
}

compare() {
  echo "== beside torch"
  if ! python3 -c 'import torch' 2>"$results/torch.log"; then
    skip "no torch: $(tail -1 "$results/torch.log")"
    return
  fi
  generate kernels
  generate model
  python3 gpu-vs-torch.py --adze ./adze --kernels "$place/kernels.adze" --model "$place/model.adze" \
    -o "$results/gpu-vs-torch.json" || fail "gpu-vs-torch.py"
}

! command -v nvidia-smi >/dev/null || nvidia-smi -L 2>&1
case $what in
check)
  conformance
  kernels
  models
  ;;
all)
  conformance
  kernels
  models
  bench
  compare
  ;;
*) $what ;;
esac
if [ $failed = 1 ]; then
  echo "== something FAILED"
  exit 1
fi
if [ $skipped = 1 ]; then
  echo "== nothing failed; what was skipped is not passed"
  exit 2
fi
echo "== all passed"
