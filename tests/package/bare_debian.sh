#!/usr/bin/env bash
# Installs the Debian package into a bare Debian 12 and runs it there: what it needs must be what it says that it needs.
#   tests/package/bare_debian.sh BUILD [ROOT]
# BUILD is a build folder with the program in it; ROOT, where it is given, a folder to keep the bare system in for the next
# time. Needs root, debootstrap, dpkg-dev and Debian's archive; takes a minute or two, so it is no part of `./kiln check`.
set -euo pipefail
build=$(readlink -f "${1:?the build folder}")
kept=${2:-}
work=$(mktemp -d)
root=${kept:-$work/root}
trap 'rm -rf "$work"' EXIT

[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" >"$work/log" ||
  { tail "$work/log"; exit 1; }
(cd "$build" && cpack -G DEB -B "$work/packages" >"$work/log") || { cat "$work/log"; exit 1; }
package=$(ls "$work"/packages/kiln_*.deb)
dpkg-deb --info "$package" | grep -E "Version|Architecture|Depends"
cp "$package" "$root/tmp/kiln.deb"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update -q >"$work/log"
inside apt-get install -y -q --no-install-recommends /tmp/kiln.deb >"$work/log" || { tail "$work/log"; exit 1; }

inside kiln info
inside sh -c 'rm -rf /tmp/run && kiln run /usr/share/kiln/models/sorting.toml --mcs 20 --out /tmp/run --json | tail -1'
for file in model.toml run.json measures.csv cells.csv lattice.h5 checkpoint.h5 report.html pictures; do
  [ -e "$root/tmp/run/$file" ] || { echo "the run left no $file"; exit 1; }
done
[ -s "$root/usr/share/doc/kiln/copyright" ] || { echo "no licence"; exit 1; }
inside dpkg --remove kiln >"$work/log"
[ ! -e "$root/usr/bin/kiln" ] || { echo "removing it left the program"; exit 1; }
echo "installed, ran and removed"
