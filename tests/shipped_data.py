# SPDX-License-Identifier: MIT
"""shipped_data.py - the recordings of tests/data, which every clone has"""
import lzma
import os

folder = os.path.join(os.environ["SONDE_SOURCE"], "tests", "data")


def unpack(name):
    with lzma.open(os.path.join(folder, name + ".xz")) as f:
        return f.read()


def put(name, path):
    """The recording as a file; its path."""
    with open(path, "wb") as f:
        f.write(unpack(name))
    return path
