# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs mpirun as a child, for run-mpirun, which sources this.
#
# mpirun returns 1 after any signal, and a rank that leaves on SIGTERM is not a crash, so the shell
# stays as its parent, passes the signal on and exits with 128 + signal.

child='' stopped='' relay=''

trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP
trap end_after_deadline USR1

# is_running_for SECONDS: waits that long for the child to end; fails when it has
is_running_for() {
    local deadline=$((SECONDS + $1))
    while kill -0 "$child" 2>/dev/null; do
        ((SECONDS < deadline)) || return 0
        sleep 0.1
    done
    return 1
}

# mpirun needs up to 4 s for ranks that do not leave by themselves; if it hangs, killing it still
# ends them. It takes a second signal for "do not clean up": that one stays here.
stop() {
    [[ -z $stopped ]] || return 0
    stopped=$1
    [[ -n $child ]] || exit "$stopped"
    kill -TERM "$child" 2>/dev/null || return 0
    ! is_running_for 8 || kill -KILL "$child" 2>/dev/null || true
}

readonly deadline_line='railgauge-[a-z0-9]+: (rank [0-9]+: )?(no rank got on for|no progress for) [0-9.]+ s in '

# mpirun waits for ever for the daemon of a node that died, even when all other ranks have left on
# their own deadline. They say so on stderr, so that is read on its way; Ctrl-C must not end the
# readers.
relay_errors() {
    trap '' INT TERM HUP
    tee -p >(grep -qm1 -E "$deadline_line" && kill -USR1 $$ && exec cat >/dev/null) >&2
}

# shellcheck disable=SC2317 # called by the trap
end_after_deadline() {
    ! is_running_for 6 || stop 5 # 4 s it needs when all is well
}

finish_relay() {
    local deadline=$((SECONDS + 2))
    [[ -n $relay ]] || return 0
    while kill -0 "$relay" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.02; done
}

# await_child: the child's status. A trapped signal also ends `wait`, which then says 128 + signal.
await_child() {
    local status=0
    while true; do
        status=0
        { wait "$child" || status=$?; } 2>/dev/null # bash would report a killed mpirun
        kill -0 "$child" 2>/dev/null || break
    done
    if ((status == 128 + $(kill -l USR1))); then # mpirun ended while the trap ran
        status=0
        { wait "$child" || status=$?; } 2>/dev/null
    fi
    return "$status"
}

# supervise local|remote WORD...: runs that line and returns its status, or exits after a signal.
# A session of its own: Ctrl-C reaches mpirun once (it takes a second one for "do not clean up").
# The death signal: if this shell is killed outright, mpirun and the ranks go too. No stdin: no rank
# reads it, and a background reader would be stopped by the terminal.
supervise() {
    local status=0 errors=2
    [[ $1 == local ]] || { exec {errors}> >(relay_errors) && relay=$!; }
    setsid setpriv --pdeathsig TERM -- "${@:2}" </dev/null 2>&"$errors" &
    child=$!
    [[ -z $relay ]] || exec {errors}>&-
    await_child || status=$?
    finish_relay
    [[ -z $stopped ]] || exit "$stopped"
    return "$status"
}
