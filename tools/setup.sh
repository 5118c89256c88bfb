# SPDX-License-Identifier: Apache-2.0
#
# What quickstart, check and bundle share: packages, ptxas, a preset's build. To be sourced.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# as_root COMMAND...
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else fail "packages are to be installed, and there is no sudo: run this as root: $*"; fi
}

# logged FILE COMMAND...: its output goes to a file, and is shown if it fails.
logged() {
  local log=$1; shift
  "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "'$*' failed; all of its output is in $log"; }
}

# LLVM 22 is in Debian 12's security archive, which a bare debootstrap does not list.
find_llvm() {
  apt-cache show llvm-22-dev >/dev/null 2>&1 && return
  . /etc/os-release
  [ "${VERSION_CODENAME:-}" = bookworm ] ||
    fail "found no package llvm-22-dev for ${PRETTY_NAME:-this system}: add LLVM's own packages (https://apt.llvm.org, version 22), then run this again"
  echo "LLVM 22 comes from bookworm-security; adding /etc/apt/sources.list.d/bookworm-security.list"
  echo "deb http://deb.debian.org/debian-security bookworm-security main" |
    as_root tee /etc/apt/sources.list.d/bookworm-security.list >/dev/null
  logged build/apt.log as_root apt-get update
}

install_packages() {
  local wanted missing=() name
  command -v apt-get >/dev/null || fail "found no apt-get: this script is for Debian 12; docs/building.md says what else to install by hand"
  mapfile -t wanted < <(sed 's/#.*//; s/ *$//; /^$/d' tools/debian-packages)
  for name in "${wanted[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done
  [ ${#missing[@]} = 0 ] && return
  say "Installing ${#missing[@]} packages: ${missing[*]} (280 MB to download, 2 GB on disk)"
  logged build/apt.log as_root apt-get update
  find_llvm
  logged build/apt.log as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

# Sets ptxas to NVIDIA's assembler, or to nothing. Only tests use it: GPUs' drivers bring their own.
find_ptxas() {
  local ours=build/ptxas/nvidia/cu13/bin/ptxas
  if [ ! -x $ours ] && ! command -v ptxas >/dev/null && [ ! -x /usr/local/cuda/bin/ptxas ]; then
    say "Fetching ptxas, NVIDIA's assembler, into build/ptxas (37 MB)"
    python3 -m pip install --quiet --no-deps --target build/ptxas nvidia-cuda-nvcc==13.0.88 >build/ptxas.log 2>&1 ||
      echo "not to be had (build/ptxas.log): PTX is compiled, but not assembled"
  fi
  ptxas=$(PATH=$PATH:$PWD/${ours%/*}:/usr/local/cuda/bin command -v ptxas || true)
}

# build_preset PRESET TIME [TARGET...]: TIME is what it takes.
build_preset() {
  local preset=$1 takes=$2 gigabytes jobs lines=0; shift 2
  gigabytes=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1000000))
  jobs=${JOBS:-$(nproc)}
  [ "$jobs" -le $((gigabytes / 2 + 1)) ] || jobs=$((gigabytes / 2 + 1)) # a compiler takes up to 1.5 GB
  logged build/configure.log cmake --preset "$preset"
  say "Building build/$preset with $jobs compilers at once ($takes; nothing to do takes seconds)"
  if [ -t 1 ]; then
    NINJA_STATUS='[%f of %t, %e s] ' ninja -C "build/$preset" -j "$jobs" "$@"
  else # a line in twenty, and whatever goes wrong
    NINJA_STATUS='[%f of %t, %e s] ' ninja -C "build/$preset" -j "$jobs" "$@" |
      while IFS= read -r line; do
        [[ $line == \[* && $((++lines % 20)) != 0 ]] || printf '%s\n' "$line"
      done
  fi
}
