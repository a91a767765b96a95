"""Runs tests against a mutant, those first that are nearest to it, until one fails."""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time

import tree

# What may take longer than this isn't asked; nor is more than that many seconds of tests for a mutant, when all is well.
SLOW, OWN, OTHERS = 3, 60, 30
# What `--brief` divides these by.
BRIEF = 8
# The tests of a mutant are asked in parts of so many seconds. Most mutants are killed in the first.
PARTS = (1, 4, 15, 60)
# What a program may take of memory. A mutant may ask for all there is.
MEMORY = 4 << 30
MODULES = {"UV": "UVTests", "UVHTTP": "UVHTTPTests", "UVTLS": "UVTLSTests", "UVPromises": "UVPromisesTests", "UVFutures": "UVFuturesTests"}
Ran = collections.namedtuple("Ran", "verdict test seconds times failed")


class Tests:
    def __init__(self, program, is_brief=False):
        self.program, self.is_brief = program, is_brief
        listed = subprocess.run([program, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True).stdout.split("\n")
        # By suite: `Module.Suite`; or by test, where one is in no suite.
        self.suites = sorted({line.split("/")[0] for line in listed if re.match(r"\w+\.", line) and line.split(".")[0] in tree.TARGETS})
        if not self.suites: raise SystemExit("Mutants/run: the program lists no tests")
        self.folders = self.places()
        self.stored = tree.BUILD / "tests.json"
        self.known, self.times = {}, {}

    def places(self):
        """The folder that a suite lies in. Its file has its name, as that of a type or a function; the id doesn't tell."""
        found = {}
        for path in (tree.ROOT / "Tests").rglob("*.swift"):
            own = path.relative_to(tree.ROOT / "Tests").parts
            for name in re.findall(r"\b(?:struct|class|enum|actor|func|extension)\s+(`[^`]+`|\w+)", path.read_text()):
                found.setdefault((own[0], name), "/".join(own[:2]) if len(own) > 2 else own[0])
        lost = [suite for suite in self.suites if self.key(suite) not in found]
        if lost: raise SystemExit(f"Mutants/run: nobody knows where {', '.join(lost[:5])} are")
        return {suite: found[self.key(suite)] for suite in self.suites}

    @staticmethod
    def key(suite):
        module, name = suite.split(".", 1)
        return module, name.split("(")[0]

    def run(self, pattern, limit, plant=None, reached=None):
        """Runs tests until one fails. A test that takes much longer than usual hangs."""
        with tempfile.TemporaryDirectory(prefix="mutant") as folder:
            events = pathlib.Path(folder, "events")
            words = [self.program, "--testing-library", "swift-testing", "--no-parallel", "--event-stream-output-path", str(events),
                     "--event-stream-version", "0", "--filter", pattern]
            # The watchdog of the tests goes by the clock, which says nothing on a busy machine.
            # And where a process has crashed is asked of nobody.
            environment = {**os.environ, "UV_TEST_LIMIT": "600", "SWIFT_BACKTRACE": "enable=no"}
            if plant is not None: environment["PLANT"] = str(plant)
            if reached: environment["PLANT_REACHED"] = str(reached)
            begin, at, rest, started, times, failed = time.monotonic(), 0, "", {}, {}, []
            with open(os.devnull, "w") as nothing:
                process = subprocess.Popen(words, stdout=nothing, stderr=nothing, stdin=subprocess.DEVNULL, env=environment, cwd=tree.TREE, start_new_session=True)
            try: resource.prlimit(process.pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))
            except ProcessLookupError: pass

            def end(verdict, test):
                try: os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError: pass
                process.wait()
                return Ran(verdict, test, round(time.monotonic() - begin, 2), times, failed)

            delays, looked = {}, 0.0

            def waited(most=0.3):
                """How long the threads of the program and of what it has started have waited for a processor, as of so many seconds ago at most.
                That is no fault of a test."""
                nonlocal looked
                if time.monotonic() - looked < most: return sum(delays.values())
                looked, numbers = time.monotonic(), [process.pid]
                while numbers:
                    number = numbers.pop()
                    try:
                        for task in os.listdir(f"/proc/{number}/task"):
                            with open(f"/proc/{number}/task/{task}/schedstat") as file: delays[task] = int(file.read().split()[1]) / 1e9
                            with open(f"/proc/{number}/task/{task}/children") as file: numbers += map(int, file.read().split())
                    except (OSError, IndexError): pass
                return sum(delays.values())

            count, groups = 0, set()
            while True:
                has_ended = process.poll() is not None
                if events.exists():
                    with open(events) as file:
                        file.seek(at)
                        rest += file.read()
                        at = file.tell()
                lines = rest.split("\n")
                rest = lines.pop()
                for line in lines:
                    record = json.loads(line)
                    if record["kind"] == "test" and record["payload"]["kind"] == "suite": groups.add(record["payload"]["id"])
                    if record["kind"] != "event": continue
                    event = record["payload"]
                    test, kind = event.get("testID", ""), event["kind"]
                    if kind == "testStarted" and test not in groups:
                        count += 1
                        started[test] = (event["instant"]["absolute"], time.monotonic(), waited())
                    elif kind == "testEnded" and test in started:
                        from_, _, idle = started.pop(test)
                        times[test] = round(max(0.001, event["instant"]["absolute"] - from_ - max(0, waited() - idle)), 3)
                    elif kind == "issueRecorded" and not event["issue"].get("isKnown") and event["issue"].get("severity", "error") == "error":
                        # An issue within a closure may name no test.
                        test = test or next(reversed(started), "")
                        failed.append(test)
                        if plant is not None: return end("failed", test)
                last = next(reversed(started), "")
                if has_ended:
                    # A suite may have been left out by a trait of its own, and is then asked of no mutant.
                    if count == 0 and plant is not None: raise SystemExit(f"Mutants/run: {pattern} selects no test (exit code {process.returncode})")
                    if process.returncode < 0 or started: return end("crashed", last)
                    return end("failed" if failed else "passed" if process.returncode == 0 else "crashed", failed[0] if failed else last)
                # Without a mutant a test takes what it takes. Most of the time nobody has to ask how long threads have waited.
                now, most = time.monotonic(), 10 + 5 * self.times.get(self.name(last), SLOW)
                if now - begin > limit and now - begin - min(waited(0), 20 * limit) > limit: return end("hung", last)
                if last and plant is not None and now - started[last][1] > most and now - started[last][1] - (waited(0) - started[last][2]) > most: return end("hung", last)
                time.sleep(0.05)

    # What is reached

    def learn(self, suites, pool):
        """Runs suites without a mutant: how long their tests take, and which mutants they come across."""
        stored = json.loads(self.stored.read_text()) if self.stored.exists() else {}
        # What a suite comes across stays, while the library with its mutants does, and the suite's folder.
        library, stamps = tree.STAMP.read_text() + hashlib.sha256(tree.CODE.encode()).hexdigest()[:8], {}
        for folder in sorted(set(self.folders.values())):
            texts = [path.read_bytes() for path in sorted((tree.TREE / "Tests" / folder).glob("*.swift"))]
            stamps[folder] = hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]
        self.known = {suite: what for suite, what in stored.get("suites", {}).items() if stored.get("library") == library
                      and suite in self.folders and what["stamp"] == stamps[self.folders[suite]]}

        def one(suite):
            with tempfile.NamedTemporaryFile(mode="r", prefix="reached") as file:
                ran, reached = self.run(self.pattern(suite), 300, reached=file.name), {}
                # What is reached between tests, or by a child, counts for all of the suite's.
                own = {self.name(test) for test in ran.times}
                for test, *numbers in map(json.loads, file): reached.setdefault(self.name(test) if self.name(test) in own else "", set()).update(numbers)
            slow = [test for test, seconds in ran.times.items() if seconds > SLOW]
            return suite, {"stamp": stamps[self.folders[suite]], "reached": {test: sorted(numbers) for test, numbers in reached.items()}, "times": ran.times,
                           "left": sorted({*slow, *ran.failed, *([ran.test] if ran.verdict in ("hung", "crashed") else [])})}

        missing = [suite for suite in suites if suite not in self.known]
        for number, done in enumerate(concurrent.futures.as_completed([pool.submit(one, suite) for suite in missing])):
            suite, what = done.result()
            self.known[suite] = what
            tree.log(f"{number + 1}/{len(missing)} {suite}: {sum(what['times'].values()):.1f} s, {len(set().union(*what['reached'].values()))} mutants" + "".join(f"; without {self.name(test)}" for test in what["left"]))
            self.stored.write_text(json.dumps({"library": library, "suites": self.known}))
        self.times = {self.name(test): seconds for what in self.known.values() for test, seconds in what["times"].items()}
        self.asked = {suite: {self.name(test) for test in what["times"] if test not in what["left"]} for suite, what in self.known.items()}
        self.reached = {}
        for suite, what in self.known.items():
            # An issue of no test, such as a count of allocations within a closure, leaves out its suite.
            if "" in what["left"]: continue
            for test, numbers in what["reached"].items():
                for number in numbers: self.reached.setdefault(number, {}).setdefault(suite, set()).add(test)

    @staticmethod
    def pattern(suite): return f"^{re.escape(suite)}" + ("$|" + f"^{re.escape(suite)}/" if "(" in suite else "/")

    @staticmethod
    def either(tests): return "^(" + "|".join(map(re.escape, tests)) + ")"

    @staticmethod
    def name(test): return re.sub(r"/[^/]*\.swift:\d+:\d+$", "", test)

    # Judging

    def tests(self, edit):
        """The tests that come across a mutant, with their suites. What belongs to no function, such as the value of a constant, may be computed
        once, and then all of its suite's tests may be those that depend on it."""
        for suite, tests in self.reached.get(edit.number, {}).items():
            is_shared = "" in tests or edit.kind != "bug" and edit.function == (edit.start, edit.end)
            for test in self.asked[suite]:
                if is_shared or test in tests: yield suite, test

    def parts(self, edit):
        """The tests that come across a mutant: those of its layer, and then the others; the quickest first."""
        near = MODULES[edit.path.split("/")[1]] + ("/" + edit.layer.split("/")[1] if edit.layer.startswith("UV/") else "")
        own, style, others = [], [], []
        for suite, test in self.tests(edit):
            if self.folders[suite] == near or self.folders[suite].startswith(near + "/"): own.append(test)
            else: (style if suite.startswith(("StyleTests.", "UVHTTPTests.")) else others).append(test)
        for tests, budget in ((own, OWN), (style, OTHERS), (others, OTHERS)):
            if self.is_brief: budget /= BRIEF
            tests, sizes = collections.deque(sorted(tests, key=lambda test: (self.times[test], test))), iter(PARTS)
            while tests and budget > 0:
                part, size = [tests.popleft()], min(next(sizes, budget), budget)
                while tests and sum(map(self.times.get, part)) + self.times[tests[0]] <= size: part.append(tests.popleft())
                budget -= sum(map(self.times.get, part))
                yield part

    def judge(self, edit):
        spent, asked, shaky = 0.0, 0, []
        for part in self.parts(edit):
            left, asked = list(part), asked + len(part)
            while left:
                usual = sum(map(self.times.get, left))
                ran = self.run(self.either(left), 3 * usual + 30, edit.number)
                spent += ran.seconds
                if ran.verdict == "passed": break
                test = self.name(ran.test)
                # A test may fail for another reason: it has to do so again by itself, and to pass then without the mutant. A crash
                # needs no second look.
                again, alone = ran, self.either([test] if test in self.times else left)
                if ran.verdict != "crashed":
                    again = self.run(alone, 3 * usual + 30, edit.number)
                    spent += again.seconds
                if again.verdict != "passed" and (again is ran or self.run(alone, 3 * usual + 60).verdict == "passed"):
                    return {"verdict": "killed", "how": ran.verdict, "by": test, "seconds": round(spent, 1)}
                if test not in left: break
                shaky.append(test)
                left.remove(test)
        return {"verdict": "survived", "tests": asked, "seconds": round(spent, 1), **({"brief": True} if self.is_brief else {}), **({"shaky": shaky} if shaky else {})}
