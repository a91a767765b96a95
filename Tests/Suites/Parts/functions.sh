# What the suites share that are written for the shell. Each begins with `source "$(dirname "$0")/Parts/functions.sh"`, and is then
# in the checkout's folder.
set -euo pipefail
suite="$(basename "$0")"
parts="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cd "$parts/../../.."

say() { echo "$suite: $*" >&2; }

# Exit codes that say why a suite didn't run: 2, it was called wrongly; 4, this machine lacks what it needs.
misused() { say "$@"; exit 2; }
unavailable() { say "not available here: $*"; exit 4; }

# Whether this can install something without asking for a password.
can_install() { command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

install() { # PACKAGE...
  can_install || return 1
  local command=(as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@")
  say "installing: $*"
  # A list of packages may be older than the packages.
  "${command[@]}" >/dev/null 2>&1 || { as_root apt-get update >/dev/null 2>&1 && "${command[@]}" >/dev/null 2>&1; }
}

# Ends the suite where a program is missing and can't be installed.
need() { # PROGRAM PACKAGE
  command -v "$1" >/dev/null || install "$2" && command -v "$1" >/dev/null || unavailable "there is no $1"
}

# Packages that are built beside the library's own, so that it is compiled once for all of them.
# The root's own commands name the trait with which all products are built; see Design/0028-what-is-fetched.md.
everything=(--traits Everything)
examples=(--package-path Examples --scratch-path .build)
bench=(--package-path bench --scratch-path .build)

# Builds the tests of a package, and names their program. Run by itself it leaves the package manager free to build the next
# package, which needs no word of the folder. Three packages share that, and so no plan is kept in it.
built() { # PACKAGE OPTION...
  swift build --build-tests --disable-build-manifest-caching "${@:2}" >&2
  echo "$PWD/.build/debug/$1PackageTests.xctest"
}
# One at a time within a process: tests count open descriptors.
test_options=(--testing-library swift-testing --no-parallel)

# Runs the library's tests with one of the compiler's sanitizers.
sanitized() { # SANITIZER OPTION...
  # The longest test takes ten times as long.
  export UV_TEST_LIMIT="${UV_TEST_LIMIT:-900}"
  # AddonTests starts programs that are built without a sanitizer.
  swift test "${everything[@]}" --sanitize="$1" --scratch-path ".build-$suite" --no-parallel --skip PackageTests --skip AddonTests "${@:2}"
  # A short soak of all there is.
  swift run --package-path bench --sanitize="$1" --scratch-path ".build-$suite" uvbench soak --operations 4000 --seed 1
}
