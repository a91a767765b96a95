"""The bugs of `PlantedBugs` as mutants, so that one build has all of them: each function that a patch changes has both bodies."""
import re

import mutations
import swift

FUNCTIONS = {"func", "init", "deinit", "accessor", "get", "set", "willSet", "didSet"}


class Bug:
    """A patch. `bodies` has an edit for each function that it changes, by path."""

    def __init__(self, patch, root):
        self.name, self.bodies = patch.stem, {}
        for part in patch.read_text().split("diff --git ")[1:]:
            path = re.search(r"^\+\+\+ b/(.*)", part, re.M)[1]
            self.bodies[path] = list(bodies((root / path).read_text(), hunks(part), self.name))
            for edit in self.bodies[path]: edit.path, edit.key = path, self.name

    @property
    def edits(self): return [edit for edits in self.bodies.values() for edit in edits]


def hunks(part):
    """What stands there, and what is to stand in its place."""
    for hunk in re.split(r"^@@.*\n", part, flags=re.M)[1:]:
        lines = [line or " " for line in hunk.rstrip("\n").split("\n")]
        yield tuple("".join(line[1:] + "\n" for line in lines if line[0] in marks) for marks in (" -", " +"))


def bodies(text, changes, name):
    source, changed, spans = swift.Source(text), text, []
    for old, new in changes:
        if changed.count(old) != 1: raise SystemExit(f"Mutants/run: {name} no longer applies; see PlantedBugs/run --check")
        same = next(at for at in range(len(old)) if old[at] != new[at:at + 1])
        spans.append(text.index(old) + same)
        changed = changed.replace(old, new)
    after = swift.Source(changed)
    functions, others = ([block for block in each.blocks if block.kind in FUNCTIONS] for each in (source, after))
    taken = {max((at for at, block in enumerate(functions) if source.tokens[block.open].start < span < source.tokens[block.close].end),
                 key=lambda at: functions[at].open) for span in spans}
    for at in sorted(taken):
        block, first, last = functions[at], functions[at].open + 1, functions[at].close - 1
        before = "if plant({n}) {{ " + mutations.braces(words(others[at], after)) + "\n}} else {{ "
        if is_expression(block, source): before += "return "
        edit = mutations.Edit("bug", source.tokens[first].start, source.tokens[last].end, before, "\n}}", source.tokens[first].line, name)
        edit.function = (edit.start, edit.end)
        yield edit


def is_expression(block, source):
    """Whether a body is an expression, whose value is the result."""
    return block.is_value and len(block.statements) == 1 and source.tokens[block.open + 1].text not in ("return", "throw", "switch", "if")


def words(block, source):
    body = source.text[source.tokens[block.open].end:source.tokens[block.close].start]
    return "return " + body if is_expression(block, source) else body
