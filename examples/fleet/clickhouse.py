#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clickhouse.py - questions to a ClickHouse cluster that is loaded by `sonde export --to clickhouse`

    clickhouse.py [-p NAME=VALUE]... --load DIR... QUERY.sql...

Starts two servers on free ports of this machine, with their data in a temporary directory, as two shards of a cluster
named fleet; makes the tables of clickhouse/schema.sql; loads each DIR, whose rows go to a shard by their host; prints
the rows of each answer, values between tabs; and stops the servers. A real cluster has its servers elsewhere: the rest
is the same.
"""
import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = ("modules", "frames", "stacks", "runs", "samples")
PORTS = ("http_port", "tcp_port", "interserver_http_port")
START_S = 60

CONFIG = """<yandex>
  <logger><level>warning</level><log>{place}/log</log><errorlog>{place}/errors</errorlog></logger>
  {ports}
  <listen_host>127.0.0.1</listen_host>
  <path>{place}/data/</path><tmp_path>{place}/tmp/</tmp_path>
  <users_config>users.xml</users_config><default_profile>default</default_profile>
  <default_database>default</default_database><mark_cache_size>16777216</mark_cache_size>
  <remote_servers><fleet>{shards}</fleet></remote_servers>
</yandex>
"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"
USERS = """<yandex>
  <profiles><default><max_threads>2</max_threads></default></profiles>
  <users><default>
    <password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
  </default></users>
  <quotas><default></default></quotas>
</yandex>
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Node:
    """A server with its own directory and ports."""
    def __init__(self, place, ports, shards):
        self.url = f"http://127.0.0.1:{ports[0]}/?"
        os.mkdir(place)
        with open(os.path.join(place, "config.xml"), "w", encoding="utf-8") as f:
            f.write(CONFIG.format(place=place, shards=shards,
                                  ports="".join(f"<{n}>{p}</{n}>" for n, p in zip(PORTS, ports))))
        with open(os.path.join(place, "users.xml"), "w", encoding="utf-8") as f:
            f.write(USERS)
        self.log = os.path.join(place, "output")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["clickhouse-server", f"--config-file={place}/config.xml"], cwd=place,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def send(self, query, data=None):
        """The answer to a query; `data`: what it inserts."""
        if data is None:
            request = urllib.request.Request(self.url, query.encode())
        else:
            request = urllib.request.Request(self.url + urllib.parse.urlencode(
                {"query": query, "insert_distributed_sync": 1}), data)
        try:
            with urllib.request.urlopen(request, timeout=START_S) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as e:
            sys.exit(f"clickhouse.py: {e.read().decode().strip()}\n{query}")

    def wait(self):
        """Until it answers. A port may have been taken meanwhile: False if the server has ended."""
        until = time.monotonic() + START_S
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with urllib.request.urlopen(self.url + "query=select%201", timeout=START_S):
                    return True
            except OSError:
                time.sleep(0.05)
        return False

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)    # the data are temporary
        self.process.wait()


def start(folder):
    for attempt in range(5):
        ports = [free_ports(len(PORTS)) for _ in range(2)]
        shards = "".join(SHARD.format(p[PORTS.index("tcp_port")]) for p in ports)
        nodes = [Node(os.path.join(folder, f"node{attempt}.{i}"), p, shards) for i, p in enumerate(ports)]
        if all([node.wait() for node in nodes]):
            return nodes
        for node in nodes:
            node.stop()
    with open(nodes[0].log, encoding="utf-8", errors="replace") as f:
        sys.exit("clickhouse.py: no server starts: " + f.read()[-500:])


def statements(path):
    with open(path, encoding="utf-8") as f:
        lines = [line for line in f if not line.startswith("--")]
    return [s for s in "".join(lines).split(";\n") if s.strip()]


def literal(value):
    return value if value.isdigit() else "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--load", action="append", default=[], metavar="DIR")
    parser.add_argument("queries", nargs="*")
    args = parser.parse_args()
    values = dict(p.split("=", 1) for p in args.p)
    folder = tempfile.mkdtemp(prefix="sonde-clickhouse-")
    nodes = []
    try:
        nodes = start(folder)
        for node in nodes:
            for statement in statements(os.path.join(HERE, "clickhouse", "schema.sql")):
                node.send(statement)
        for i, place in enumerate(args.load):
            for table in TABLES:
                with open(os.path.join(place, table + ".rowbinary"), "rb") as f:
                    nodes[i % 2].send(f"INSERT INTO {table} FORMAT RowBinary", f.read())
        for path in args.queries:
            with open(path, encoding="utf-8") as f:
                sql = re.sub(r"\$(\w+)", lambda m: literal(values[m[1]]), f.read())
            print(nodes[0].send(sql + " FORMAT TabSeparatedWithNames"))
    finally:
        for node in nodes:
            node.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
