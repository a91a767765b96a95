"""Asks the simulation: `uvsim hunt` with a mutant, or with a bug of `PlantedBugs`."""
import hashlib
import json
import os
import re
import resource
import subprocess
import tempfile
import time

import tree

# What a run may take of memory. A mutant may ask for all there is.
MEMORY = 4 << 30
# With so many seeds a world shows which mutants it comes across, and how long a seed takes it.
LEARNED = 20
# All worlds that come across a mutant share so many seconds of a processor. A world that is slow gets fewer seeds.
TOTAL = 240


class Hunts:
    def __init__(self, program, seeds):
        self.program, self.seeds = program, seeds
        self.usual = {}

    def run(self, words, number):
        environment = {**os.environ, **({} if number is None else {"PLANT": str(number)})}
        return subprocess.run([self.program, *words], capture_output=True, text=True, errors="replace", env=environment,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)))

    def ask(self, words, number):
        """The world, the seed and what was seen; nothing if that was all right."""
        done = self.run(words, number)
        found = re.search(r"^(.+?): seed (\d+): (.*)", done.stdout, re.M)
        if found: return found[1], int(found[2]), re.sub(r"^the world's closure threw an error: | \(seed .*", "", found[3])
        return None if done.returncode == 0 else ("no world", self.seeds, f"it has ended with {done.returncode}: {(done.stdout + done.stderr)[-200:]}")

    def hunt(self, number=None, worlds=(), seeds=None):
        first, last = 1, seeds or self.seeds
        while first <= last:
            found = self.ask(["hunt", f"{first}-{last}", *worlds], number)
            if not found or number is None or found[0] == "no world": return found
            world, seed, seen = found
            # What is seen without the mutant, too, isn't its fault. A run may take a minute on a busy machine: it has to do so again.
            same = ["show", str(seed), world]
            if not self.ask(same, None) and ("real time" not in seen or self.ask(same, number)): return found
            first = seed + 1

    def learn(self, pool):
        """What each world comes across. That takes half a minute, and is kept as long as the program."""
        stored = tree.BUILD / "worlds.json"
        digest = hashlib.sha256(self.program.read_bytes()).hexdigest()
        known = json.loads(stored.read_text()) if stored.exists() else {}
        if known.get("program") != digest:
            listed = subprocess.run([self.program, "worlds"], capture_output=True, text=True, check=True).stdout.splitlines()
            known = {"program": digest, "worlds": dict(zip(listed, pool.map(self.reached, listed)))}
            stored.write_text(json.dumps(known))
        self.worlds = {world: (seconds, set(numbers)) for world, (seconds, numbers) in known["worlds"].items()}

    def reached(self, world):
        """The processor's time of a seed, and the mutants that are reached."""
        with tempfile.NamedTemporaryFile(mode="r", prefix="reached") as file:
            process = subprocess.Popen([self.program, "hunt", str(LEARNED), world], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "PLANT_REACHED": file.name})
            used = os.wait4(process.pid, 0)[2]
            return (used.ru_utime + used.ru_stime) / LEARNED, sorted({number for line in file for number in json.loads(line)[1:]})

    def judge(self, edit):
        """A result for a survivor: what it becomes if the simulation notices it. The quick worlds of those that come across it are first."""
        begin, found = time.monotonic(), None
        reaching = sorted((seconds, world) for world, (seconds, numbers) in self.worlds.items() if edit.number in numbers)
        # Those that may have as many seeds go together. What quick worlds leave of their share is for the slow ones.
        groups, left = {}, TOTAL
        for number, (seconds, world) in enumerate(reaching):
            seeds = min(self.seeds, max(LEARNED, int(left / (len(reaching) - number) / max(seconds, 1e-3))))
            left = max(0, left - seeds * seconds)
            groups.setdefault(seeds, []).append(world)
        for seeds, worlds in groups.items():
            found = found or self.hunt(edit.number, worlds, seeds)
        result = {"verdict": "survived", "hunted": self.seeds, "worlds": sum(map(len, groups.values()))} if not found else {
            "verdict": "killed", "how": "hunted", "by": f"uvsim hunt: {found[0]}, seed {found[1]}", "seen": found[2][:120]}
        return {**result, "seconds": round(time.monotonic() - begin, 1)}

    def differences(self, edit):
        """The runs in which the outside sees other calls than without the mutant. If there are some, a world comes across it, and nobody looks."""
        def digests(world, number): return self.run(["digests", str(LEARNED), world], number).stdout.splitlines()

        found = []
        for world, (_, numbers) in self.worlds.items():
            if edit.number not in numbers: continue
            if world not in self.usual: self.usual[world] = digests(world, None)
            found += [line.rpartition(": ")[0] for line, other in zip(self.usual[world], digests(world, edit.number)) if line != other]
        return found
