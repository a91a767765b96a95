"""The pages of the documentation, their blocks of code, and the file that the blocks of a page are."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
FENCE = re.compile(r"^(?:<!-- (?P<mark>[a-z ]+?)(?::[^>]*)? -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
MARKS = {None, "declarations", "failing", "compiled only", "manifest", "fragment"}
AT_FILE_SCOPE = {"declarations", "failing"}
TEST = re.compile(r"^@Test\b.*?\bfunc (\w+)", re.M | re.S)
DECLARATION = re.compile(r"^((?:@\w+(?:\([^)]*\))?\s+)*)((?:(?:nonisolated(?:\(nonsending\))?|final|indirect)\s+)*"
                         r"(?:func|struct|class|actor|enum|protocol|let|var|typealias)\b)", re.M)
# A function or type that begins and ends at the margin belongs to the file, as it does in a program's main.swift.
WHOLE = re.compile(r"^(?:///.*\n)*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:nonisolated(?:\(nonsending\))?|final)\s+)*"
                   r"(?:func|struct|class|actor|enum|protocol|extension)\b.*[^}\n]\n(?:.*\n)*?\}\n", re.M)


def fail(*lines):
    print(*(f"blocks: {line}" for line in lines), sep="\n", file=sys.stderr)
    sys.exit(1)


def pages(package, words):
    """The pages of a package, each with the modules that its blocks may use without an import."""
    found = [(ROOT / "README.md", ["UV", "UVPromises", "UVFutures"])] if package == ROOT else []
    for page in sorted(package.glob("Sources/*/*.docc/*.md")):
        found.append((page, sorted({"UV", page.parent.stem})))
    return [(page, modules) for page, modules in found if not words or any(word in page.name for word in words)]


class Block:
    def __init__(self, page, match, text):
        self.page, self.mark, self.text, self.language = page, match["mark"], match["text"], match["language"]
        self.line = text[:match.start("text")].count("\n") + 1
        self.place = f"{page.relative_to(ROOT)}:{self.line}"
        self.tests = TEST.findall(self.text) if self.mark in AT_FILE_SCOPE else []
        shown = re.search(r"^```\n(.*?)^```$", text[match.end():], re.M | re.S) if self.mark == "failing" else None
        self.shown = [line.strip() for line in shown[1].splitlines()] if shown else []
        if self.mark not in MARKS:
            fail(f"{self.place}: there is no mark `{self.mark}`; see Tests/run blocks")

    @property
    def name(self):
        return f"{re.sub(r'[^A-Za-z0-9]', '_', self.page.stem)}_{self.line}"


def blocks(page):
    text = page.read_text()
    return [Block(page, match, text) for match in FENCE.finditer(text) if match["language"] in ("swift", "c")]


def swift_file(page_blocks, modules):
    """One file: imports first, then a function for each block of statements."""
    imports, body = {f"import {module}" for module in modules}, []
    conditional = []
    for block in page_blocks:
        text = re.sub(r"^#if canImport.*?^#endif\n", lambda m: conditional.append(m[0]) or "\n" * m[0].count("\n"),
                      block.text, flags=re.M | re.S)
        imports |= {match[0].strip() for match in re.finditer(r"^import \w+$", text, re.M)}
        text = re.sub(r"^import \w+$", "", text, flags=re.M)
        place = f'#sourceLocation(file: "{block.page}", line: {block.line})\n'
        if block.mark in AT_FILE_SCOPE:
            body.append(place + DECLARATION.sub(r"\1fileprivate \2", text))
        else:
            for whole in WHOLE.finditer(text):
                line = block.line + text[:whole.start()].count("\n")
                body.append(f'#sourceLocation(file: "{block.page}", line: {line})\n' +
                            DECLARATION.sub(r"\1fileprivate \2", whole[0], count=1) + "#sourceLocation()\n")
            text = WHOLE.sub(lambda whole: "\n" * whole[0].count("\n"), text)
            indented = re.sub(r"^(?=.)", "  ", text, flags=re.M)
            body.append(f"func {block.name}() throws {{\n{place}{indented}}}\n")
        body.append("#sourceLocation()\n")
    return "\n".join([*sorted(imports), *conditional, *body])
