#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_code_handmade.py - report --html --source: the rows of annotate as data of the page, and as a view of it"""
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

SOURCE, SONDE = os.environ["SONDE_SOURCE"], os.environ["SONDE"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "tests"))
import each_byte  # noqa: E402
import html_browser  # noqa: E402

CC = os.environ.get("CC", "cc").split()
ROW = re.compile(r" +(\d+\.\d\d) :   +([0-9a-f]+):   +(.*)$")
INSTRUCTION = 2
# the end of a script element is text of the source
PROGRAM = """
__attribute__((noinline)) long hot(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += sum ^ i / 7; /* </script><!-- "quoted" \\ */
	return sum;
}

int main(int argc, char **argv)
{
	return hot(argc * 1000) == 7;
}
"""


def want(truth, what, shown=""):
    if not truth:
        sys.exit(f"FAILED: {what}\n{shown}")


def run(*words, status=0):
    done = subprocess.run([SONDE, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode and "capstone" in done.stderr:
        print("skipped: there is no capstone")
        sys.exit(77)
    want(done.returncode == status, " ".join(words), done.stderr)
    return done.stdout


def profile(recording, *words):
    """The data of a page."""
    path = os.path.join(os.path.dirname(recording), "page.html")
    run("report", "-i", recording, "--html", path, "-f", *words)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    os.remove(path) if not words else None
    return json.loads(re.search('<script type="application/json" id="profile">(.*?)</script>', text, re.S)[1]), path


def rows_are_those_of_annotate(recording):
    page, path = profile(recording, "--source", "--source-dir", os.path.dirname(recording))
    codes = {code["name"]: code for code in page["code"]}
    want(list(codes) == ["hot", "main"], "functions with samples, the hottest first", str(list(codes)))
    for name, code in codes.items():
        shown = [ROW.match(line).groups() for line in run("annotate", "-i", recording, "-s", name).splitlines()
                 if ROW.match(line)]
        counts = {row: samples for row, _, samples, _ in code["samples"]}
        whole = sum(counts.values())
        ours = [(f"{100 * counts.get(i, 0) / whole:.2f}", f"{int(code['start'], 16) + at:x}", code["text"][i])
                for i, at in enumerate(code["at"]) if code["kind"][i] == INSTRUCTION]
        want(ours == shown, f"rows of {name}", f"{ours}\n{shown}")
        strings, frames = page["strings"], page["frames"]
        want([strings[frames["symbol"][f]] for f in code["frames"]] == [name], "frames", str(code["frames"]))
        targets = [(row, target - 1) for row, target in enumerate(code["target"]) if target]
        want(all(code["text"][row].split()[1] == f"{int(code['start'], 16) + code['at'][target]:x}"
                 for row, target in targets), "targets of jumps", str(targets))
    hot = codes["hot"]
    want(any(hot["target"]), "a jump in a loop", str(hot["text"]))
    want(any('</script><!-- "quoted"' in text for text in hot["text"]), "a line of the source", str(hot["text"]))
    lines = {line for line, kind in zip(hot["line"], hot["kind"]) if kind != INSTRUCTION}
    want(6 in lines and {hot["files"][n - 1] for n in hot["file"] if n} == {"program.c"}, "lines", str(lines))
    return path


def view(path):
    """Each function of the table is opened by a key; false: there is no browser."""
    chromium = html_browser.find_chromium()
    if not chromium:
        return False
    with html_browser.Browser(chromium) as browser:
        browser.open(path)
        browser.run('[...document.querySelectorAll("#rows tr[data-frame]")].find(tr =>'
                    ' tr.cells[2].innerText === "hot").cells[2].click()')
        browser.settle()
        browser.key("c", "c")
        browser.settle()
        want(browser.run('document.getElementById("code").open'), "the key c opens the code")
        want(browser.run('document.querySelector("#code h2").innerText') == "hot", "the name of the function")
        shown = browser.run('[...document.querySelectorAll("#code tbody tr")].map(tr =>'
                            ' [...tr.cells].map(td => td.innerText))')
        want(any('</script><!-- "quoted"' in text for _, _, text in shown), "a line of the source", str(shown))
        title = browser.run('document.querySelector("#code tr.source[title]").title')
        want(title.startswith("program.c:"), "the file of a line", title)
        shares = sum(float(share.rstrip("%<")) for share, _, _ in shown if share)
        want(abs(shares - 100) < 1, "shares of the function", str(shown))
        browser.run('document.querySelector("#code td button").click()')
        want(browser.run('document.querySelectorAll("#code tr.target").length') == 1, "a click on a jump")
        height = browser.run('Math.min(...[...document.querySelectorAll("#code tbody tr")].map(tr => tr.offsetHeight))')
        want(height < 20, "a row is as high as its line", str(height))
        browser.size(390, 300)
        below = browser.run('document.querySelector("#code form").getBoundingClientRect().bottom - innerHeight')
        want(below <= 0, "Close is in sight, however long the code", str(below))
        want(browser.logged == [], "the console is empty", str(browser.logged))
    return True


def main():
    if platform.machine() != "x86_64":
        print("skipped: the recording is made for x86-64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        program, recording = os.path.join(folder, "program"), os.path.join(folder, "perf.data")
        with open(program + ".c", "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        subprocess.run([*CC, "-g", "-O1", "-w", "-o", program, program + ".c"], check=True)
        with open(recording, "wb") as f:
            f.write(each_byte.record(program, "(hot|main)$"))
        path = rows_are_those_of_annotate(recording)
        want("code" not in profile(recording)[0], "no code without --source")
        run("report", "-i", recording, "--stdio", "--source")
        path = profile(recording, "--source", "--source-dir", os.path.dirname(recording))[1]
        viewed = view(path)
        os.remove(program)
        want("code" not in profile(recording, "--source")[0], "no code without the binary")
        if not viewed:
            print("skipped in part: there is no Chromium")
            sys.exit(77)


main()
