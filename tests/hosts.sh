#!/bin/sh
# SPDX-License-Identifier: MIT
# hosts.sh - prepare a host of another kind: libraries, and the cross file build/hosts/NAME.ini
#
#   tests/hosts.sh s390x    big-endian, 64 bits, under qemu
#   tests/hosts.sh armhf    little-endian, 32 bits, under qemu
#   tests/hosts.sh i386     little-endian, 32 bits; a kernel for x86-64 runs it as it is
#   tests/hosts.sh musl     another libc; Debian has no libelf for it, so only the rooms that read files
#
# Needs a Debian with its cross compilers; packages are unpacked below build/hosts and not installed.
set -eu
cd "$(dirname "$0")/.."
name=$1
hosts=$PWD/build/hosts
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mkdir -p "$hosts"

# quietly COMMAND...: its output only if it fails
quietly() {
	"$@" >"$hosts/$name.log" 2>&1 || { tail -30 "$hosts/$name.log" >&2; return 1; }
}

# root_of ARCH: a folder with the libraries of that architecture
root_of() {
	root=$hosts/$1-root
	[ ! -e "$root.done" ] || return 0
	rm -rf "$root"
	wanted=libc6-dev,libcmocka-dev,libdw-dev,libelf-dev,libiberty-dev,liblzma-dev,libzstd-dev
	wanted=$wanted,linux-libc-dev,zlib1g-dev
	quietly debootstrap --arch="$1" --foreign --variant=minbase \
		--include="$wanted" \
		"$suite" "$root"
	for package in "$root"/var/cache/apt/archives/*.deb; do
		dpkg -x "$package" "$root"
	done
	# the emulator takes a path from there if it is there: these are to be this machine's
	for folder in dev proc run sys tmp var; do
		rm -rf "${root:?}/$folder"
	done
	touch "$root.done"
}

# crossed ARCH TRIPLET CPU ENDIAN OPTION LIBRARIES STARTER: STARTER OPTION LIBRARIES PROGRAM... runs a program of the
# host
crossed() {
	root_of "$1"
	libraries=$(echo "$6" | sed "s,ROOT,$root,g")
	starter=$(echo "$7" | sed "s,ROOT,$root,g")
	printf '#!/bin/sh\nexec %s %s %s %s/build/%s/src/cli/sonde "$@"\n' "$starter" "$5" "$libraries" "$PWD" "$1" \
		>"$hosts/sonde-$1"
	chmod +x "$hosts/sonde-$1"
	cat >"$hosts/$1.ini" <<-END
		[binaries]
		c = ['$2-gcc', '--sysroot=$root']
		ar = '$2-ar'
		objcopy = '$2-objcopy'
		strip = '$2-strip'
		pkgconfig = 'pkg-config'
		exe_wrapper = ['$starter', '$5', '$libraries']
		[properties]
		needs_exe_wrapper = true
		sys_root = '$root'
		pkg_config_libdir = ['$root/usr/lib/$("$2-gcc" -print-multiarch)/pkgconfig']
		sonde = '$hosts/sonde-$1'
		[host_machine]
		system = 'linux'
		cpu_family = '$3'
		cpu = '$3'
		endian = '$4'
	END
}

# source_of PACKAGE: unpacks Debian's source of it below build/hosts/musl-src
source_of() {
	for dsc in "$hosts"/musl-src/"$1"_*.dsc; do
		quietly dpkg-source --no-check -x "$dsc" "$hosts/musl-src/$1"
	done
}

# What the readers need, built for musl: Debian has only the libc.
musl_libraries() {
	prefix=$hosts/musl-root
	[ ! -e "$prefix.done" ] || return 0
	rm -rf "$prefix" "$hosts/musl-src" "$hosts/musl-apt"
	mkdir -p "$prefix" "$hosts/musl-src" "$hosts/musl-apt/lists/partial"
	sed 's/^Types: .*/Types: deb-src/; s/^deb /deb-src /' /etc/apt/sources.list.d/debian.sources \
		>"$hosts/musl-apt/debian.sources"
	apt="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$hosts/musl-apt"
	apt="$apt -o Dir::State::lists=$hosts/musl-apt/lists"
	# shellcheck disable=SC2086  # a list of words
	quietly apt-get $apt update
	# shellcheck disable=SC2086
	(cd "$hosts/musl-src" && quietly apt-get $apt source --download-only zlib libzstd cmocka)
	for package in zlib libzstd cmocka; do
		source_of "$package"
	done
	(cd "$hosts/musl-src/zlib" && export CC=musl-gcc && quietly ./configure --static --prefix="$prefix" &&
		quietly make install)
	quietly make -C "$hosts/musl-src/libzstd/lib" CC=musl-gcc PREFIX="$prefix" libzstd.a install-static \
		install-includes install-pc
	quietly cmake -S "$hosts/musl-src/cmocka" -B "$hosts/musl-src/cmocka/build" -DCMAKE_C_COMPILER=musl-gcc \
		-DBUILD_SHARED_LIBS=OFF \
		-DWITH_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib
	quietly cmake --build "$hosts/musl-src/cmocka/build" --target install
	touch "$prefix.done"
}

case $name in
s390x) crossed s390x s390x-linux-gnu s390x big -L ROOT qemu-s390x ;;
armhf) crossed armhf arm-linux-gnueabihf arm little -L ROOT qemu-arm ;;
i386)
	crossed i386 i686-linux-gnu x86 little --library-path ROOT/lib/i386-linux-gnu:ROOT/usr/lib/i386-linux-gnu \
		ROOT/lib/ld-linux.so.2
	;;
musl)
	musl_libraries
	# the headers of the kernel lie beside those of the other libc, which come last
	cat >"$hosts/musl.ini" <<-END
		[binaries]
		c = 'musl-gcc'
		pkgconfig = 'pkg-config'
		[built-in options]
		c_args = ['-idirafter', '/usr/include', '-idirafter', '/usr/include/$(gcc -print-multiarch)']
		[properties]
		pkg_config_libdir = ['$prefix/lib/pkgconfig']
		[host_machine]
		system = 'linux'
		cpu_family = '$(uname -m)'
		cpu = '$(uname -m)'
		endian = 'little'
	END
	;;
*)
	echo "hosts.sh: there is no host '$name'" >&2
	exit 2
	;;
esac
