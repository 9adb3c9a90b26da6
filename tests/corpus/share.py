# SPDX-License-Identifier: MIT
"""share.py - the recordings of the corpus that a test looks at"""
import os
import sys
import zlib

SANITIZER_SHARE = 3


def share(paths):
    """All of them, and under a sanitizer, with which a command takes five times as long, each third one.

    The release build compares the results for all. A sanitizer looks for errors in the code, which is the same for the
    recordings of one kind; each test takes another third.
    """
    if os.environ.get("SONDE_SANITIZE", "none") == "none":
        return list(paths)
    first = zlib.crc32(os.path.basename(sys.argv[0]).encode()) % SANITIZER_SHARE
    return list(paths)[first::SANITIZER_SHARE]
