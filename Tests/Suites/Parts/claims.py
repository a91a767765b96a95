"""The pages' claims, as the suite `claims` reads them: blocks of text, words that promise, and the comments that name tests."""
import re

from articles import ROOT

WORD = re.compile(r"\b(same|never|always|each|all)\b", re.I)
# How a table of a page about migration says whether a name means here what it meant there.
VERDICT = re.compile(WORD.pattern + r"|\byes\b|\bdiffers(?=:| where\b)", re.I)
# What isn't one of the words, and what isn't text: code, the targets of links, addresses.
IDIOM = re.compile(r"\beach other\b|\bat all\b|\ball the same\b|\b(?:above|after) all\b", re.I)
NO_TEXT = re.compile(r"``[^`]+``|`[^`]*`|(?<=\])\([^)\s]*\)|<[a-z]+:[^>\s]*>")
ITEM = re.compile(r"(?:[-*+]|\d+\.) ")
ENTRY = re.compile(r"(?P<phrase>.+?) → (?P<tests>.+)")


class Block:
    """A paragraph, a heading, a row of a table, an item of a list: its words, and which of them an entry covers."""

    def __init__(self, line, text, word):
        self.line, self.text = line, " ".join(text.split())
        blank = lambda match: " " * len(match[0])  # noqa: E731
        self.words = [match.span() for match in word.finditer(IDIOM.sub(blank, NO_TEXT.sub(blank, self.text)))]
        self.covered = {}

    def cover(self, phrase, proven):
        """Whether the phrase is here; which words it covers is noted."""
        places = [match.start() for match in re.finditer(re.escape(phrase), self.text)]
        for start, end in self.words:
            if any(place <= start and end <= place + len(phrase) for place in places):
                self.covered[start, end] = proven
        return bool(places)

    def left(self):
        """The words that no entry covers, with their sentences."""
        for start, end in self.words:
            if (start, end) not in self.covered:
                begin = max(self.text.rfind(". ", 0, start) + 1, 0)
                stop = self.text.find(". ", end)
                yield self.line, self.text[start:end], self.text[begin:stop + 1 if stop >= 0 else None].strip()


def groups(text, word):
    """The blocks of a page that a comment may stand behind, in lists: (blocks, lines of the comment or None)."""
    found, rows, kind = [], [], None
    lines = iter(enumerate(text.splitlines(), 1))

    def end():
        nonlocal rows, kind
        if rows:
            found.append(([Block(number, part, word) for number, part in rows], None))
        rows, kind = [], None

    blank = False
    for number, line in lines:
        stripped = line.strip()
        if stripped.startswith("```"):
            # A block of code within a list's item doesn't end the list.
            if not line[0].isspace():
                end()
                found.append(([], None))
            for _, inner in lines:
                if inner.strip() == "```":
                    break
        elif stripped.startswith("<!--"):
            end()
            comment, first = [line], number
            while "-->" not in comment[-1]:
                comment.append(next(lines)[1])
            if re.match(r"<!-- proven(:|$)", comment[0]):
                comment[0] = comment[0].removeprefix("<!-- proven").removeprefix(":").strip()
                comment[-1] = comment[-1].split("-->")[0].rstrip()
                found.append((None, list(enumerate(comment, first))))
        elif not stripped:
            blank = True
            if kind != "list":
                end()
            continue
        elif line.startswith("|"):
            if kind != "table":
                end()
            kind = "table"
            rows.append((number, line))
        elif line.startswith("#"):
            end()
            found.append(([Block(number, line, word)], None))
        elif ITEM.match(stripped):
            if kind != "list":
                end()
            kind = "list"
            rows.append((number, line))
        else:
            if kind == "table" or (kind == "list" and blank and not line[0].isspace()):
                end()
            kind = kind or "paragraph"
            if rows:
                rows[-1] = (rows[-1][0], rows[-1][1] + "\n" + line)
            else:
                rows = [(number, line)]
        blank = False
    end()
    return found


def entries(comment):
    """The entries of a comment: one a line; an indented line goes on with the one before."""
    whole = []
    for number, line in comment:
        if line.startswith(" ") and whole:
            whole[-1] = (whole[-1][0], whole[-1][1] + " " + line.strip())
        elif line.strip():
            whole.append((number, line.strip()))
    return whole


class Page:
    """A page, checked: its faults, the words that nothing covers, and the counts."""

    def __init__(self, name, text, tests):
        self.name, self.faults, last, blocks = name, [], None, []
        self.word = VERDICT if "Migrati" in name else WORD
        for part, comment in groups(text, self.word):
            if comment is None:
                last = part
                blocks += part
                continue
            for line, entry in entries(comment):
                self.check(line, entry, last, tests)
        self.claims = sum(len(block.words) for block in blocks)
        self.proven = sum(value for block in blocks for value in block.covered.values())
        self.excused = sum(not value for block in blocks for value in block.covered.values())
        self.left = [words for block in blocks for words in block.left()]

    def check(self, line, entry, blocks, tests):
        place, match = f"{self.name}:{line}", ENTRY.fullmatch(entry)
        if not match:
            self.faults.append(f"{place}: an entry is `phrase → test`, or `phrase → (why it promises nothing)`: {entry}")
            return
        phrase = " ".join(match["phrase"].split())
        excused = re.fullmatch(r"\(.+\)", match["tests"]) is not None
        if not self.word.search(phrase):
            self.faults.append(f"{place}: the phrase has none of the words: {phrase}")
        if not [block for block in blocks or [] if block.cover(phrase, not excused)]:
            self.faults.append(f"{place}: the block before the comment doesn't say: {phrase}")
        if not excused:
            for test in match["tests"].split(" | "):
                if not tests.has(test.strip()):
                    self.faults.append(f"{place}: there is no such test: {test.strip()}")


class Tests:
    """The names that tests have: sentences, functions, `Suite.function`, worlds of the simulation, consumers' programs, and scripts."""

    FOLDERS = ["Tests", "Examples/Tests", "bench/Tests", "Simulation/Tests", "Simulation/Sources"]
    TEST = re.compile(r"@Test\b(?P<head>[^{]*?)\bfunc (?:`(?P<quoted>[^`]+)`|(?P<name>\w+))", re.S)
    SENTENCE = re.compile(r'\s*\(\s*"((?:[^"\\]|\\.)*)"')
    TYPE = re.compile(r"^(?:.*@Suite\b.*?|[^\s/].*?)?\b(?:struct|class|actor|enum|extension) (\w+)", re.M)
    WORLD = re.compile(r'\bHuntedWorld\("([^"]+)"')

    def __init__(self):
        self.names, self.worlds = set(), []
        for folder in self.FOLDERS:
            for path in (ROOT / folder).rglob("*.swift"):
                if ".build" not in str(path):
                    self.read(path.read_text())

    def read(self, text):
        types = [(match.start(), match[1]) for match in self.TYPE.finditer(text)]
        for match in self.TEST.finditer(text):
            name = match["quoted"] or match["name"]
            owner = [type for start, type in types if start < match.start()][-1:]
            self.names |= {name, *(f"{type}.{name}" for type in owner)}
            if sentence := self.SENTENCE.match(match["head"]):
                self.names.add(sentence[1].replace('\\"', '"'))
        for match in self.WORLD.finditer(text):
            self.worlds.append(re.compile(".+".join(map(re.escape, re.split(r"\\\(\w+\)", match[1])))))

    def has(self, name):
        if name.startswith("Tests/run "):
            return (ROOT / "Tests/Suites" / name.split()[1]).is_file()
        if name.startswith("world "):
            return any(world.fullmatch(name.removeprefix("world ")) for world in self.worlds)
        if name.startswith("program "):
            return bool(list((ROOT / "Tests/Consumers").rglob(f"{name.removeprefix('program ')}.swift")))
        if re.fullmatch(r"[\w/]+/run", name):
            return (ROOT / name).is_file()
        return name.strip("`") in self.names
