"""Asks the simulation: `uvsim hunt` with a mutant, or with a bug of `PlantedBugs`."""
import os
import re
import resource
import subprocess
import time

# What a run may take of memory. A mutant may ask for all there is.
MEMORY = 4 << 30


class Hunts:
    def __init__(self, program, seeds): self.program, self.seeds = program, seeds

    def ask(self, words, number):
        """The world, the seed and what was seen; nothing if that was all right."""
        environment = {**os.environ, **({} if number is None else {"PLANT": str(number)})}
        done = subprocess.run([self.program, *words], capture_output=True, text=True, errors="replace", env=environment,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)))
        found = re.search(r"^(.+?): seed (\d+): (.*)", done.stdout, re.M)
        if found: return found[1], int(found[2]), re.sub(r"^the world's closure threw an error: | \(seed .*", "", found[3])
        return None if done.returncode == 0 else ("no world", self.seeds, f"it has ended with {done.returncode}: {(done.stdout + done.stderr)[-200:]}")

    def hunt(self, number=None):
        first = 1
        while first <= self.seeds:
            found = self.ask(["hunt", f"{first}-{self.seeds}"], number)
            if not found or "real time" not in found[2]: return found
            # A run takes a minute on a busy machine, too: it has to do so again, and not without the mutant.
            world, seed, _ = found
            if self.ask(["show", str(seed), world], number) and not self.ask(["show", str(seed), world], None): return found
            first = seed + 1

    def judge(self, edit):
        """A result for a survivor: what it becomes if the simulation notices it."""
        begin, found = time.monotonic(), self.hunt(edit.number)
        result = {"verdict": "survived", "hunted": self.seeds} if not found else {
            "verdict": "killed", "how": "hunted", "by": f"uvsim hunt: {found[0]}, seed {found[1]}", "seen": found[2][:120]}
        return {**result, "seconds": round(time.monotonic() - begin, 1)}
