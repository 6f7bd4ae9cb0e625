# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the suites share; sourced. A suite is one executable file that succeeds, fails, or is skipped
# with its reason as the last line.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/../common.sh"

skip() {
    echo "$*"
    exit 77
}

# ctest_label PRESET LABEL [ARGUMENT...]: the tree's tests of that label, with the tests it skipped
# and their reasons for scripts/test. No test of that label is a failure, not a pass.
ctest_label() {
    local status=0 log="build/$1/Testing/Temporary/LastTest.log"
    ctest --test-dir "build/$1" --label-regex "^$2\$" --no-tests=error --output-on-failure "${@:3}" || status=$?
    name_skips "$log"
    return "$status"
}

# GoogleTest prints "FILE:LINE: Skipped", the reason, and "[  SKIPPED ] NAME".
name_skips() {
    awk '/: Skipped$/ { getline reason } /^\[  SKIPPED \] .*\(.*ms\)$/ { print "SKIP: " $4 ": " reason }' "$1"
}

# pytest_in PATH...: a folder that is missing or has no test is a failure. Tests send signals, which
# processes ignore that a background job or nohup has started, and no shell can undo that.
pytest_in() {
    env --default-signal .venv/bin/python -m pytest -q -rs -p no:cacheprovider "$@"
}
