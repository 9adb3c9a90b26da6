# SPDX-License-Identifier: MIT
"""duckdb.py - DuckDB of npm (tests/npm/install.sh) answers queries over Parquet files"""
import json
import os
import shutil
import subprocess

from reader import Wrong, environment, need, source

modules = os.path.join(source, "build", "npm", "node_modules")


class DuckDB:
    def __init__(self):
        need(os.path.isdir(os.path.join(modules, "@duckdb", "node-api")), "DuckDB (tests/npm/install.sh)")
        self.command = [need(shutil.which("node"), "node"), os.path.join(source, "tests", "npm", "duckdb.js"), modules]

    def ask(self, queries):
        """A list of rows for each query; numbers of 64 bits are texts."""
        r = subprocess.run(self.command, input=json.dumps(queries).encode(), capture_output=True, env=environment,
                           timeout=600)
        if r.returncode != 0:
            raise Wrong(f"DuckDB: {r.stderr.decode(errors='replace').strip()[:500]}")
        return json.loads(r.stdout)
