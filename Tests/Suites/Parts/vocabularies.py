"""Runs the own tests of a library whose vocabulary a module has: on that module, from a copy, with a shim beside them.

What doesn't pass is named in a file with a reason. Each of its parts has a heading that says what follows:

  [SUITE differs]    the module does something else. The test is run, and has to fail
  [SUITE missing]    the test doesn't compile, because a declaration is missing. It is taken out of the copy, and counts as one that differs
  [SUITE can't be]   there is nothing to test here. It is taken out of the copy, and isn't counted

A line of it is `Class/test …: reason`, `Class: reason` or, for a whole file, `File.swift: reason`.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import foreign_tests

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
KINDS = ("differs", "missing", "can't be")
# What a suite has to reach of the tests that make sense here.
BAR = 0.98

# A module of tests: the files, what is done to each file's text, and by the title of each run its environment, and which tests are run.
Suite = collections.namedtuple("Suite", "sources edit environments")


def excuses(path):
    """`{suite: {kind: {name: reason}}}` of such a file."""
    found, part = collections.defaultdict(lambda: {kind: {} for kind in KINDS}), None
    for line in path.read_text().splitlines():
        if heading := re.fullmatch(r"\[(\w+) (%s)\]" % "|".join(KINDS), line):
            part = found[heading[1]][heading[2]]
        elif line.strip() and not line.startswith("#"):
            names, reason = line.split(": ", 1)
            part.update((name, reason) for name in names.split())
    return found


def without(text, test):
    """The text of a class without one of its tests: from the line of its `func` to the brace below that."""
    return re.sub(r"(?ms)^([ \t]*)(?:@\w+(?:\([^\n]*\))? )?func %s\(\)[^\n]*\{\n.*?^\1\}\n" % test, "", text)


def tests_in(text):
    """The tests of a file, `Class/test` each."""
    parts = re.split(r"(?m)^(?:\w+ |@\w+ )*class (\w+)", text)
    return [f"{name}/{test}" for name, body in zip(parts[1::2], parts[2::2]) for test in re.findall(r"func (test\w*)\(\)", body)]


def checkout(name, variable, wanted):
    """The checkout of the library that the variable of the environment names, or a clone of it if that is where one can be had. It has to
    have what is `wanted`."""
    place = os.environ.get(variable, "")
    if not place:
        lack(name, f"{variable} has neither the path of a checkout nor a URL to clone it from, so there are no tests to run")
    if (pathlib.Path(place) / wanted).exists():
        return pathlib.Path(place).resolve()
    clone = ROOT / f".build-{name}" / "Origin"
    shutil.rmtree(clone, ignore_errors=True)
    command = ["git", "-c", "advice.detachedHead=false", "clone", "--quiet", "--depth", "1", place, str(clone)]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0 or not (clone / wanted).exists():
        lack(name, f"{place} is no checkout with {wanted}, and none can be cloned from there")
    return clone


def lack(name, why):
    print(f"Tests/run {name}: {why}")
    sys.exit(4)


class Vocabulary:
    """The suites of one library. `folder` is what Tests/Vocabularies has for it, `manifest` the package's text, and `parts` are the folders
    of Tests/Vocabularies that the package has under `Parts`."""

    def __init__(self, name, folder, manifest, suites, page, parts=()):
        self.name, self.suites, self.page, self.parts = name, suites, page, parts
        self.place = ROOT / "Tests" / "Vocabularies" / folder
        self.home = ROOT / f".build-{name}"
        self.manifest = manifest
        self.excuses = excuses(self.place / "excuses.txt")
        self.unbuilt = collections.defaultdict(dict)

    def put(self, path, text):
        """Writes a file unless it is that already, so that nothing is compiled for it again."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)

    def copy(self):
        """Writes the package: the manifest, the shims, and of each test file what is to be compiled."""
        self.put(self.home / "Package.swift", self.manifest)
        for part in self.parts:
            link = self.home / "Parts" / pathlib.Path(part).name
            link.parent.mkdir(exist_ok=True)
            if not link.is_symlink():
                link.symlink_to(ROOT / "Tests" / "Vocabularies" / part)
        for name, suite in self.suites.items():
            out = {kind: self.excuses[name][kind] for kind in ("missing", "can't be")}
            target, wanted = self.home / "Tests" / name, set()
            for source in suite.sources:
                text = source.read_text()
                for kind, names in out.items():
                    for test in tests_in(text):
                        excuse = next((key for key in (test, test.split("/")[0], source.name) if key in names), None)
                        if excuse is not None:
                            self.unbuilt[name, kind][test] = excuse
                            text = without(text, test.split("/")[1])
                if source.name in out["missing"] or source.name in out["can't be"]:
                    continue
                wanted.add(source.name)
                self.put(target / source.name, suite.edit(source.name, text))
            for old in target.glob("*.swift"):
                if old.name not in wanted:
                    old.unlink()

    def build(self):
        """Builds the tests and returns their program."""
        command = ["swift", "build", "--build-tests", "--package-path", str(self.home), "-Xswiftc", "-suppress-warnings"]
        if subprocess.run(command).returncode != 0:
            sys.exit(f"Tests/run {self.name}: the tests don't build")
        place = subprocess.run([*command[:2], *command[3:5], "--show-bin-path"], capture_output=True, text=True, check=True).stdout.strip()
        return next(pathlib.Path(place).glob("*.xctest"))

    def run(self, program, words):
        """Runs each class of tests in a process of its own, and if one of its tests fails, each test. Returns
        `{(suite, environment): {test: (outcome, why)}}`."""
        runner = foreign_tests.ForeignTests(self.name, program, self.home, self.suites, self.place / "excuses.txt")
        listed, found = runner.listed("xctest"), {}
        for name, suite in self.suites.items():
            for title, (variables, only) in suite.environments.items():
                tests = [test for test in listed if test.startswith(name + ".") and only(test.split(".")[1])
                         and (not words or any(word in test for word in words))]
                classes = collections.defaultdict(list)
                for test in tests:
                    classes[test.split("/")[0]].append(test)
                os.environ.update(variables)
                with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                    ends = pool.map(lambda item: runner.run_class(*item), classes.items())
                    found[name, title] = {test: (outcome, why) for some in ends for test, outcome, why in some}
        return found

    def judge(self, found, whole):
        """Prints what nobody expected. Returns the rows of the table, the reasons by test, and whether all is as the file says."""
        rows, reasons, fine = [], {}, True
        for (name, title), outcomes in found.items():
            differs, good, bad, used = self.excuses[name]["differs"], 0, 0, set()
            for test, (outcome, why) in outcomes.items():
                short = test.split(".", 1)[1]
                excuse = next((key for key in (short, short.split("/")[0]) if key in differs), None)
                if outcome in ("passed", "skipped"):
                    good += 1
                    continue
                bad += 1
                if excuse is None:
                    fine = False
                    print(f"{outcome}: {title}, {short}: {why}", flush=True)
                else:
                    used.add(excuse)
                    reasons[short] = differs[excuse]
            missing, senseless = self.unbuilt[name, "missing"], self.unbuilt[name, "can't be"]
            first = title == next(iter(self.suites[name].environments))
            if first:
                bad += len(missing)
                reasons.update((test, self.excuses[name]["missing"][excuse]) for test, excuse in missing.items())
            rows.append((title, good, bad, len(senseless) if first else 0))
        if whole:
            for name in self.suites:
                stale = set(self.excuses[name]["differs"]) - set(reasons) - {test.split("/")[0] for test in reasons}
                if stale:
                    fine = False
                    print(f"these pass now, so they have no excuse: {' '.join(sorted(stale))}")
        return rows, reasons, fine

    def table(self, rows, reasons):
        """What the page shows: the numbers, each test that differs, and what isn't counted."""
        lines = ["| Their tests | pass | differ | can't be |", "|---|--:|--:|--:|"]
        lines += [f"| {title} | {good:,} | {bad} | {none} |" for title, good, bad, none in rows]
        uncounted = {excuse: self.excuses[name]["can't be"][excuse]
                     for name in self.suites for excuse in self.unbuilt[name, "can't be"].values()}
        for heading, whys in (("What differs", reasons), ("What can't be", uncounted)):
            by_reason = collections.defaultdict(list)
            for test, reason in whys.items():
                by_reason[reason].append(f"`{test}`")
            if by_reason:
                lines += ["", f"| {heading} | Their tests |", "|---|---|"]
                lines += [f"| {reason} | {', '.join(tests)} |" for reason, tests in by_reason.items()]
        return "\n".join(lines)

    def main(self, arguments):
        """Copies, builds, runs and compares; with `--write` writes the page's table. Returns the exit code."""
        words = [word for word in arguments if not word.startswith("-")]
        self.copy()
        rows, reasons, fine = self.judge(self.run(self.build(), words), not words)
        table = self.table(rows, reasons)
        print(table)
        good, all_of_them = sum(row[1] for row in rows), sum(row[1] + row[2] for row in rows)
        print(f"{good} of {all_of_them} pass that make sense here: {100 * good / max(1, all_of_them):.1f} %")
        if words:
            return 0 if fine else 1
        begin, end = f"<!-- Tests/run {self.name}: begin -->", f"<!-- Tests/run {self.name}: end -->"
        text = self.page.read_text()
        written = re.sub(f"(?s){re.escape(begin)}.*{re.escape(end)}", lambda _: f"{begin}\n{table}\n{end}", text)
        if "--write" in arguments:
            self.page.write_text(written)
        elif written != text:
            fine = False
            print(f"{self.page.name} has other numbers: Tests/run {self.name} --write")
        if good < BAR * all_of_them:
            fine = False
            print(f"less than {100 * BAR:.0f} % pass")
        return 0 if fine else 1
