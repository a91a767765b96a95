"""Bugs that somebody has planted who knows none of the tests: a folder of patches, each behind its number in one build. The tests that come
across them are asked first, and the simulation of what these leave."""
import concurrent.futures
import pathlib
import re
import time

import hunt
import judge
import tree


def use(folder):
    """Has the patches of a folder in the place of `PlantedBugs`, also those of a module of which no mutants are drawn."""
    tree.PATCHES = pathlib.Path(folder).resolve()
    patches = sorted(tree.PATCHES.glob("*.patch"))
    if not patches: raise SystemExit(f"Mutants/run: no patch is in {folder}")
    named = [name for patch in patches for name in re.findall(r"^\+\+\+ b/Sources/(\w+)/", patch.read_text(), re.M)]
    tree.MODULES = tuple(dict.fromkeys((*tree.MODULES, *named)))
    for module in named: judge.MODULES.setdefault(module, module + "Tests")


def built(program):
    """A program with the bugs, and the bugs that are in it. Mutants that were asked for before stay, so that less is compiled."""
    mutants = tree.Mutants()
    mutants.plant([edit for bug in mutants.bugs for edit in bug.edits])
    made = tree.build(mutants, program)
    refused = [bug.name for bug in mutants.bugs if bug.name in mutants.refused]
    if refused: raise SystemExit("Mutants/run: the compiler refuses " + ", ".join(f"{name} ({mutants.refused[name]})" for name in refused))
    return made, mutants.bugs


def judged(bug, tests):
    """The test that notices a bug. One in several functions is asked of the tests that come across any of them."""
    results = []
    for edit in bug.edits:
        results.append(tests.judge(edit))
        if results[-1]["verdict"] == "killed": break
    return {**results[-1], "seconds": round(sum(result["seconds"] for result in results), 1)}


def ask(options):
    """A table: found by what, after how long. True if at most one in fourteen is missed."""
    use(options.patches)
    print("| bug | found by | seconds | what was seen |\n|---|---|--:|---|", flush=True)

    def row(name, by, seconds, seen): print(f"| {name} | {by} | {seconds} | {seen[:120].replace('|', '/')} |", flush=True)

    program, bugs = built("swift-uvPackageTests.xctest")
    left = []
    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        tests = judge.Tests(program)
        tests.learn(tests.suites, pool)
        for bug, result in zip(bugs, pool.map(lambda bug: judged(bug, tests), bugs)):
            if result["verdict"] == "killed": row(bug.name, result["by"], result["seconds"], result["how"])
            else: left.append((bug.name, result["seconds"]))
    missed = []
    if left:
        tree.use(tree.BUILD / "hunt")
        program, bugs = built("uvsim")
        numbers = {bug.name: bug.edits[0].number for bug in bugs}
        hunts = hunt.Hunts(program, options.seeds)

        def hunted(each):
            begin = time.monotonic()
            return hunts.hunt(numbers[each[0]]), round(time.monotonic() - begin, 1)

        with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
            for (name, seconds), (found, more) in zip(left, pool.map(hunted, left)):
                if found: row(name, f"uvsim hunt: {found[0]}, seed {found[1]}", more, found[2])
                else:
                    missed.append(name)
                    row(name, "nobody", seconds + more, "")
    print(f"{len(missed)} of {len(bugs)} missed by the tests and by {options.seeds} seeds of each world")
    return 14 * len(missed) <= len(bugs)
