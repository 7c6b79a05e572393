#!/bin/sh
# Installs Aside from its tarball: ./install.sh [PREFIX], by default ~/.local. Run it inside the unpacked folder. With
# SHA256SUMS and the tarball one folder up, the tarball is checked first. Changes no rc file; `aside setup` does, when asked.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:-$HOME/.local}
cd "$here/.."
if [ -f SHA256SUMS ]; then
  sha256sum --check --ignore-missing SHA256SUMS || { echo "the tarball is not the one that was published; get it again" >&2; exit 1; }
fi
mkdir -p "$prefix/bin" "$prefix/share"
# Atomic rename, so that a running daemon keeps the old file.
cp "$here/bin/aside" "$prefix/bin/aside.new"
mv "$prefix/bin/aside.new" "$prefix/bin/aside"
cp -R "$here/share/." "$prefix/share/"
echo "aside is in $prefix/bin. Next: $prefix/bin/aside setup"
