# SPDX-License-Identifier: MIT
"""bpf_load.py - loads a small BPF program of two functions, with their types, through bpf(2)"""
import ctypes
import os
import platform
import struct
import time

BPF_PROG_LOAD, BPF_PROG_TEST_RUN, BPF_BTF_LOAD = 5, 10, 18
FILE, LINES = b'/src/loop.bpf.c', [(0, 5), (1, 6), (2, 10), (4, 12), (7, 14)]
SOCKET_FILTER = 1
KIND_INT, KIND_FUNC, KIND_FUNC_PROTO = 1, 12, 13
NUMBERS = {'x86_64': 321, 'aarch64': 280, 'riscv64': 280, 'ppc64le': 361, 's390x': 351}

libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attr):
    number = NUMBERS.get(platform.machine())
    if not number:
        raise OSError(0, 'the number of bpf(2) is not known here')
    buffer = ctypes.create_string_buffer(attr, len(attr))
    result = libc.syscall(number, command, buffer, len(attr))
    if result < 0:
        raise OSError(ctypes.get_errno(), 'bpf(2): ' + os.strerror(ctypes.get_errno()))
    return result


def address(data):
    return ctypes.addressof(data)


def types(name):
    """BTF: int (1), its function without parameters (2), NAME_main (3), NAME_helper (4); and the place of FILE"""
    names = [name + b'_main\0', name + b'_helper\0']
    strings = b'\0int\0' + names[0] + names[1] + FILE + b'\0'
    entries = struct.pack('<IIII', strings.index(b'int\0'), KIND_INT << 24, 4, 1 << 24 | 32)
    entries += struct.pack('<III', 0, KIND_FUNC_PROTO << 24, 1)
    for function in names:
        entries += struct.pack('<III', strings.index(function), KIND_FUNC << 24, 2)
    header = struct.pack('<HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(entries), len(entries), len(strings))
    data = header + entries + strings
    return ctypes.create_string_buffer(data, len(data)), len(data), strings.index(FILE)


def load(name):
    """
    The descriptor of a program of this name, at most 15 bytes, which is unloaded when it is closed; OSError where that
    is not permitted
    """
    btf, size, file = types(name.encode())
    btf_fd = bpf(BPF_BTF_LOAD, struct.pack('=QQIII', address(btf), 0, size, 0, 0) + bytes(4))
    # call the next function but one; exit; r0 = 0; r1 = 400; do r0 += 3; r1 -= 1; while r1; exit
    code = b''.join(struct.pack('<BBhi', *insn) for insn in (
        (0x85, 0x10, 0, 1), (0x95, 0, 0, 0), (0xb7, 0, 0, 0), (0xb7, 1, 0, 400), (0x07, 0, 0, 3), (0x17, 1, 0, 1),
        (0x55, 1, -3, 0), (0x95, 0, 0, 0)))
    insns = ctypes.create_string_buffer(code, len(code))
    functions = ctypes.create_string_buffer(struct.pack('=IIII', 0, 3, 2, 4), 16)
    lines = b''.join(struct.pack('=IIII', at, file, 0, line << 10 | 1) for at, line in LINES)
    line_info = ctypes.create_string_buffer(lines, len(lines))
    text = ctypes.create_string_buffer(b'GPL')
    attr = struct.pack('=IIQQIIQII16sIIIIQIIQI', SOCKET_FILTER, len(code) // 8, address(insns), address(text), 0, 0, 0,
                       0, 0, name.encode(), 0, 0, btf_fd, 8, address(functions), 2, 16, address(line_info),
                       len(LINES)) + bytes(4)
    try:
        return bpf(BPF_PROG_LOAD, attr)
    finally:
        os.close(btf_fd)


def run(fd, times):
    """Runs the program so many times; OSError where the kernel cannot"""
    packet = ctypes.create_string_buffer(64)
    bpf(BPF_PROG_TEST_RUN, struct.pack('=IIIIQQIIIIQQ', fd, 0, 64, 0, address(packet), 0, times, 0, 0, 0, 0, 0))


def run_for(fd, seconds):
    """Runs the program until this process has had a CPU for so long meanwhile: that takes longer on a busy machine"""
    end = time.process_time() + seconds
    while time.process_time() < end:
        run(fd, 20000)
