# SPDX-License-Identifier: MIT
"""test_notebook.py - a notebook shows a profile: in Chromium, in the frame that _repr_html_() gives, also by Jupyter"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import sonde
from recordings import SOURCE, run, shipped
from html_browser import Browser, find_chromium

WAIT = ("new Promise(done => { const wait = () => document.documentElement.dataset.ready ? done(true) :"
        " setTimeout(wait, 5); wait() })")
def executed(folder):
    """The page that Jupyter makes of the notebook of python/examples, run over the perf.data of a folder."""
    kernel = os.path.join(folder, "data_dir", "kernels", "python3")
    os.makedirs(kernel)
    with open(os.path.join(kernel, "kernel.json"), "w", encoding="utf-8") as f:
        json.dump({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
                   "display_name": "sonde", "language": "python"}, f)
    shutil.copy(os.path.join(SOURCE, "python", "examples", "flame_graph.ipynb"), folder)
    own = {name: os.path.join(folder, name[8:].lower())
           for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    own["IPYTHONDIR"] = os.path.join(folder, "ipython")
    subprocess.run([sys.executable, "-m", "nbconvert", "--execute", "--to", "html", "flame_graph.ipynb"], cwd=folder,
                   env={**os.environ, **own}, capture_output=True, timeout=200, check=True)
    return os.path.join(folder, "flame_graph.html")


@unittest.skipUnless(find_chromium(), "there is no Chromium")
class Notebook(unittest.TestCase):
    def test_the_flame_graph_works_in_its_frame(self):
        with tempfile.TemporaryDirectory() as folder, sonde.open(shipped(folder, "callgraph.data")) as trace:
            profile = trace.profile()
            path = os.path.join(folder, "notebook.html")
            with open(path, "w", encoding="utf-8") as f:
                f.write("<!doctype html><meta charset=utf-8>" + profile._repr_html_())
            with Browser(find_chromium()) as browser:
                browser.open(path)
                self.assertEqual(browser.requests, ["file://" + path])
                self.check_frame(browser, profile)

    @unittest.skipUnless(importlib.util.find_spec("nbconvert") and importlib.util.find_spec("ipykernel"),
                         "there is no Jupyter: Debian's jupyter-nbconvert and python3-ipykernel")
    def test_jupyter_runs_the_notebook_of_the_examples(self):
        with tempfile.TemporaryDirectory() as folder:
            recording = shipped(folder, "callgraph.data")
            shutil.copy(recording, os.path.join(folder, "perf.data"))
            page = executed(folder)
            with sonde.open(recording) as trace, Browser(find_chromium()) as browser:
                profile = trace.profile()
                browser.open(page)
                self.assertEqual([r for r in browser.requests if not r.startswith(("file:", "data:"))], [])
                lines = browser.run("document.body.innerText").splitlines()
                for f in profile.functions()[:10]:
                    self.assertIn([str(f.self_samples), str(f.total_samples), f.name],
                                  [line.split(maxsplit=2) for line in lines])
                report = run("report", "--stdio", "--no-children", "-g", "none", "-n", "--sort", "sym", "-q", "-i",
                             recording)
                self.assertEqual(report.split("\n", 1)[0].split()[1], str(profile.functions()[0].self_samples))
                browser.logged.clear()   # the page of Jupyter asks for MathJax, which may not be installed
                self.check_frame(browser, profile)

    def check_frame(self, browser, profile):
        """The sandboxed frame is a target of its own, which has its own messages."""
        frame = next((t for t in browser.call("Target.getTargets")["targetInfos"] if t["type"] == "iframe"), None)
        if not frame:
            self.skipTest("this Chromium has no target for the frame")
        browser.session = browser.call("Target.attachToTarget", targetId=frame["targetId"], flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network"):
            browser.call(domain + ".enable")
        self.assertTrue(browser.run(WAIT))
        rows = browser.run('[...document.querySelectorAll("#rows tr[data-frame] .symbol")].map(td => td.innerText)')
        self.assertEqual(rows[0], profile.functions()[0].name)
        # a zoom changes the address, which a frame without an address of its own must survive
        browser.run('document.querySelector("#rows tr[data-frame]").click()')
        self.assertEqual(browser.run("window.origin"), "null")
        self.assertEqual(browser.run("new Promise(done => setTimeout(() => done(1), 200))"), 1)
        self.assertEqual(browser.logged, [])


if __name__ == "__main__":
    unittest.main()
