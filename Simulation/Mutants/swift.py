"""Swift's tokens, blocks and statements, as far as mutants need them.

This knows no grammar. It finds what stands between brackets, where a statement begins and ends, and which keyword a block belongs to. The
sources are formatted by swift-format, so that a binary operator has a space on both sides. What is understood wrongly gives a mutant that
the compiler refuses, and no more than that.
"""
import re

PATTERN = re.compile(
    r"""(?P<space>[ \t\r\n]+)|(?P<comment>//[^\n]*)|(?P<directive>\#(?:if|elseif|else|endif)\b[^\n]*)
    |(?P<name>`[^`\n]+`|[@\#]?[A-Za-z_$][\w$]*)|(?P<number>\d[\w]*(?:\.\d[\w]*)?)
    |(?P<operator>\.\.\.|\.\.<|->|\?\?|[&|=!<>+\-*/%^~]+|[?.\\])|(?P<mark>[(){}\[\],;:@\#])""", re.X)
CLOSING = {"(": ")", "[": "]", "{": "}"}
TYPES = {"class", "struct", "enum", "extension", "protocol", "actor"}
ACCESSORS = {"get", "set", "willSet", "didSet", "_read", "_modify"}
HEADS = TYPES | {"if", "guard", "while", "for", "switch", "repeat", "do", "defer", "func", "init", "deinit", "subscript", "catch", "else",
                 "var", "let"}
GOES_ON = {"else", "catch", "where", "throws", "async", "as", "is", "->", "?", ":", ",", ")", "]", "{", "??", "."}
WANTS_MORE = {"if", "guard", "while", "where", "let", "var", "case", "try", "await", ",", ":", "->", "as", "is"}


class Token:
    __slots__ = ("kind", "text", "start", "end", "line", "newline", "space", "partner")

    def __init__(self, kind, text, start, line, newline, space):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)
        self.line, self.newline, self.space, self.partner = line, newline, space, None


class Block:
    """What stands between braces: `kind` is the keyword that it belongs to, or `closure`. `is_value` says that a single expression in it is
    a result."""
    __slots__ = ("kind", "open", "close", "parent", "is_value", "statements", "function", "name")

    def __init__(self, kind, opening, closing, parent):
        self.kind, self.open, self.close, self.parent = kind, opening, closing, parent
        self.is_value, self.statements, self.function, self.name = False, [], parent and parent.function, None


def string_end(text, start):
    """The end of a string, with its interpolations."""
    hashes = re.compile("#*").match(text, start).group()
    quote = '"""' if text.startswith('"""', start + len(hashes)) else '"'
    at, closing, escape = start + len(hashes) + len(quote), quote + hashes, "\\" + hashes
    while not text.startswith(closing, at):
        if text.startswith(escape + "(", at):
            depth, at = 1, at + len(escape) + 1
            while depth:
                if text[at] == '"':
                    at = string_end(text, at)
                    continue
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
        else:
            at += len(escape) + 1 if text.startswith(escape, at) else 1
    return at + len(closing)


def tokenize(text):
    tokens, open_ones, at, line, newline, space = [], [], 0, 1, True, True
    while at < len(text):
        if text.startswith("/*", at):
            end = text.index("*/", at) + 2
            kind = "comment"
        elif re.compile('#*"').match(text, at):
            end, kind = string_end(text, at), "string"
        else:
            match = PATTERN.match(text, at)
            if not match: raise ValueError(f"line {line}: what is {text[at:at + 20]!r}?")
            end, kind = match.end(), match.lastgroup
        part = text[at:end]
        if kind in ("space", "comment"):
            newline, space = newline or "\n" in part, True
        else:
            token = Token(kind, part, at, line, newline, space)
            if part in CLOSING and kind == "mark":
                open_ones.append(len(tokens))
            elif part in (")", "]", "}") and kind == "mark":
                token.partner = open_ones.pop()
                tokens[token.partner].partner = len(tokens)
            tokens.append(token)
            newline, space = False, False
        line += part.count("\n")
        at = end
    return tokens


class Source:
    """A file: its tokens, its blocks, the clauses of its conditions, and the members of its enumerations."""

    def __init__(self, text):
        self.text, self.blocks, self.conditions, self.enums = text, [], [], {}
        tokens = tokenize(text)
        # What isn't compiled on Linux with all traits has no mutants.
        self.dead, live = [], []
        for token in tokens:
            if token.kind != "directive": continue
            is_on = "Everything" in token.text or "os(Linux)" in token.text
            if token.text.startswith("#if"): live.append([is_on, token.start])
            else:
                was_on, start = live.pop()
                if not was_on: self.dead.append((start, token.end))
                if not token.text.startswith("#endif"):
                    live.append([not was_on if token.text.startswith("#else") and "os(" in text else False, token.start])
        # A directive ends a line and is no part of a statement.
        self.tokens = [token for token in tokens if token.kind != "directive"]
        index = {token.start: number for number, token in enumerate(self.tokens)}
        for token in self.tokens:
            if token.partner is not None: token.partner = index[tokens[token.partner].start]
        for before, token in zip(tokens, tokens[1:]):
            if before.kind == "directive": token.newline = True
        top = Block("file", -1, len(self.tokens), None)
        self.block(top)

    def is_live(self, position): return not any(start <= position < end for start, end in self.dead)

    def is_binary(self, index):
        token = self.tokens[index]
        after = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        return token.kind == "operator" and token.space and after is not None and after.space

    def begins(self, index, low):
        """Whether a statement begins at a token."""
        token, before = self.tokens[index], self.tokens[index - 1]
        if index == low or before.text == ";": return True
        if not token.newline: return False
        if token.text in GOES_ON or self.is_binary(index): return False
        return not (before.text in WANTS_MORE or before.kind == "operator" and before.space)

    def block(self, block):
        """Finds the statements of a block, and what is in them."""
        self.blocks.append(block)
        low, high, tokens = block.open + 1, block.close, self.tokens
        if block.kind == "closure":
            # What it is given ends with `in`.
            index = low
            while index < high and (index == low or not tokens[index].newline or tokens[index - 1].text in (",", "->")):
                if tokens[index].text == "in":
                    low = index + 1
                    break
                index = tokens[index].partner + 1 if tokens[index].text in CLOSING else index + 1
        start = index = low
        while index < high:
            if index > start and (self.begins(index, low) or tokens[index - 1].text == ";"):
                block.statements.append((start, index - 1 - (tokens[index - 1].text == ";")))
                start = index
            if index == start and block.kind == "switch" and tokens[index].text in ("case", "default", "@unknown"):
                while tokens[index].text != ":": index = tokens[index].partner + 1 if tokens[index].text in CLOSING else index + 1
                index += 1
                block.statements.append((start, index - 1))
                start = index
                continue
            index = tokens[index].partner + 1 if tokens[index].text in CLOSING and tokens[index].partner else index + 1
        if start < high: block.statements.append((start, high - 1))
        for first, last in block.statements: self.statement(block, first, last)

    def statement(self, block, first, last, head=None):
        """Finds the blocks of a statement, and the clauses of its conditions."""
        tokens, index, began, name, is_result, is_assigned = self.tokens, first, first, None, False, False
        in_code = block.kind not in TYPES | {"file"}
        while index <= last:
            token = tokens[index]
            text, after_dot = token.text, index > 0 and tokens[index - 1].text == "."
            if token.kind == "name" and not after_dot and (
                    text in HEADS and not (in_code and text in TYPES | {"init", "subscript"}) or
                    text in ACCESSORS and block.kind == "accessor" and head is None):
                if text == "else" and head == "guard": self.clauses(began + 1, index - 1)
                if text not in ("let", "var") or head not in ("if", "guard", "while", "for", "switch", "func"):
                    head, began = "guard-else" if text == "else" and head == "guard" else text, index
                    if text in TYPES | {"func", "var", "init"}: name = tokens[index + 1].text
            elif text == "->" and head in ("func", "subscript") and token.kind == "operator":
                is_result = tokens[index + 1].text not in ("Void", "(") or tokens[index + 2].text not in (")",) and tokens[index + 1].text == "("
            elif text == "=" and head in ("let", "var", None):
                head, is_assigned = None, True
            if text == "{":
                kind = "closure" if head in (None, "let") else "accessor" if head in ("var", "subscript") else head
                if head in ("if", "while"): self.clauses(began + 1, index - 1)
                inner = Block(kind, index, token.partner, block)
                inner.name = name
                inner.is_value = kind in ("accessor", "get", "closure") or kind == "func" and is_result or kind in ("if", "else", "switch", "do") \
                    and (is_assigned or tokens[first].text == "return" or block.is_value and len(block.statements) == 1) \
                    or kind == "switch" and block.kind == "switch"
                if kind in ("func", "init", "deinit", "accessor", "get", "set", "willSet", "didSet"): inner.function = (first, last)
                self.block(inner)
                if kind == "enum": self.enumeration(inner, name)
                if kind not in ("if", "guard", "do", "repeat"): head = None
                else: head = "while-after" if kind == "repeat" else None
            elif text in CLOSING and token.partner:
                if head != "func" or token.partner > index + 1: self.inside(block, index + 1, token.partner - 1)
            index = token.partner + 1 if text in CLOSING and token.partner else index + 1

    def inside(self, block, first, last):
        """Finds the closures between other brackets."""
        tokens, index = self.tokens, first
        while index <= last:
            if tokens[index].text == "{":
                inner = Block("closure", index, tokens[index].partner, block)
                inner.is_value = True
                self.block(inner)
            elif tokens[index].text in CLOSING and tokens[index].partner:
                self.inside(block, index + 1, tokens[index].partner - 1)
            index = tokens[index].partner + 1 if tokens[index].text in CLOSING and tokens[index].partner else index + 1

    def clauses(self, first, last):
        start = index = first
        while index <= last + 1:
            if index > last or self.tokens[index].text == ",":
                if index > start and self.tokens[start].text not in ("let", "var", "case", "true", "#available", "#unavailable"):
                    self.conditions.append((start, index - 1))
                start = index + 1
            index = self.tokens[index].partner + 1 if index <= last and self.tokens[index].text in CLOSING else index + 1

    def enumeration(self, block, name):
        members = []
        for first, last in block.statements:
            if self.tokens[first].text != "case": continue
            for index in range(first + 1, last + 1):
                follows = self.tokens[index + 1].text
                if self.tokens[index - 1].text in ("case", ",") and self.tokens[index].kind == "name" and follows != "(":
                    members.append(self.tokens[index].text)
        if len(members) > 1: self.enums.setdefault(name, members)
