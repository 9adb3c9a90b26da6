# SPDX-License-Identifier: MIT
"""bpf_load.py - loads a small BPF program of two functions, with their types, through bpf(2)"""
import ctypes
import os
import platform
import struct

BPF_PROG_LOAD, BPF_BTF_LOAD = 5, 18
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
    """BTF: int (1), its function without parameters (2), NAME_main (3), NAME_helper (4)"""
    names = [name + b'_main\0', name + b'_helper\0']
    strings = b'\0int\0' + names[0] + names[1]
    entries = struct.pack('<IIII', strings.index(b'int\0'), KIND_INT << 24, 4, 1 << 24 | 32)
    entries += struct.pack('<III', 0, KIND_FUNC_PROTO << 24, 1)
    for function in names:
        entries += struct.pack('<III', strings.index(function), KIND_FUNC << 24, 2)
    header = struct.pack('<HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(entries), len(entries), len(strings))
    data = header + entries + strings
    return ctypes.create_string_buffer(data, len(data)), len(data)


def load(name):
    """
    The descriptor of a program of this name, at most 15 bytes, which is unloaded when it is closed; OSError where that
    is not permitted
    """
    btf, size = types(name.encode())
    btf_fd = bpf(BPF_BTF_LOAD, struct.pack('=QQIII', address(btf), 0, size, 0, 0) + bytes(4))
    # call the next function but one; exit; r0 = 0; exit
    code = struct.pack('<BBhi', 0x85, 0x10, 0, 1) + struct.pack('<BBhi', 0x95, 0, 0, 0)
    code += struct.pack('<BBhi', 0xb7, 0, 0, 0) + struct.pack('<BBhi', 0x95, 0, 0, 0)
    insns = ctypes.create_string_buffer(code, len(code))
    functions = ctypes.create_string_buffer(struct.pack('=IIII', 0, 3, 2, 4), 16)
    text = ctypes.create_string_buffer(b'GPL')
    attr = struct.pack('=IIQQIIQII16sIIIIQIIQI', SOCKET_FILTER, len(code) // 8, address(insns), address(text), 0, 0, 0,
                       0, 0, name.encode(), 0, 0, btf_fd, 8, address(functions), 2, 0, 0, 0) + bytes(4)
    try:
        return bpf(BPF_PROG_LOAD, attr)
    finally:
        os.close(btf_fd)
