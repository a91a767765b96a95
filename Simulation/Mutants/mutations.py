"""The mutants of a file: what each changes, as text around what is there.

A mutant is an edit: the text from `start` to `end` stays, and gets `before` and `after` around it. `{n}` stands for its number. Edits lie
within each other or apart, so that a file can have all of them at once. The text of the mutant is in `before`, as it was in the file.
"""
import hashlib
import re

import swift

BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "==="}
ASSIGNING = {"=", "+=", "-=", "*=", "/=", "&+=", "&-=", "|=", "&=", "^=", "<<=", ">>="}
# Where an expression ends to the left; and to the right.
BEGINS_AFTER = {"(", "[", "{", ",", ";", "return", "in", "if", "while", "guard", "switch", "else", "case", "where", "try", "await", "throw", "let",
                "var", "->", ":", "?", "}", "is", "as"} | ASSIGNING
ENDS_BEFORE = {")", "]", "}", ",", ";", "{", "else", "?", ":", "where", "is", "as"} | ASSIGNING
# What is said of the program, and nothing that it does.
CLAIMS = {"assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError", "assertOnLoop", "requireOnLoop"}
NO_STATEMENT = {"let", "var", "if", "guard", "while", "for", "switch", "repeat", "do", "defer", "func", "return", "throw", "break", "continue",
                "case", "default", "import", "class", "struct", "enum", "extension", "typealias", "fallthrough", "yield", "unsafe"}
CODE = {"func", "init", "deinit", "accessor", "get", "set", "willSet", "didSet", "closure", "if", "guard-else", "else", "while", "for", "switch",
        "repeat", "do", "defer", "catch", "while-after"}
KINDS = ("condition", "boundary", "logic", "call", "assignment", "exchange", "state", "time", "error", "number", "step", "return")


class Edit:
    __slots__ = ("kind", "start", "end", "before", "after", "path", "line", "text", "key", "number", "function", "spans")

    def __init__(self, kind, start, end, before, after, line, text):
        self.kind, self.start, self.end, self.before, self.after, self.line, self.text = kind, start, end, before, after, line, text
        self.path = self.key = self.number = self.function = None
        self.spans = []

    @property
    def layer(self):
        parts = self.path.split("/")
        return "/".join(parts[1:3]) if parts[1] == "UV" and len(parts) > 3 else parts[1]


class Finder:
    def __init__(self, source, enums):
        self.source, self.tokens, self.text, self.enums, self.edits = source, source.tokens, source.text, enums, []
        self.statement_of, self.clauses = {}, set(source.conditions)
        self.claims = [(token.start, self.tokens[self.tokens[index + 1].partner].end) for index, token in enumerate(self.tokens[:-1])
                       if token.text in CLAIMS and self.tokens[index + 1].text == "("]
        for block in source.blocks:
            for first, last in block.statements:
                if block.kind in CODE: self.statement_of[(first, last)] = block

    def span(self, first, last): return self.tokens[first].start, self.tokens[last].end
    def raw(self, first, last): return self.text[self.tokens[first].start:self.tokens[last].end]

    def add(self, kind, first, last, before, after, text):
        start, end = self.span(first, last)
        if not self.source.is_live(start) or any(low <= start and end <= high for low, high in self.claims): return
        self.edits.append(Edit(kind, start, end, before, after, self.tokens[first].line, " ".join(text.split())))

    def find(self):
        for (first, last), block in self.statement_of.items(): self.statement(first, last, block)
        for block in self.source.blocks: self.exchanges(block)
        for first, last in self.source.conditions:
            self.add("condition", first, last, "((", ") != plant({n}))", f"!({self.raw(first, last)})")
        for index, token in enumerate(self.tokens): self.token(index, token)
        return self.edits

    # Statements

    def is_simple(self, first, last):
        """`call`, `assignment`, or nothing."""
        tokens = self.tokens
        if tokens[first].kind != "name" and tokens[first].text != "(" or tokens[first].text in NO_STATEMENT: return None
        if tokens[first].text[0] in "@#" or any(token.text in CLAIMS for token in tokens[first:last + 1]): return None
        if tokens[first].text in swift.ACCESSORS and tokens[first + 1].text == "{": return None
        if any(tokens[at].text in ("super", "self") and tokens[at + 2].text == "init" for at in range(first, last - 1)): return None
        index = first
        while index <= last:
            if tokens[index].text in ASSIGNING and self.source.is_binary(index):
                return "call" if tokens[first].text == "_" else "assignment"
            index = tokens[index].partner + 1 if tokens[index].text in ("(", "[", "{") else index + 1
        return "call" if tokens[last].text in (")", "}") and tokens[first].kind == "name" else None

    def is_alone_and_value(self, block): return block.is_value and sum(self.tokens[first].text not in ("case", "default") for first, _ in block.statements) == 1

    def statement(self, first, last, block):
        raw, head = self.raw(first, last), self.tokens[first].text
        # An expression that is the result of a function, a closure or a branch.
        if block.kind == "switch" and block.is_value or self.is_alone_and_value(block): return
        kind = self.is_simple(first, last)
        if kind and not (kind == "assignment" and self.is_first(first, block)):
            self.add(kind, first, last, "if !plant({n}) {{ ", " }}", f"without: {raw}")
        at = next((index for index in range(first, last + 1) if self.tokens[index].text == "try" and kind and "{" not in raw), None)
        if at is not None and self.tokens[at + 1].text not in ("?", "!"):
            # The words of the mutant are those of the statement, with a question mark.
            swallowed = self.raw(first, at) + "?" + self.text[self.tokens[at].end:self.tokens[last].end]
            lost = swallowed if kind == "assignment" or head == "_" else f"_ = {swallowed}"
            self.add("error", first, last, "if plant({n}) {{ " + braces(lost) + " }} else {{ ", " }}", swallowed)
        # What must leave a function or a branch has to stay.
        if block.kind == "if": may_go = self.tokens[block.close + 1].text != "else"
        else: may_go = block.kind in ("for", "while", "repeat", "func", "closure", "accessor", "get") and last < block.close - 1
        if head == "throw" and may_go: self.add("error", first, last, "if !plant({n}) {{ ", " }}", f"without: {raw}")
        if head in ("return", "continue") and may_go:
            self.add("return", first, last, "if !plant({n}) {{ ", " }}", f"without: {raw}")

    def is_first(self, first, block):
        """Whether an assignment may be the first one of a constant or a property, which can't be left out."""
        while block.parent and block.kind not in ("init", "func", "accessor"): block = block.parent
        if block.kind == "init": return True
        name = re.escape(self.tokens[first].text)
        return bool(re.search(rf"\b(let|var) [\w, ]*\b{name}\b[^=\n]*$", self.text[self.tokens[block.open].start:self.tokens[first].start], re.M))

    def exchanges(self, block):
        """Neighbours that could stand the other way round. No statement is in two pairs, for pairs would cross."""
        index = 0
        while block.kind in CODE - {"init"} and index + 1 < len(block.statements):
            one, other = block.statements[index], block.statements[index + 1]
            kinds, texts = {self.is_simple(*pair) for pair in (one, other)}, {self.raw(*one), self.raw(*other)}
            # Two assignments, and what is counted, seldom have an order.
            if "call" in kinds and None not in kinds and len(texts) == 2 and not self.is_first(one[0], block) and not any("ounts." in text or text.startswith("_ =") for text in texts):
                before = "if plant({n}) {{ " + braces(f"{self.raw(*other)}\n{self.raw(*one)}") + " }} else {{ "
                self.add("exchange", one[0], other[1], before, " }}", f"{self.raw(*other)} before {self.raw(*one)}")
                index += 1
            index += 1

    # Expressions

    def region(self, index):
        """The tokens of the expression that an operator belongs to, within its brackets."""
        tokens, first, last = self.tokens, index, index
        while first > 0:
            before = tokens[first - 1]
            if before.text in BEGINS_AFTER and (before.text != "?" or before.space): break
            if tokens[first].newline and tokens[first].text != "." and not self.source.is_binary(first) and not self.source.is_binary(first - 1): break
            first = before.partner if before.text in (")", "]") else first - 1
        while last + 1 < len(tokens):
            after = tokens[last + 1]
            if after.text in ENDS_BEFORE and (after.text != "?" or after.space): break
            if after.newline and not self.source.is_binary(last + 1) and after.text not in (".", "??") and not self.source.is_binary(last): break
            last = after.partner if after.text in ("(", "[") else last + 1
        return first, last

    def replaced(self, kind, index, text):
        """A mutant of the whole expression, with another operator."""
        first, last = self.region(index)
        follows = self.tokens[last + 1].text if last + 1 < len(self.tokens) else ""
        raw = self.raw(first, last)
        # A requirement of a generic declaration compares types.
        if all(token.text[0].isupper() for token in self.tokens[first:last + 1] if token.kind == "name"): return
        if first == index or last == index or "{" in raw or "\n" in raw and "//" in raw or follows == "{" and not self.is_condition(first, last): return
        token, start = self.tokens[index], self.tokens[first].start
        mutant = raw[:token.start - start] + text + raw[token.end - start:]
        self.add(kind, first, last, "(plant({n}) ? " + braces(mutant) + " : ", ")", mutant)

    def is_condition(self, first, last): return any(low <= first and last <= high for low, high in self.source.conditions)

    def token(self, index, token):
        text, before = token.text, self.tokens[index - 1].text if index else ""
        if token.kind == "operator" and self.source.is_binary(index):
            # An equality that is a whole clause is turned with it.
            if text in BOUNDARIES and not (len(text) > 1 and text[-2:] in ("==", "!=") and self.region(index) in self.clauses):
                self.replaced("boundary", index, BOUNDARIES[text])
            if text in ("&&", "||"): self.replaced("logic", index, "||" if text == "&&" else "&&")
            if text == "?":
                first, _ = self.region(index)
                self.add("condition", first, index - 1, "((", ") != plant({n}))", f"!({self.raw(first, index - 1)}) ?")
        elif token.kind == "number": self.number(index, token, before)
        elif text == "now" and before == ".": self.time(index)
        elif text == "uv_hrtime" and self.tokens[index + 1].text == "(":
            loop = "block.header.pointee.loop.raw" if "block.header.pointee.loop" in self.text else "raw" if "uv_now(raw)" in self.text else "loop.raw"
            stale = f"(uv_now({loop}) * 1_000_000)"
            self.add("time", index, index + 2, "(plant({n}) ? " + stale + " : ", ")", stale)
        elif token.kind == "name" and before == "." and index > 1 and self.tokens[index - 2].text in ("=", "return", "?", ":"): self.state(index)

    def number(self, index, token, before):
        if before in (".", "case") or self.is_pattern(index): return
        if token.text == "1" and before in ("+", "-", "&+", "&-") and self.source.is_binary(index - 1):
            return self.add("step", index, index, "(plant({n}) ? 0 : ", ")", f"{before} 0")
        if token.text not in ("0", "1", "0.0"):
            self.add("number", index, index, "(plant({n}) ? 2 * " + token.text + " : ", ")", f"2 * {token.text}")

    def is_pattern(self, index):
        """Whether this is in a `case`, whose numbers aren't expressions."""
        line = self.text.rfind("\n", 0, self.tokens[index].start)
        return self.text[line + 1:self.tokens[index].start].lstrip().startswith(("case", "@", "enum"))

    def time(self, index):
        first = index - 1
        while first > 0 and self.tokens[first - 1].kind == "name" and self.tokens[first - 1].text not in ("return", "in", "else"):
            first -= 2 if self.tokens[first - 2].text == "." else 1
            if self.tokens[first].kind == "name": break
        chain = self.raw(first, index)
        if chain.endswith(".clock.now"): other = chain.replace(".clock.now", ".now")
        elif chain.endswith("loop.now"): other = chain.replace("loop.now", "loop.clock.now")
        elif chain in ("LoopClock.Instant.now", ".now"): other = "client.loop.now" if "client.loop" in self.text else "loop.now"
        else: return
        self.add("time", first, index, "(plant({n}) ? " + other + " : ", ")", other)

    def state(self, index):
        name, after = self.tokens[index].text, self.tokens[index + 1]
        if after.text in ("(", ".", "[") and not after.newline: return
        for members in self.enums.values():
            if name in members:
                other = members[(members.index(name) + 1) % len(members)]
                return self.add("state", index - 1, index, "(plant({n}) ? ." + other + " : ", ")", f".{other} for .{name}")


def braces(text): return text.replace("{", "{{").replace("}", "}}")


def find(path, source, enums, seen):
    """The mutants of a file, outer ones before those within, each with a key that stays while its function does. `seen` counts the keys
    of all files: functions may have the same text."""
    edits, stack, kept = Finder(source, enums).find(), [], []
    functions = sorted({block.function for block in source.blocks if block.function})
    spans = [(source.tokens[first].start, source.tokens[last].end) for first, last in functions]
    order = {kind: number for number, kind in enumerate(("exchange", "error", "call", "assignment", "return"))}
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end, order.get(edit.kind, 9))):
        while stack and stack[-1].end <= edit.start: stack.pop()
        if stack and edit.end > stack[-1].end: continue  # They cross.
        inner = [span for span in spans if span[0] <= edit.start and edit.end <= span[1]]
        edit.function = min(inner, key=lambda span: span[1] - span[0]) if inner else (edit.start, edit.end)
        edit.path = path
        # A number of a property has but its line and its file.
        line = source.text[source.text.rfind("\n", 0, edit.start):edit.end] if not inner else ""
        place = path.rsplit("/", 1)[-1] + line if not inner else ""
        own = f"{place}{source.text[slice(*edit.function)]}\0{edit.kind}\0{edit.start - edit.function[0]}\0{edit.text}"
        digest = hashlib.sha256(own.encode()).hexdigest()[:16]
        seen[digest] = seen.get(digest, 0) + 1
        edit.key = digest if seen[digest] == 1 else f"{digest}.{seen[digest]}"
        stack.append(edit)
        kept.append(edit)
    return kept


def render(text, edits):
    """The file with all these mutants in it; and where in it each lies, and its own words."""
    parts, at, length, ends = [], 0, 0, []

    def write(part):
        nonlocal length
        parts.append(part)
        length += len(part)

    def close(until):
        nonlocal at
        while ends and ends[-1].end <= until:
            edit = ends.pop()
            write(text[at:edit.end])
            at = edit.end
            write(edit.after.format(n=edit.number))
            edit.spans[2] = length

    for edit in edits:
        close(edit.start)
        write(text[at:edit.start])
        at, begun = edit.start, length
        write(edit.before.format(n=edit.number))
        edit.spans = [begun, length, 0]
        ends.append(edit)
    close(len(text) + 1)
    write(text[at:])
    return "".join(parts)
