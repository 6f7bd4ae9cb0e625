# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What the scripts share; sourced. Leaves the caller in the repository's root.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root" || exit

# UTF-8 in every tool and file name, on machines without a locale too.
export LC_ALL=C.UTF-8
unset LANGUAGE

# RHEL keeps Open MPI off the PATH until its module is loaded.
if [[ -d /usr/lib64/openmpi/bin ]]; then PATH+=:/usr/lib64/openmpi/bin; fi

# A fresh checkout elsewhere finds what ccache knows: paths below the root count as relative.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() {
    printf '%s\n' "$*" >&2
}

fail() {
    say "$(basename -- "$0"): $*"
    exit 1
}

# logged NAME WORD...: runs a command with its output in build/logs/NAME.log
logged() {
    local log="build/logs/$1.log"
    shift
    mkdir -p build/logs
    "$@" >"$log" 2>&1 </dev/null
}

# Whether the preset's tree was configured, by this checkout: CMake refuses one that has moved.
is_configured() {
    [[ -f build/$1/build.ninja ]] &&
        grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "build/$1/CMakeCache.txt"
}

# configure PRESET TESTS: TESTS is ON or OFF (without them GoogleTest is not needed)
configure() {
    local options=(-D "RAILGAUGE_TESTS=$2")
    ! command -v ccache >/dev/null || options+=(-D CMAKE_CXX_COMPILER_LAUNCHER=ccache)
    is_configured "$1" || options+=(--fresh)
    cmake --preset "$1" "${options[@]}"
}

# build PRESET [TARGET...]
build() {
    cmake --build --preset "$1" --parallel "$(nproc)" ${2+--target "${@:2}"}
}
