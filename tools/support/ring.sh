# The nightly and the release ring of tools/test. Sourced, not run. ShaleEngine.docc, "Tests".
#
# A ring is the list of steps in ring-steps.sh, run one after the other, each in one or more shares: a share is a process
# of its own with its own seed, and what has passed is not repeated when the same sources are tested again.

ring_scratch=.build-ring
ring_traits=Encryption
! $has_librados || ring_traits+=,RADOS
ring_build=(-c release -Xswiftc -enable-testing -Xswiftc -DSHALE_WAITS --traits "$ring_traits" --scratch-path "$ring_scratch")
# How many times as long as it should take a share may run before it counts as hung. More on a machine that does other things too.
patience=${SHALE_PATIENCE:-2}
running=''

# tests FILTER: a step's command that runs tests of the library, built with optimisation.
tests() {
    local output status
    output=$(mktemp)
    swift test "${ring_build[@]}" --skip-build --filter "$1" >"$output" 2>&1
    status=$?
    cat "$output"
    # A filter that meets nothing passes as well.
    grep -q 'Test run with [1-9]' "$output" || status=1
    rm -f "$output"
    return "$status"
}

# on_a_cluster COMMAND...: runs it with a cluster on loopback; says SKIPPED and succeeds where that can't be installed.
on_a_cluster() {
    local -x SHALE_CLUSTER SHALE_CLUSTER_CONFIGURATION
    local directory status
    if ! $has_librados; then
        say "SKIPPED: librados-dev is missing and can't be installed"
        return 0
    fi
    directory=$(mktemp -d)
    SHALE_CLUSTER=$directory/cluster
    SHALE_CLUSTER_CONFIGURATION=$(tools/cluster up --network)
    status=$?
    if [ "$status" -eq 0 ]; then
        "$@"
        status=$?
    elif [ "$status" -eq 77 ]; then
        status=0
    fi
    tools/cluster down
    rm -rf "$directory"
    return "$status"
}

# under_address_sanitizer FILTER: the same with AddressSanitizer. Not with optimisation: more of what is done is in the program then.
# The runner of the tests itself leaks a few hundred bytes, which must not count.
under_address_sanitizer() {
    local output status
    output=$(mktemp)
    ASAN_OPTIONS=detect_leaks=0 SHALE_RING=commit \
        swift test --sanitize=address --scratch-path .build-asan --filter "$1" >"$output" 2>&1
    status=$?
    cat "$output"
    grep -q 'Test run with [1-9]' "$output" || status=1
    rm -f "$output"
    return "$status"
}

# tree_state: what the outcome of a share depends on.
tree_state() {
    find Sources Tests tools Package.swift -type f -not -path '*/.build*' -print0 | sort -z |
        xargs -0 sha256sum | sha256sum | cut -c 1-16
}

# step NAME MINUTES NIGHTLY RELEASE COMMAND...: as described in ring-steps.sh.
step() {
    local name=$1 minutes=$2 count share
    [ "$ring" = nightly ] && count=$3 || count=$4
    shift 4
    if [ -n "$only" ] && [ "$only" != "$name" ]; then return; fi
    for ((share = 1; share <= count; share++)); do
        if [ -n "$only_share" ] && [ "$only_share" != "$share/$count" ]; then continue; fi
        run_share "$name" "$minutes" "$share/$count" "$@"
    done
}

# cpu_seconds LOG: the processor time that a share took.
cpu_seconds() { awk '/^CPU [0-9.]+ [0-9.]+$/ { sum = $2 + $3 } END { printf "%d", sum + 0.5 }' "$1"; }

# run_share NAME MINUTES I/N COMMAND...
run_share() {
    local name=$1 minutes=$2 share=$3 started=$SECONDS file status
    shift 3
    file=$state/$(printf '%s %s' "$name" "$share" | tr ' /' '-.')
    if [ -e "$file.passed" ]; then
        passed=$((passed + 1))
        note "$name $share" "passed before" 0
        return
    fi
    say "== $name, share $share ($(date +%H:%M:%S))"
    (
        export SHALE_RING=$ring SHALE_SEED=$seed SHALE_SHARE=$share SHALE_HANG_REPORT=1
        # Processor time says what a share costs, also on a machine that is busy with other things.
        TIMEFORMAT='CPU %U %S'
        time "$@"
    ) >"$file.log" 2>&1 &
    running=$!
    await "$running" $((minutes * 60 * patience))
    status=$?
    running=''
    if [ "$status" -eq 0 ]; then
        mv "$file.log" "$file.passed"
        passed=$((passed + 1))
        note "$name $share" "passed, $(cpu_seconds "$file.passed") s of CPU" "$((SECONDS - started))"
    else
        failed=$((failed + 1))
        note "$name $share" "FAILED" "$((SECONDS - started))"
        failure_in "$file.log" >&2
        remember "$name $share: $file.log" "$file.log"
        [ "$status" -eq 124 ] && say "It hung: stopped after $((minutes * patience)) minutes."
        say "Log: $file.log"
        say "Again: tools/test --$ring --seed $seed --only '$name' --share $share"
    fi
}

# await PROCESS SECONDS: its exit code; 124 if it had to be stopped, with all that it started, after its threads have said what
# they wait for.
await() {
    local process=$1 deadline=$((SECONDS + $2))
    while kill -0 "$process" 2>/dev/null; do
        if [ "$SECONDS" -ge "$deadline" ]; then
            stop_hung "$process"
            wait "$process" 2>/dev/null
            return 124
        fi
        sleep 1
    done
    wait "$process"
}

# run_ring: all steps of $ring. Begins anew unless what is under test and the seed are the same as the last time.
run_ring() {
    local state_of_tree
    state=$ring_scratch/$ring
    mkdir -p "$state"
    state_of_tree=$(tree_state)
    if $fresh || [ "$(head -1 "$state/tree" 2>/dev/null)" != "$state_of_tree" ] ||
        { [ -n "$seed" ] && [ "$(tail -1 "$state/tree")" != "$seed" ]; }; then
        rm -rf "$state"
        mkdir -p "$state"
        printf '%s\n%s\n' "$state_of_tree" "${seed:-$(date +%Y%m%d)}" >"$state/tree"
    fi
    seed=$(tail -1 "$state/tree")
    # A background process of a script does not hear of Ctrl-C.
    trap 'stop_tree "$running"; rm -f "$log" "$covered" "$failures"' EXIT
    say "== $ring ring, seed $seed, records in $state"
    check "tests build with optimisation" \
        swift build --build-tests "${ring_build[@]}" || return
    # shellcheck source=ring-steps.sh
    . "$root/tools/support/ring-steps.sh"
    covered_in "$state"/*.passed >>"$covered" 2>/dev/null
}
