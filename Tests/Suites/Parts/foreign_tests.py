"""Runs the own tests of other packages, each class in a process of its own, and counts how they end.

A class of tests has a process; if one of its tests fails, crashes or hangs, each has one.
"""
import collections
import concurrent.futures
import os
import re
import subprocess
import sys

LIMIT = 180
# How a test ends that makes a channel, a loop or a bootstrap of NIOPosix itself, for which libuv's loops are no loops.
POSIX = ["is only compatible with MultiThreadedEventLoopGroup", "Unconditional cast failed",
         "this is a (MultiThreadedEventLoopGroup|SelectableEventLoop)"]
FINE = ("passed", "skipped", "made for NIOPosix's own types")


def left_out(path):
    """What a file such as Tests/NIOSuites/left-out.txt names: tests, and classes of tests, as `SUITE.Class/test`. Each line must have a
    reason."""
    names, suite = set(), None
    for line in path.read_text().splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            suite = heading[1]
        elif line.strip() and not line.startswith("#"):
            names |= {f"{suite}.{name}" for name in line[:line.index(": ")].split()}
    return names


def names(test):
    """What can name a test in that file: itself, or its class."""
    return {test, test.split("/")[0]}


class ForeignTests:
    """The tests of a program of tests, whose modules are called `SUITESuite`."""

    def __init__(self, name, program, home, suites, left_out_file):
        self.name, self.program, self.home, self.suites, self.left_out_file = name, program, home, suites, left_out_file

    def listed(self, library):
        """The names of the tests: `SUITE.Class/test`."""
        found = subprocess.run([self.program, "--list-tests", "--testing-library", library], capture_output=True, text=True, cwd=self.home)
        lines = [line.replace("Suite.", ".", 1) for line in found.stdout.splitlines() if re.match(r"\w+Suite\.", line)]
        # Where two modules have suites of one name, a test's place in its file follows.
        return [re.sub(r"\)/[^/]+\.swift:\d+:\d+$", ")", line) for line in lines]

    def start(self, test):
        test = test.replace(".", "Suite.", 1)
        # Swift Testing's have parentheses, and their place behind them.
        if test.endswith(")"):
            arguments = ["--testing-library", "swift-testing", "--filter", f"^{re.escape(test)}"]
        else:
            arguments = [test]
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, errors="replace", timeout=LIMIT, cwd=self.home)

    def run_class(self, name, tests):
        """How the tests of a class have ended: `(test, outcome, why)`."""
        if len(tests) > 1 and not any(test.endswith(")") for test in tests):
            try:
                found = self.start(name)
                ends = dict(re.findall(r"Test Case '\w+\.(\w+)' (passed|failed|skipped)", found.stdout + found.stderr))
                outcomes = [(test, ends.get(test.split("/")[1]), "") for test in tests]
                if found.returncode == 0 and all(outcome in FINE for _, outcome, _ in outcomes):
                    return outcomes
            except subprocess.TimeoutExpired:
                pass
        return [(test, *self.run(test)) for test in tests]

    def run(self, test):
        """How a test has ended, and what it printed if that is of interest."""
        try:
            found = self.start(test)
        except subprocess.TimeoutExpired:
            return "hung", ""
        output = found.stdout + found.stderr
        lines = output.splitlines()
        errors = [line for line in lines if re.search(r"(?<!atal) error:|recorded an issue", line)]
        crashes = [line for line in lines if re.search("atal error:|failure:|Precondition failed", line)]
        if crashes and not errors and any(re.search(sign, line) for line in crashes for sign in POSIX):
            return "made for NIOPosix's own types", ""
        if found.returncode < 0 or crashes:
            return "crashed", " ".join(errors[:1] + crashes[:1])
        if found.returncode != 0:
            return "failed", errors[0] if errors else ""
        # The name of a test that isn't found.
        if re.search(r"Executed 0 tests|run with 0 tests", output) and not re.search(r"run with 1 test|Executed 1 test", output):
            return "failed", "the test wasn't found"
        return ("skipped" if re.search(r"with [1-9]\d* tests? skipped", output) else "passed"), ""

    def main(self, arguments):
        """Runs the tests whose names contain one of the words, or all that aren't left out. Returns how many have failed."""
        words = [word for word in arguments if not word.startswith("-")]
        tests = self.listed("xctest") + self.listed("swift-testing")
        out = left_out(self.left_out_file)
        unknown = out.difference(*map(names, tests))
        if unknown:
            sys.exit(f"Tests/run {self.name}: {self.left_out_file.name} names what isn't there: {' '.join(sorted(unknown))}")
        chosen = [test for test in tests if not names(test) & out]
        if words:
            # Those that are left out can be tried by name.
            chosen = [test for test in tests if any(word in test for word in words)]
        if "--list" in arguments:
            print(*chosen, sep="\n")
            return 0
        classes = collections.defaultdict(list)
        for test in chosen:
            # A class of which some are left out can't be run as one.
            whole = not words and not any(other.startswith(test.split("/")[0] + "/") for other in out)
            classes[test.split("/")[0] if whole else test].append(test)
        counts = {name: collections.Counter() for name in self.suites}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for ends in pool.map(lambda item: self.run_class(*item), classes.items()):
                for test, outcome, why in ends:
                    counts[test.split(".")[0]][outcome] += 1
                    if outcome not in FINE:
                        print(f"{outcome}: {test} {why}", flush=True)
        for name, count in counts.items():
            total = sum(test.startswith(f"{name}.") for test in tests)
            print(f"{name}'s tests on libuv: {total} in all, {total - sum(count.values())} left out; "
                  + ", ".join(f"{number} {outcome}" for outcome, number in sorted(count.items())))
        together = sum(counts.values(), collections.Counter())
        bad = sum(number for outcome, number in together.items() if outcome not in FINE)
        print(f"{together['passed']} passed, {bad} failed")
        return bad
