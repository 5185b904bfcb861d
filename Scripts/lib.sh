# shellcheck shell=bash
# Shared by the scripts: detects and installs missing requirements. Sourced, never run.

# The repository's root, whatever the current directory.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The oldest Swift that can build the package: `.treatAllWarnings` was added in 6.2.
swift_minimum=6.2

say() { printf '%s\n' "$*"; }

# Prints an error, then hints, in the style of the commands: lower case, no full stop.
complain() {
    printf 'error: %s\n' "$1" >&2
    shift
    local hint
    for hint in "$@"; do printf 'hint: %s\n' "$hint" >&2; done
}

# step 2 4 "checking the style": a numbered line of progress.
step() { printf '\n[%s/%s] %s\n' "$1" "$2" "$3"; }

# timed STEP COMMAND…: runs the command, and adds its seconds to the file OFFERD_TIMES, which .ci/run prints.
timed() {
    local name=$1 from=$SECONDS status=0
    shift
    "$@" || status=$?
    if [[ -n ${OFFERD_TIMES:-} ]]; then printf '%5s  %s\n' "$((SECONDS - from))" "$name" >>"$OFFERD_TIMES"; fi
    return "$status"
}

missing=()

# need PACKAGE WHY COMMAND…: notes the Debian package as missing unless the command succeeds.
need() {
    local package=$1 why=$2
    shift 2
    if "$@" >/dev/null 2>&1; then return 0; fi
    say "missing: $package, for $why"
    missing+=("$package")
}

# Requirements for building and running the product.
need_build_packages() {
    need git "fetching the Swift libraries" command -v git
    need pkg-config "finding the C libraries" command -v pkg-config
    need libssl-dev "signing and verifying (OpenSSL 3)" pkg-config --atleast-version=3.0 libcrypto
    need libsqlite3-dev "the database (SQLite 3.37 or later)" pkg-config --atleast-version=3.37 sqlite3
    need zlib1g-dev "reading compressed exports" pkg-config --exists zlib
    need openssl "making keys and checking signatures" command -v openssl
}

# Additional requirements of the tests: independent implementations of signatures and of the calendar.
need_test_packages() {
    need python3 "the tests' independent judge" command -v python3
    need binutils "finding what the compiler got wrong" command -v objdump
    need sqlite3 "editing the ledger as an attacker would" command -v sqlite3
    need curl "running the documents' commands" command -v curl
    need prometheus "judging metrics and alerts (promtool)" command -v promtool
    need strace "showing that commits are flushed" command -v strace
    need python3-venv "the judges of the API, apart from other Python programs" python3 -c 'import ensurepip'
    need softhsm2 "signing with a key in a token" test -e /usr/lib/softhsm/libsofthsm2.so
    need libengine-pkcs11-openssl "signing with a key in a token" openssl engine pkcs11
    need postgresql "the tests on PostgreSQL" test -d /usr/lib/postgresql
    need python3-yaml "the runner of the conformance suite" python3 -c 'import yaml'
    need python3-cryptography "the tests' independent judge of signatures" python3 -c 'import cryptography'
}

# Installs the packages that need_… found missing, or prints how to and returns 2.
install_missing() {
    if ((${#missing[@]} == 0)); then
        say "nothing to install"
        return 0
    fi
    local command="apt-get install --yes --no-install-recommends ${missing[*]}"
    if ! command -v apt-get >/dev/null; then
        complain "these packages are missing: ${missing[*]}" \
            "the names are Debian's; install the same libraries and programs with this system's package manager"
        return 2
    fi
    local as_root=()
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            complain "installing needs root, and there is no sudo" "as root, run: apt-get update && $command"
            return 2
        fi
        as_root=(sudo)
    fi
    say "installing: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq || say "the package lists could not be brought up to date; trying with the old ones"
    # shellcheck disable=SC2086 # the command is a list of words
    if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive $command -qq; then
        complain "the packages could not be installed" "as root, run: apt-get update && $command"
        return 2
    fi
    missing=()
}

# Debian's package works only with Debian's python3; another python3 earlier in PATH needs the library from pip.
ensure_python_cryptography() {
    if python3 -c 'import cryptography' 2>/dev/null; then return 0; fi
    say "installing: cryptography from PyPI, because $(command -v python3) does not see Debian's package"
    if ! python3 -m pip install --quiet --disable-pip-version-check cryptography; then
        complain "python3 cannot import \`cryptography\`" "run: $(command -v python3) -m pip install cryptography"
        return 2
    fi
}

# The virtual environment of the tools that check openapi.yaml, the server and the workflows, with pinned versions.
judges=$root/.venv-test

# Installs the packages pinned in Scripts/requirements.txt into a virtual environment in this clone, if they are missing.
ensure_judges() {
    local wanted=$root/Scripts/requirements.txt
    if cmp --silent "$wanted" "$judges/installed.txt"; then
        say "using the judges of the API in ${judges#"$root/"} installed earlier"
        return 0
    fi
    say "installing the judges of the API from PyPI into ${judges#"$root/"} (about half a minute)"
    rm -rf "$judges"
    if ! python3 -m venv "$judges"; then
        complain "python3 cannot make a virtual environment" "on Debian: apt-get install python3-venv"
        return 2
    fi
    if ! "$judges/bin/python" -m pip install --disable-pip-version-check --no-input --progress-bar off \
        --requirement "$wanted" | awk '/^(Collecting|Installing|Successfully)/ { print; fflush() }'; then
        complain "what Scripts/requirements.txt lists could not be installed" \
            "check the way to PyPI, then run: $judges/bin/python -m pip install -r Scripts/requirements.txt"
        return 2
    fi
    cp "$wanted" "$judges/installed.txt"
}

# Returns 2 with a hint unless PATH has a recent enough Swift toolchain.
require_swift() {
    local where="get Swift $swift_minimum or later from https://www.swift.org/install and put its usr/bin into PATH"
    if ! command -v swift >/dev/null; then
        complain "there is no Swift toolchain" "$where"
        return 2
    fi
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
    if [[ -z $version ]]; then
        complain "\`swift --version\` does not tell a version" "$where"
        return 2
    fi
    if [[ $(printf '%s\n' "$swift_minimum" "$version" | sort --version-sort | head -n 1) != "$swift_minimum" ]]; then
        complain "Swift $version is too old" "$where"
        return 2
    fi
    say "Swift $version"
}

# What `build` makes and the tests use: debug, or release, the optimised programs.
configuration=${OFFERD_CONFIGURATION:-debug}
if [[ ! $configuration =~ ^(debug|release)$ ]]; then
    complain "there is no configuration \`$configuration\`" "set OFFERD_CONFIGURATION to debug or release"
    exit 2
fi
# shellcheck disable=SC2034 # used by the scripts that source this
bin=$root/.build/$configuration

# Runs `swift build` with the given arguments. With CI=true it shows every hundredth line of progress, otherwise all.
build() {
    local command=(swift build --configuration "$configuration")
    # The tests use what modules keep to themselves.
    if [[ $configuration == release ]]; then command+=(-Xswiftc -enable-testing); fi
    if [[ ! -d $bin ]]; then
        say "a first build takes about five minutes on two cores (ten in release), later ones half a minute"
    fi
    if [[ ${CI:-} == true ]]; then
        "${command[@]}" "$@" 2>&1 | awk '/^\[[0-9]+\/[0-9]+\]/ && NR % 100 { next } { print; fflush() }'
    else
        "${command[@]}" "$@"
    fi
}

# isolate FOLDER: keeps this script and what it starts from here on to this machine, and records in FOLDER what tries otherwise
# (Scripts/this_machine.c). To be called after what may be fetched is there.
isolate() {
    local folder
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
    attempts=$folder/attempts
    rm -f "$attempts"
    "${CC:-cc}" -shared -fPIC -O1 -Wall -Wextra -Werror -DRECORD="\"$attempts\"" -o "$folder/this_machine.so" \
        "$root/Scripts/this_machine.c" -ldl || return 1
    isolation=$folder/this_machine.so
    export LD_PRELOAD=$isolation${LD_PRELOAD:+:$LD_PRELOAD}
}

# stayed_here: fails, and says who wanted where, if anything tried to reach another machine since `isolate`.
stayed_here() {
    if [[ ! -s $attempts ]]; then return 0; fi
    complain "a program under test tried to reach another machine" \
        "give its server a local one to ask: \`appStoreServer\`, or \`notifications: { recheck: off }\`; $attempts lists:"
    sort "$attempts" | uniq -c | head -n 20 >&2
    return 1
}

# The commit of this clone for `--version`, or what OFFERD_COMMIT says; `+` marks uncommitted changes.
this_commit() {
    if [[ -n ${OFFERD_COMMIT+set} ]]; then
        printf '%s' "$OFFERD_COMMIT"
    else
        git -C "$root" describe --always --exclude '*' --abbrev=12 --dirty=+ 2>/dev/null || true
    fi
}

# release_build ARGUMENT…: runs `swift build` with the options for installed and measured programs (docs/decisions/0036).
release_build() {
    local flags=(--configuration release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic)
    # Loaders before glibc 2.36 do not support compact relative relocations.
    local glibc
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || glibc=
    if [[ $(printf '%s\n' "glibc 2.36" "$glibc" | sort --version-sort | head -n 1) == "glibc 2.36" ]]; then
        flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
    fi
    OFFERD_COMMIT=$(this_commit) swift build "${flags[@]}" "$@"
}
