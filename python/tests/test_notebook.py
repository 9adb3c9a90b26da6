# SPDX-License-Identifier: MIT
"""test_notebook.py - a notebook shows a profile: in Chromium, in the frame that _repr_html_() gives"""
import os
import tempfile
import unittest

import sonde
from recordings import shipped
from html_browser import Browser, find_chromium

WAIT = ("new Promise(done => { const wait = () => document.documentElement.dataset.ready ? done(true) :"
        " setTimeout(wait, 5); wait() })")


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
