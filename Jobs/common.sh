# Shared by the jobs: finds the checkout, installs what is missing, builds. Sourced, not run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# Installs those of the named Debian packages that are missing.
install_missing() {
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null ||
        fail "${missing[*]} must be installed, and there is no apt-get: use the package manager of this system"
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "${missing[*]} must be installed: run this as root, or install them first"
        sudo=(sudo)
    fi
    echo "installing ${missing[*]}"
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null ||
        fail "apt-get update failed: is there a network?"
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "apt-get could not install ${missing[*]}"
}

find_swift() {
    command -v swift >/dev/null ||
        fail "Swift is not installed: install Swift 6.2 or later from swift.org, and put it on PATH"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    [ "$(printf '%s\n6.2\n' "$version" | sort -V | head -n 1)" = 6.2 ] ||
        fail "Swift $version is too old: 6.2 or later is needed"
}

# Prints the name of a build of this checkout: TIME.NUMBER.COMMIT. It grows with every commit, whatever the time zone
# and the clock of the committer: TIME is the latest of all commits, in UTC, and NUMBER counts them.
build_name() {
    local time changed=
    time=$(git -C "$root" log --format=%ct 2>/dev/null | sort -n | tail -n 1)
    [ -n "$time" ] || return 0
    [ -z "$(git -C "$root" status --porcelain --untracked-files=no)" ] || changed=.changed
    echo "$(date -u -d "@$time" +%Y%m%d%H%M%S).$(git -C "$root" rev-list --count HEAD).$(
        git -C "$root" log -1 --format=%h)$changed"
}

libraries=(
    libsqlite3-dev libhiredis-dev libxxhash-dev libjwt-dev zlib1g-dev libyaml-dev libssl-dev libcurl4-openssl-dev
    libarchive-dev libfaiss-dev libstdc++-12-dev
)
browser=(chromium chromium-driver python3-venv)
spark=(openjdk-17-jre-headless python3-venv)
