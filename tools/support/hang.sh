# Ends commands that hang, and says what their threads wait for. Sourced by tools/test and ring.sh, not run.
#
# Builds with SHALE_WAITS note what every thread waits for (Sources/Engine/Platform/Threads/ThreadWaits.swift), and print it on
# SIGQUIT if SHALE_HANG_REPORT is set.

# Seconds without a line of output after which a command of the commit ring counts as hung.
silence_max=${SHALE_SILENCE:-600}

# descendants PROCESS: it and everything that it has started.
descendants() {
    local child
    printf '%s\n' "$1"
    for child in $(ps -o pid= --ppid "$1"); do descendants "$child"; done
}

# stop_tree PROCESS: ends it and everything that it has started. Nothing if PROCESS is empty.
stop_tree() {
    [ -n "$1" ] || return
    # shellcheck disable=SC2046
    kill -KILL $(descendants "$1") 2>/dev/null
}

# is_test_program PROCESS: whether it is one that prints its threads: a program of tests, not a shell or the build.
is_test_program() {
    case $(ps -o args= -p "$1") in
    *.xctest* | */kill-loop* | */schedules*) return 0 ;;
    *) return 1 ;;
    esac
}

# stop_hung PROCESS: what its threads wait for, then the end of it and of all that it has started.
stop_hung() {
    local process all
    all=$(descendants "$1")
    for process in $all; do
        if is_test_program "$process"; then kill -QUIT "$process" 2>/dev/null; fi
    done
    sleep 3
    # shellcheck disable=SC2086
    kill -KILL $all 2>/dev/null
}

# begun_in LOG: the tests that have begun and not ended. Of the cases of a test no ends are printed.
begun_in() {
    awk '{ gsub(/\033\[[0-9;]*m/, "") }
        /^◇ Test .* started\.$/ && !/^◇ Test (case|run) / { name = $0; sub(/^◇ Test /, "", name); sub(/ started\.$/, "", name); open[name] = 1 }
        /^(✔|✘) Test .* (passed|failed) after/ { name = $0; sub(/^(✔|✘) Test /, "", name); sub(/( with [0-9]+ test cases?)? (passed|failed) after.*/, "", name); delete open[name] }
        END { for (name in open) print "RUNNING " name }' "$1"
}

# watched COMMAND...: runs it and passes on what it prints. If that stops for too long, the command is stuck: it is ended, and the
# exit code is 124.
watched() {
    local pipe seen child line heard=$SECONDS status
    pipe=$(mktemp -u)
    seen=$(mktemp)
    mkfifo "$pipe" || return
    (
        export SHALE_HANG_REPORT=1
        exec 3>&-
        "$@"
    ) >"$pipe" 2>&1 &
    child=$!
    exec 3<"$pipe"
    rm -f "$pipe"
    while :; do
        if IFS= read -r -t 5 -u 3 line; then
            heard=$SECONDS
            printf '%s\n' "$line"
            printf '%s\n' "$line" >>"$seen"
            continue
        fi
        # Neither a whole line nor the end: what there is of a line is passed on.
        [ -z "$line" ] || {
            printf '%s' "$line"
            heard=$SECONDS
        }
        kill -0 "$child" 2>/dev/null || break
        [ $((SECONDS - heard)) -lt "$silence_max" ] || {
            printf 'FAILED: no output for %s s: stopped\n' "$silence_max"
            begun_in "$seen"
            stop_hung "$child"
            # What its threads wait for.
            while IFS= read -r -t 2 -u 3 line; do printf '%s\n' "$line"; done
            exec 3<&-
            rm -f "$seen"
            wait "$child" 2>/dev/null
            return 124
        }
        sleep 0.2
    done
    while IFS= read -r -t 1 -u 3 line; do printf '%s\n' "$line"; done
    exec 3<&-
    rm -f "$seen"
    wait "$child"
    status=$?
    return "$status"
}
