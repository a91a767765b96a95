"""Bugs that somebody has planted who knows none of the tests: a folder of patches, each behind its number in one build. The tests that come
across them are asked first, and the simulation of what these leave."""
import concurrent.futures
import pathlib
import re

import hunt
import judge
import tree

# A bug is worth more than a mutant: tests of as many seconds are asked of it, and such as take longer.
SLOW, OWN, OTHERS = 20, 180, 120


def use(folder):
    """Has the patches of a folder in the place of `PlantedBugs`, also those of a module of which no mutants are drawn."""
    tree.PATCHES = pathlib.Path(folder).resolve()
    patches = sorted(tree.PATCHES.glob("*.patch"))
    if not patches: raise SystemExit(f"Mutants/run: no patch is in {folder}")
    named = [name for patch in patches for name in re.findall(r"^\+\+\+ b/Sources/(\w+)/", patch.read_text(), re.M)]
    tree.MODULES = tuple(dict.fromkeys((*tree.MODULES, *named)))
    for module in named: judge.MODULES.setdefault(module, module + "Tests")


def built(program):
    """A program with the bugs, all bugs, and those that are in it. Mutants that were asked for before stay, so that less is compiled."""
    mutants = tree.Mutants()
    mutants.plant([edit for bug in mutants.bugs for edit in bug.edits])
    made = tree.build(mutants, program)
    for bug in mutants.bugs:
        if bug.name in mutants.refused: tree.log(f"{bug.name} isn't compiled: {mutants.refused[bug.name]}")
    return made, mutants.bugs, [bug for bug in mutants.bugs if bug.name not in mutants.refused]


def ask(options):
    """A table: found by what, after how long. True if at most one in fourteen is missed."""
    use(options.patches)
    judge.SLOW, judge.OWN, judge.OTHERS = SLOW, OWN, OTHERS
    print("| bug | found by | seconds | what was seen |\n|---|---|--:|---|", flush=True)

    def row(name, by, seconds, seen): print(f"| {name} | {by} | {seconds} | {seen[:120].replace('|', '/')} |", flush=True)

    program, all_bugs, bugs = built("swift-uvPackageTests.xctest")
    left = []
    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        tests = judge.Tests(program)
        tests.learn(tests.suites, pool)
        for bug, result in zip(bugs, pool.map(lambda bug: tests.judge(bug.edits[0]), bugs)):
            if result["verdict"] == "killed": row(bug.name, result["by"], result["seconds"], result["how"])
            else:
                tree.log(f"{bug.name} is left by {result['tests']} tests")
                left.append(bug.name)
    # Nobody was asked of one that isn't compiled, so nobody has found it.
    missed = [bug.name for bug in all_bugs if bug not in bugs]
    if left:
        tree.use(tree.BUILD / "hunt")
        program, _, hunted = built("uvsim")
        hunts = hunt.Hunts(program, options.seeds)
        bugs_left = [bug for bug in hunted if bug.name in left]
        missed += set(left) - {bug.name for bug in bugs_left}
        with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
            hunts.learn(pool)
            for bug, result in zip(bugs_left, pool.map(lambda bug: hunts.judge(bug.edits[0]), bugs_left)):
                is_found = result["verdict"] == "killed"
                seen = result["seen"] if is_found else f"{result['worlds']} worlds come across it"
                if not is_found:
                    missed.append(bug.name)
                    others = hunts.differences(bug.edits[0])
                    seen += f"; {len(others)} runs make other calls, {others[0]} is the first" if others else "; all runs make the same calls"
                row(bug.name, result["by"] if is_found else "nobody", result["seconds"], seen)
    print(f"{len(missed)} of {len(all_bugs)} missed by the tests and by at most {options.seeds} seeds of each world")
    return 14 * len(missed) <= len(all_bugs)
