#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perf_shell.py WORKLOAD [SCRIPT...]: perf's own shell tests of record, report, script, pipes and header, by sonde
perf_shell.py --table WORKLOAD [SCRIPT...]: all shell tests of both perfs, each as a whole, as a table

The scripts come with perf's package and are run where they lie, once with that perf and once with a `perf` in front of
it on PATH that calls sonde for the commands that sonde has; the real perf does the rest. A check that perf passes and
sonde does not is a failure, unless KNOWN says why. Beside a perf that writes COMPRESSED2, sonde records with --aligned
what is to be compressed, because the scripts count these records. Output is kept in the build folder.
"""
import concurrent.futures
import contextlib
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SKIP = 77
# of a script in which sonde does not pass what perf passes: several checks want a sample of a short moment
TRIALS = 3
SCRIPTS = ["data_file_offset_diagnostics", "record", "record_sideband", "record_lbr", "record_weak_term",
           "record+zstd_comp_decomp", "record+zstd_comp_decomp_multi_record", "perftool-testsuite_report",
           "perf-report-hierarchy", "script", "pipe_test", "header", "stat", "stat+csv_output", "stat+std_output",
           "stat+json_output", "stat+csv_summary", "stat+shadow_stat"]
OURS = "record report script stat"
ALL_OURS = OURS + " annotate buildid-list evlist list top"
LONGEST = 180           # seconds of a script
WHOLE = "all of it"     # the name of the one check of a script that does not name any

# "SCRIPT: CHECK": why sonde does not pass it
KNOWN = {
    "record: ratio-to-prev test": "the term ratio-to-prev of perf 7",
}

source = os.environ["SONDE_SOURCE"]
sonde = os.path.abspath(os.environ["SONDE"])
build = os.environ["SONDE_BUILD"]


def find_perf():
    """The newest perf with its shell tests: (command line, their folder, environment)."""
    newest = os.path.join(source, "..", "shared", "tools", "newest-perf")
    root = os.environ.get("NEWEST_PERF_ROOT", "/var/tmp/newest-perf")
    if os.access(newest, os.X_OK) and subprocess.run([newest, "--version"], capture_output=True).returncode == 0:
        tests = glob.glob(root + "/usr/lib*/perf-core/tests/shell/record.sh")
        loader = glob.glob(root + "/usr/lib64/ld-linux-*") + glob.glob(root + "/usr/lib/ld-linux-*")
        if tests and loader:
            libraries = ":".join(glob.glob(root + "/usr/lib/*-linux-gnu"))
            core = tests[0][:-len("/tests/shell/record.sh")]
            # without a path in its argv[0], since perf puts the folder of that in front of PATH
            command = f"{loader[0]} --argv0 perf --library-path {libraries} {root}/usr/bin/perf"
            return command, os.path.dirname(tests[0]), {"PERF_EXEC_PATH": core, "PYTHONHOME": root + "/usr"}
    return find_installed()


def find_installed():
    perf = shutil.which("perf")
    tests = glob.glob("/usr/lib*/perf-core/tests/shell/record.sh") if perf else []
    return (perf, os.path.dirname(tests[0]), {}) if tests else None


def reads_aligned(perf, environment):
    """Whether this perf writes COMPRESSED2 records, as perf does since 6.16."""
    said = subprocess.run([*perf.split(), "version"], env={**os.environ, **environment}, capture_output=True, text=True)
    version = re.search(r"version (\d+)\.(\d+)", said.stdout)
    return bool(version) and (int(version[1]), int(version[2])) >= (6, 16)


def wrap(folder, perf, environment, workload, ours):
    """A `perf` in FOLDER: the workloads are ours, the commands OURS are sonde's, the rest is perf's."""
    aligned = "record" if reads_aligned(perf, environment) else "none"
    os.makedirs(folder + "/workload")
    os.symlink(workload, folder + "/workload/perf")
    os.makedirs(folder + "/sonde")
    os.symlink(sonde, folder + "/sonde/perf")   # messages begin with the name that a program is called by
    variables = " ".join(f"{name}='{value}'" for name, value in environment.items())
    with open(folder + "/perf", "w") as f:
        f.write(f"""#!/bin/sh
if [ "$1" = test ]; then
	case "$2 $4" in
	*Symbols | "-w thloop" | "-w noploop" | "-w brstack") exec {folder}/workload/perf "$@" ;;
	esac
	case "$2 $3" in
	"-w thloop" | "-w noploop" | "-w brstack") exec {folder}/workload/perf "$@" ;;
	esac
fi
for command in {ours}; do
	if [ "$1" = "$command" ]; then
		# scripts in Python, and filters in C, are run by perf, on the recording of sonde
		case " $* " in
		" script"*" -s "* | " script"*" -g "* | " script"*" --script"* | " script"*" --dlfilter"* | \\
		" script report "* | " script record "*) ;;
		" {aligned} "*" -z"[0-9\ ]* | " {aligned} "*" --compression-level"*)
			shift
			exec {folder}/sonde/perf record --aligned "$@" ;;
		*) exec {folder}/sonde/perf "$@" ;;
		esac
	fi
done
exec env {variables} {perf} "$@"
""")
    os.chmod(folder + "/perf", 0o755)


def outcomes(output, status):
    """{check: (passed, failed or skipped, the line that says so)} of what a script has printed."""
    found = {}
    current = None

    def note(name, outcome, line):
        if found.get(name, ("",))[0] != "failed":
            found[name] = outcome, line

    for line in output.splitlines():
        suite = re.match(r"-- \[ (PASS|FAIL|SKIP) \] -- \S+ :: \S+ :: (.*?)(?: \(.*\)| :: testcase skipped)?$", line)
        verdict = re.search(r"\[(Success|Done|Failed|Skip)|^(SKIP)", line)
        if suite:
            note(suite[2], {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}[suite[1]], line)
        elif verdict:
            word = verdict[1] or verdict[2]
            name = current or line.split("[")[0].strip()
            note(name, {"Success": "passed", "Done": "passed", "Failed": "failed"}.get(word, "skipped"), line)
            current = None
        elif current and line.startswith("Failed to find expected"):
            note(current, "failed", line)
        elif re.match(r"\S.* test$|Test perf header \w+$", line):
            current = line
    if current:
        note(current, "failed", "the script ended in it")
    if not found:
        found[WHOLE] = {0: "passed", 2: "skipped"}.get(status, "failed"), f"exit status {status}"
    return found


def run_script(tests, script, folder, log):
    return outcomes(*run_whole(tests, script, folder, log))


def run_whole(tests, script, folder, log):
    """What a script prints, and its exit status."""
    # a home without a cache of binaries, whose lines perf would ask addr2line for
    environment = {**os.environ, "PATH": folder + ":" + os.environ["PATH"], "LC_ALL": "C", "DEBUGINFOD_URLS": "",
                   "XDG_CACHE_HOME": folder + "/cache", "HOME": folder}
    with tempfile.TemporaryDirectory(dir=folder) as cwd:
        script_process = subprocess.Popen(["bash", f"{tests}/{script}.sh"], cwd=cwd, env=environment,
                                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                          start_new_session=True)
        try:
            output, status = script_process.communicate(timeout=LONGEST)[0], script_process.returncode
        except subprocess.TimeoutExpired as e:
            output, status = (e.stdout or b"") + f"\nno end after {LONGEST} seconds\n".encode(), 1
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(script_process.pid, signal.SIGKILL)
            script_process.wait()
    with open(log, "wb") as f:
        f.write(output)
    return output.decode(errors="replace"), status


def spread(mine, other):
    """A script that ended before its first check says the same of each check."""
    if list(mine) == [WHOLE] and list(other) != [WHOLE]:
        outcome = mine.pop(WHOLE)
        mine.update(dict.fromkeys(other, outcome))


def is_unknown_failure(script, check, results):
    return (results["perf"][check][0] == "passed" and results["sonde"].get(check, ("",))[0] != "passed"
            and f"{script}: {check}" not in KNOWN)


def whole_verdict(tests, script, folder, log):
    status = run_whole(tests, script, folder, log)[1]
    return {0: "passed", 2: "skipped"}.get(status, "failed")


def table(workload, wanted):
    """Every script of both perfs: what it ends with by perf, and with sonde in the place of the commands ALL_OURS."""
    logs = os.path.join(build, "tests", "perf_shell")
    os.makedirs(logs, exist_ok=True)
    counts = {"scripts": 0, "perf": 0, "sonde of these": 0, "sonde alone": 0}
    missed = 0
    print("| script | perf | sonde |\n| --- | --- | --- |")
    for version, found in (("6.1", find_installed()), ("7.2", find_perf())):
        if not found or (version == "7.2" and found == find_installed()):
            continue
        perf, tests, environment = found
        with tempfile.TemporaryDirectory() as tmp:
            for name, ours in ("perf", ""), ("sonde", ALL_OURS):
                wrap(f"{tmp}/{name}", perf, environment, workload, ours)
            for path in sorted(glob.glob(f"{tests}/*.sh")):
                script = os.path.basename(path)[:-len(".sh")]
                if wanted and script not in wanted:
                    continue
                state = {name: whole_verdict(tests, script, f"{tmp}/{name}", f"{logs}/{version}.{script}.{name}.log")
                         for name in ("perf", "sonde")}
                for _ in range(1, TRIALS):
                    if state["perf"] != "passed" or state["sonde"] == "passed":
                        break
                    state["sonde"] = whole_verdict(tests, script, f"{tmp}/sonde",
                                                   f"{logs}/{version}.{script}.sonde.log")
                passed = {name: verdict == "passed" for name, verdict in state.items()}
                counts["scripts"] += 1
                counts["perf"] += passed["perf"]
                counts["sonde of these"] += passed["perf"] and passed["sonde"]
                counts["sonde alone"] += passed["sonde"] and not passed["perf"]
                missed += passed["perf"] and not passed["sonde"]
                print(f"| {version} {script} | {state['perf']} | {state['sonde']} |", flush=True)
    print(f"\n{counts['scripts']} scripts: perf passes {counts['perf']}, sonde {counts['sonde of these']} of these and "
          f"{counts['sonde alone']} that perf fails")
    return 1 if missed else 0


def main():
    if sys.argv[1:2] == ["--table"]:
        return table(os.path.abspath(sys.argv[2]), sys.argv[3:])
    workload = os.path.abspath(sys.argv[1])
    found = find_perf()
    if not found or not shutil.which("bash"):
        print("skipped: there is no perf with its shell tests")
        return SKIP
    perf, tests, environment = found
    scripts = [s for s in sys.argv[2:] or SCRIPTS if os.path.exists(f"{tests}/{s}.sh")]
    logs = os.path.join(build, "tests", "perf_shell")
    os.makedirs(logs, exist_ok=True)
    print(f"the shell tests in {tests}; their output is in {logs}")
    passed = {"perf": 0, "sonde": 0}
    checks = bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        for name, ours in ("perf", ""), ("sonde", OURS):
            wrap(f"{tmp}/{name}", perf, environment, workload, ours)
        trial = subprocess.run([f"{tmp}/perf/perf", "record", "-o", f"{tmp}/trial", "true"], capture_output=True,
                               text=True)
        if trial.returncode != 0:
            print(f"skipped: perf cannot record here: {trial.stderr.strip()}")
            return SKIP
        for script in scripts:
            # both at once, since they sleep most of the time
            with concurrent.futures.ThreadPoolExecutor(len(passed)) as pool:
                jobs = {name: pool.submit(run_script, tests, script, f"{tmp}/{name}", f"{logs}/{script}.{name}.log")
                        for name in passed}
            results = {name: job.result() for name, job in jobs.items()}
            for name, other in ("perf", "sonde"), ("sonde", "perf"):
                spread(results[name], results[other])
            for trial in range(1, TRIALS):
                if not any(is_unknown_failure(script, check, results) for check in results["perf"]):
                    break
                again = run_script(tests, script, f"{tmp}/sonde", f"{logs}/{script}.sonde.{trial}.log")
                spread(again, results["perf"])
                for check, outcome in again.items():
                    if outcome[0] == "passed":
                        results["sonde"][check] = outcome
            for check in dict.fromkeys([*results["perf"], *results["sonde"]]):
                checks += 1
                key = f"{script}: {check}"
                state = {name: results[name].get(check, ("not reached", "")) for name in passed}
                for name in passed:
                    passed[name] += state[name][0] == "passed"
                verdict = ""
                if state["perf"][0] == "passed" and state["sonde"][0] != "passed":
                    verdict = f"known: {KNOWN[key]}" if key in KNOWN else f"FAILED: {state['sonde'][1]}"
                    bad += key not in KNOWN
                elif key in KNOWN and state["sonde"][0] == "passed":
                    verdict = "no longer to be among the known"
                print(f"{key:70} perf {state['perf'][0]:8} sonde {state['sonde'][0]:12} {verdict}".rstrip(), flush=True)
    print(f"{checks} checks: perf passes {passed['perf']}, sonde in its place {passed['sonde']}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
