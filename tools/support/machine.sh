# Functions of the scripts that say what they do, build, and install missing packages. Sourced, not run.

say() { printf '%s\n' "$*" >&2; }

# quietly WHAT COMMAND...: runs the command and shows its output only if it fails.
quietly() {
    local what=$1 log started=$SECONDS
    shift
    log=$(mktemp)
    printf '%s ... ' "$what" >&2
    if "$@" >"$log" 2>&1; then
        printf 'done, %s s\n' "$((SECONDS - started))" >&2
        rm -f "$log"
    else
        local status=$?
        printf 'failed\n' >&2
        cat "$log" >&2
        rm -f "$log"
        return "$status"
    fi
}

# swift_build OPTION...: swift build. SwiftPM draws the order of several traits in each run, and another order compiles
# the library again. With fixed hashes the order stays.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

have_package() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

have_package_lists() { compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; }

# require_packages NAME...: the Debian packages NAME are installed when this returns.
require_packages() {
    if ! command -v swift >/dev/null; then
        say "Swift is not on the PATH. Install Swift 6.2 or newer: https://www.swift.org/install"
        return 1
    fi
    if ! command -v apt-get >/dev/null; then
        require_libraries
        return
    fi
    local missing=() name
    for name in "$@"; do have_package "$name" || missing+=("$name"); done
    [ "${#missing[@]}" -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        say "These packages are missing. Install them and start again:"
        say "    sudo apt-get update && sudo apt-get install ${missing[*]}"
        return 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    quietly "Updating the package lists" apt-get update -qq
    quietly "Installing ${missing[*]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# optional_packages NAME...: the same, or 1 without a word if they can't be installed here.
optional_packages() {
    local missing=() name
    command -v apt-get >/dev/null || return 1
    for name in "$@"; do have_package "$name" || missing+=("$name"); done
    [ "${#missing[@]}" -eq 0 ] && return 0
    [ "$(id -u)" -eq 0 ] || return 1
    export DEBIAN_FRONTEND=noninteractive
    { have_package_lists || apt-get update -qq; } >/dev/null 2>&1
    say "Installing ${missing[*]}"
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null 2>&1
}

# Elsewhere than on Debian: only says what is missing.
require_libraries() {
    local missing=() pair
    command -v pkg-config >/dev/null || return 0
    for pair in libzstd:zstd liblz4:lz4; do
        pkg-config --exists "${pair%%:*}" || missing+=("${pair##*:}")
    done
    [ "${#missing[@]}" -eq 0 ] && return 0
    say "These libraries are missing: ${missing[*]}. With Homebrew: brew install ${missing[*]}"
    return 1
}
