"""A copy of the package that has many mutants at once, each behind its number, as far as the compiler takes them."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import bugs
import mutations
import swift

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATCHES = ROOT / "Simulation/PlantedBugs"


def use(folder):
    """Where the copy is, and what is built of it: one for the tests, and one for the simulation. STAMP says what the compiler has taken."""
    global BUILD, TREE, SCRATCH, STAMP
    BUILD = folder
    TREE, SCRATCH, STAMP = BUILD / "tree", BUILD / "scratch", BUILD / "taken"
    BUILD.mkdir(parents=True, exist_ok=True)


use(ROOT / ".build-mutants")
# The modules, in the order of their imports.
MODULES = ("UV", "UVHTTP", "UVTLS", "UVPromises", "UVFutures")
# What the tests of these need. The rest of the package isn't built.
TARGETS = ("CUV", "CLibuv", "UV", "UVPromises", "COpenSSL", "UVTLS", "UVHTTP", "UVFutures", "CTestHooks",
           "CAres", "UVDNS", "CStallWatch", "StallWatch", "UVStalls", "UVDiagnostics", "UVRxStream",
           "UVTestSupport", "UVTests", "UVPromisesTests", "UVFuturesTests", "UVTLSTests", "UVHTTPTests", "StyleTests",
           "FaultTests", "HostTests", "UVDNSTests")
# Numbers are below this, so that a table of what was reached is small.
NUMBERS = 1 << 24
HEADER = f"""#pragma once
#include <stdbool.h>
extern int cuv_plant_number;
extern unsigned char *cuv_plant_reached;
/// Whether the program is to be the mutant of this number: PLANT in its environment.
static inline bool plant(int number) {{
  if (__builtin_expect(cuv_plant_reached != 0, 0)) cuv_plant_reached[number] = 1;
  return __builtin_expect(cuv_plant_number == number, 0);
}}
"""
CODE = f"""#define _GNU_SOURCE
#include "plant.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int cuv_plant_number = -1;
unsigned char *cuv_plant_reached = 0;
static unsigned char table[{NUMBERS}];
// What was reached since the last line, in one call: a child that a test has started writes, too.
static void write_line(const char *test, size_t length) {{
  size_t count = 0;
  for (size_t at = 0; at < sizeof table; at++) count += table[at];
  char *line = count ? malloc(length + 10 * count + 8) : 0;
  if (!line) return;
  char *end = line + sprintf(line, "[\\"%.*s\\"", (int)length, test);
  for (int number = 0; count > 0 && number < {NUMBERS}; number++) {{
    if (!table[number]) continue;
    end += sprintf(end, ",%d", number);
    table[number] = 0;
    count--;
  }}
  end += sprintf(end, "]\\n");
  int file = open(getenv("PLANT_REACHED"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0 && write(file, line, end - line) < 0) abort();
  close(file);
  free(line);
}}
__attribute__((destructor)) static void end(void) {{
  if (cuv_plant_reached) write_line("", 0);
}}
// Where a test has a process stop that misuses the library.
static void crash(int number) {{
  write_line("", 0);
  signal(number, SIG_DFL);
  raise(number);
}}
__attribute__((constructor)) static void begin(void) {{
  const char *number = getenv("PLANT");
  if (number) cuv_plant_number = atoi(number);
  if (!getenv("PLANT_REACHED")) return;
  cuv_plant_reached = table;
  signal(SIGILL, crash);
  signal(SIGTRAP, crash);
  signal(SIGABRT, crash);
}}
// Swift Testing writes a line where a test begins and where it ends, on the test's thread. The simulation has a function of its own.
__attribute__((weak)) size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {{
  static size_t (*next)(const void *, size_t, size_t, FILE *);
  if (!next) next = (size_t (*)(const void *, size_t, size_t, FILE *))dlsym(RTLD_NEXT, "fwrite");
  if (cuv_plant_reached && memmem(bytes, size * count, "\\"testStarted\\"", 13)) write_line("", 0);
  if (cuv_plant_reached && memmem(bytes, size * count, "\\"testEnded\\"", 11)) {{
    const char *id = memmem(bytes, size * count, "\\"testID\\":\\"", 10), *limit = (const char *)bytes + size * count;
    const char *stop = id ? memchr(id + 10, '"', limit - id - 10) : 0;
    while (stop && stop[-1] == '\\\\') stop = memchr(stop + 1, '"', limit - stop - 1);
    write_line(stop ? id + 10 : "", stop ? stop - id - 10 : 0);
  }}
  return next(bytes, size, count, file);
}}
"""


def log(text): print(text, flush=True)


class Mutants:
    """All mutants of the sources, by file; the bugs of `PlantedBugs`; and what the compiler has refused."""

    def __init__(self):
        self.files, self.all, numbers, seen = {}, [], set(), {}
        self.bugs = [bugs.Bug(patch, ROOT) for patch in sorted(PATCHES.glob("*.patch"))]
        for module in MODULES:
            paths = sorted((ROOT / "Sources" / module).rglob("*.swift"))
            sources = {str(path.relative_to(ROOT)): swift.Source(path.read_text()) for path in paths}
            enums = {name: members for source in sources.values() for name, members in source.enums.items()}
            for path, source in sources.items():
                found = mutations.find(path, source, enums, seen)
                self.all += found
                # What has the place of a whole function is around its mutants.
                found = [edit for bug in self.bugs for edit in bug.bodies.get(path, [])] + found
                self.files[path] = (source.text, sorted(found, key=lambda edit: (edit.start, -edit.end)))
        # A number that comes from the key stays when other files change, and they needn't be compiled again.
        for edits in [[edit] for edit in sorted(self.all, key=lambda edit: edit.key)] + [bug.edits for bug in self.bugs]:
            number = int(hashlib.sha256(edits[0].key.encode()).hexdigest()[:6], 16)
            while number in numbers: number = (number + 1) % NUMBERS
            numbers.add(number)
            for edit in edits: edit.number = number
        self.refusals = BUILD / "refused.json"
        stored = json.loads(self.refusals.read_text()) if self.refusals.exists() else {}
        keys = {edit.key for edit in self.all} | {bug.name for bug in self.bugs}
        self.refused = {key: why for key, why in stored.items() if key in keys}
        self.wanted = BUILD / "planted.json"
        self.planted = keys.intersection(json.loads(self.wanted.read_text()) if self.wanted.exists() else [])

    def plant(self, edits):
        """Takes mutants into the program, beside those that are there. All of them would make the build long."""
        self.planted |= {edit.key for edit in edits}
        self.wanted.write_text(json.dumps(sorted(self.planted), indent=0))

    def taken(self, path): return [edit for edit in self.files[path][1] if edit.key in self.planted and edit.key not in self.refused]

    def text(self, path):
        text, edits = self.files[path][0], self.taken(path)
        return ("import CUV\n" if edits else "") + mutations.render(text, edits)

    def refuse(self, path, line, column, why):
        """Leaves out the mutant that the compiler complains of; how many that are. One that it can't name takes those of its function along."""
        text = self.text(path)
        edits = self.taken(path)
        offset = len("import CUV\n")
        lines = text.split("\n")
        column = len(lines[line - 1].encode()[:column - 1].decode(errors="ignore"))
        at = sum(len(each) + 1 for each in lines[:line - 1]) + column - offset
        around = [edit for edit in edits if edit.spans[0] <= at < max(edit.spans[2], edit.spans[0] + 1)]
        own = [edit for edit in around if at < edit.spans[1]]
        near = own[-1:] or around[-1:]
        if not near:
            # Where a flow has no end, or a constant no value, the place is the end of the function or of what leaves it.
            if not edits: return 0
            behind = [edit for edit in edits if edit.spans[2] <= at] or edits
            last = max(behind, key=lambda edit: edit.spans[2])
            near = [edit for edit in edits if edit.function == last.function]
            leaving = [edit for edit in near if edit.kind in ("return", "error")]
            if "missing return" in why or "fall through" in why: near = leaving or near
            else: near = [edit for edit in near if edit.kind in ("call", "assignment", "exchange", "error", "return")] or near
        for edit in near: self.refused[edit.key] = why
        return len(near)

    def store(self): self.refusals.write_text(json.dumps(self.refused, indent=0, sort_keys=True))


def put(path, text):
    """Writes a file, unless it is so already: a build looks at the time."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write(mutants):
    # A file that has gone from the package would declare things twice.
    for copy in [path for folder in ("Sources", "CModules", "Tests") for path in (TREE / folder).rglob("*") if path.is_file()]:
        own = copy.relative_to(TREE)
        if not (ROOT / own).exists() and own.name not in ("plant.h", "plant.c"): copy.unlink()
    for folder in ("Sources", "CModules", "Tests"):
        for path in (ROOT / folder).rglob("*"):
            own = path.relative_to(ROOT)
            if path.is_dir() or str(own) in mutants.files or str(own) == "CModules/CUV/cuv.h" or str(own).startswith("Sources/Hosts"): continue
            copy = TREE / own
            if not copy.exists() or copy.stat().st_mtime < path.stat().st_mtime:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
    for path in mutants.files: put(TREE / path, mutants.text(path))
    put(TREE / "CModules/CUV/plant.h", HEADER)
    put(TREE / "CModules/CUV/plant.c", CODE)
    put(TREE / "CModules/CUV/cuv.h", (ROOT / "CModules/CUV/cuv.h").read_text() + '\n#include "plant.h"\n')
    kept = ", ".join(f'"{name}"' for name in TARGETS)
    put(TREE / "Package.swift", (ROOT / "Package.swift").read_text() + f"""
let kept: Set = [{kept}]
package.products.removeAll {{ !kept.contains($0.name) }}
package.targets.removeAll {{ !kept.contains($0.name) }}
""")
    resolved = ROOT / "Package.resolved"
    if resolved.exists(): put(TREE / "Package.resolved", resolved.read_text())


def command(module, built):
    """How the package manager compiles a module, without what it writes. `built` has its plan and its modules."""
    plan = (built / "debug.yaml").read_text()
    at = plan.index(f'"-module-name","{module}",')
    arguments = json.loads(plan[plan.rindex("args:", 0, at) + 5:plan.index("\n", at)])
    kept, rest = ["swiftc", "-wmo", "-parse-as-library", "-suppress-warnings", "-module-name", module, "-module-cache-path", str(BUILD / "cache")], iter(arguments[1:])
    if (built / "Modules").exists(): kept += ["-I", str(built / "Modules")]
    for word in rest:
        if word in ("-I", "-Xcc", "-enable-upcoming-feature", "-enable-experimental-feature", "-swift-version", "-package-name", "-F"):
            kept += [word, next(rest)]
        elif word.startswith("-D") or word == "-enable-testing": kept.append(word)
        elif word in ("-emit-module-path", "-output-file-map", "-index-store-path", "-module-cache-path", "-target", "-module-name",
                      "-emit-objc-header-path"): next(rest)
    own = f"\\g<1>{TREE}/CModules/CUV"
    return [re.sub(r"^(|-fmodule-map-file=)/.*/CModules/CUV", own, word) for word in kept]


def leave_out(mutants, said, is_first=False):
    """Leaves out what the compiler complains of, or the first of it in each file; how many mutants that are."""
    complaints = re.findall(rf"^{re.escape(str(TREE))}/(\S+?):(\d+):(\d+): error: (.*)", said, re.M)
    complaints = {path: (path, *rest) for path, *rest in reversed(complaints)}.values() if is_first else set(complaints)
    # All are found before any is left out, as these change the lines.
    before, found = dict(mutants.refused), {}
    for path, line, column, why in complaints:
        mutants.refused = dict(before)
        if path in mutants.files: mutants.refuse(path, int(line), int(column), why)
        found.update(mutants.refused)
    mutants.refused = found or before
    mutants.store()
    return len(mutants.refused) - len(before)


def digest(mutants): return hashlib.sha256("".join(map(mutants.text, mutants.files)).encode()).hexdigest()


def check(mutants, built):
    """Asks the compiler until it takes what is left: first for types, then for what it finds in the flow of a function."""
    if STAMP.exists() and STAMP.read_text() == digest(mutants): return
    if not (built / "debug.yaml").exists(): raise SystemExit(f"Mutants/run: {built} has no build; run `swift build --traits Everything --build-tests`")
    for module in MODULES:
        files = [str(TREE / path) for path in mutants.files if path.startswith(f"Sources/{module}/")]
        start = command(module, built)
        # Behind a mistake of syntax, the compiler takes what is right for wrong.
        for mode in (["-parse"], ["-typecheck"], ["-emit-sil", "-o", os.devnull]):
            for number in range(1, 40):
                write(mutants)
                done = subprocess.run(start + mode + files, capture_output=True, text=True)
                if done.returncode == 0: break
                count = leave_out(mutants, done.stderr, mode == ["-parse"])
                log(f"{module} {mode[0]}, {number}: {count} mutants left out")
                if count == 0: raise SystemExit(f"Mutants/run: the compiler says\n{done.stderr[-4000:]}")
            else: raise SystemExit(f"Mutants/run: {module} isn't compiled yet")
    STAMP.write_text(digest(mutants))


def build(mutants, program="swift-uvPackageTests.xctest"):
    """The program with all tests, or `uvsim`, with the mutants that were asked for. The compiler may still refuse some when it optimizes what is inlined."""
    words = ["swift", "build", "--scratch-path", str(SCRATCH)]
    if program == "uvsim": words += ["--package-path", str(TREE / "Simulation"), "-c", "release", "--product", program]
    else: words += ["--package-path", str(TREE), "--traits", "Everything", "--build-tests", "--disable-build-manifest-caching"]
    while True:
        write(mutants)
        if program == "uvsim": write_simulation()
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode == 0:
            STAMP.write_text(digest(mutants))
            return SCRATCH / ("release" if program == "uvsim" else "debug") / program
        said = done.stdout + done.stderr
        if leave_out(mutants, said) == 0: raise SystemExit("Mutants/run: the build says\n" + "\n".join(re.findall(r".*error:.*", said)[:30]) + said[-2000:])


def write_simulation():
    """The package of the simulation beside the library's, without its tests."""
    for folder in ("Sources", "Tests/Support"):
        shutil.copytree(ROOT / "Simulation" / folder, TREE / "Simulation" / folder, dirs_exist_ok=True)
    put(TREE / "Simulation/Package.swift", (ROOT / "Simulation/Package.swift").read_text() + "\npackage.targets.removeAll { $0.type == .test }\n")
