"""Functions of Swift that use each public declaration once, as a program outside the package would. Design/api says which there are.

A function has the declaration's own parameters, and is as generic as the declaration is: whoever compiles all of them has
called each function, read and written each property, made each case, and named each type.
"""
import re
import sys

from modules import ROOT

# The types of others that ours extend: their generic parameters, and what these must be. Protocols are marked by None.
FOREIGN = {
    "Collection": None, "Error": None, "Publisher": None, "FilePath": "", "FilePermissions": "", "String": "", "HTTPFields": "",
    "HTTPRequest": "", "CancellationError": "", "DispatchQueue": "", "Publishers": "", "Optional": "Wrapped",
    "PassthroughSubject": "Output, Failure | Failure : Error",
    "Publishers.Sequence": "Elements, Failure | Elements : Sequence, Failure : Error",
}
FOREIGN_CLASSES = ("DispatchQueue", "PassthroughSubject")
# What a file that uses a module's declarations imports beside it.
IMPORTS = {
    "UV": ["Dispatch"], "UVFutures": ["UV", "Dispatch"], "UVPromises": ["UV", "Dispatch"], "UVRxStream": ["UV", "Dispatch"],
    "UVNIO": ["NIOCore", "Dispatch"], "UVStalls": ["UV"], "UVTLS": ["UV"], "UVDNS": ["UV"], "UVHTTP": ["UV"], "UVHTTPFiles": ["UV", "UVHTTP"],
    "UVHTTPCompression": ["UV"],
    "UVService": ["UV", "Tracing", "CoreMetrics"], "UVDiagnostics": ["UV"],
}
# The compiler lists a setter that is internal, and leaves out what a protocol's parameters are, here.
READ_ONLY = ("EventLoop.current",)
# SwiftNIO has an `EventLoop`, too, and a file that imports both can't name ours as the listing does. The other takes a `Never`.
LEFT_OUT = {("UVNIO", "EventLoop.nio"), ("UVNIO", "ProxyProtocolHandler.wrapOutboundOut(_:)")}
STREAM = re.compile(r"some AnyStream(?!<)")
MODIFIER = re.compile(r"(?:@(?!escaping)\w+(?:\([^)]*\))?|nonisolated(?:\(\w+\))?|final|override|static|mutating|nonmutating|convenience|"
                      r"required|indirect|public|open|prefix|postfix|infix|weak|unowned(?:\(\w+\))?|class(?= (?:func|var|let|subscript)\b)) +")
KIND = re.compile(r"func|init|var|let|case|subscript|class|struct|enum|protocol|actor|typealias|associatedtype")


def split(text, separator):
    """The parts of a text between separators that stand in no brackets."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        if text.startswith("->", i):
            if depth == 0 and separator == "->":
                parts.append(text[start:i])
                start = i + 2
            i += 2
            continue
        if text[i] in "([{<":
            depth += 1
        elif text[i] in ")]}>":
            depth -= 1
        elif depth == 0 and separator != "->" and text.startswith(separator, i):
            parts.append(text[start:i])
            start = i + len(separator)
        i += 1
    return [part.strip() for part in parts + [text[start:]]]


def bracketed(text):
    """What stands in the brackets with which a text begins, and what is behind them."""
    depth, i = 0, 0
    while True:
        if text.startswith("->", i):
            i += 1
        elif text[i] in "([{<":
            depth += 1
        elif text[i] in ")]}>":
            depth -= 1
            if depth == 0:
                return text[1:i], text[i + 1:]
        i += 1


def words(text):
    return [part for part in split(text, ",") if part] if text else []


class Declaration:
    """A line of Design/api that declares something."""

    def __init__(self, module, line):
        self.module, self.line = module, line
        self.path, text = line.split(" | ")[:2]
        text, _, condition = text.rpartition(" [where ") if text.endswith("]") and " [where " in text else (text, "", "")
        self.conditions = words(condition[:-1])
        self.modifiers = set()
        while found := MODIFIER.match(text):
            self.modifiers.add(found[0].strip())
            text = text[found.end():]
        # A shift in a default is no bracket.
        text = text.replace(" << ", " * ")
        found = KIND.match(text)
        self.kind, text = found[0], text[found.end():].lstrip("?! " if found[0] == "init" else " ")
        self.generics, self.parameters, self.effects, self.result, self.is_written = [], [], "", "", False
        if self.kind in ("func", "init", "subscript"):
            self.read_function(text)
        elif self.kind in ("var", "let"):
            name, _, rest = text.partition(": ")
            rest, brace, accessors = rest.partition(" {")
            self.name, self.result = name, rest
            self.effects = accessors if "get" in accessors else ""
            self.is_written = self.kind == "var" and (not brace or "set" in accessors.split()) and self.path not in READ_ONLY
        elif self.kind == "case":
            self.name, rest = re.match(r"(`?\w+`?)(.*)", text).groups()
            if rest.startswith("("):
                self.types(bracketed(rest)[0])
        else:
            self.name = re.match(r"\w+", text)[0]
            rest, _, condition = text.partition(" where ")
            self.conditions += words(condition)
            self.is_function = self.kind == "typealias" and "->" in rest
            if self.kind in ("class", "struct", "enum", "actor", "typealias", "protocol") and "<" in rest.partition(" ")[0]:
                self.generics = words(bracketed(rest[len(self.name):])[0])
        member = f"{self.name.strip('`')}(" if "(" in self.path or self.kind == "func" else self.name.strip("`")
        self.owner = self.path[:self.path.rindex(member)].rstrip(".")

    def read_function(self, text):
        self.name, rest = self.kind, text
        if self.kind == "func":
            # The brackets of an operator are part of its name.
            self.name = re.match(r"`?\w+`?|[-+*/%=<>!&|^~?.]+(?=[ (<])", text)[0]
            rest = text[len(self.name):].lstrip()
        if rest.startswith("<"):
            clause, rest = bracketed(rest)
            self.generics = words(clause)
        inside, rest = bracketed(rest)
        self.types(inside)
        rest, _, accessors = rest.partition(" {")
        self.is_written = "set" in accessors.split()
        rest, _, condition = rest.partition(" where ")
        self.conditions += words(condition)
        effects, *result = split(rest, "->")
        self.effects, self.result = effects, " -> ".join(result)

    def types(self, inside):
        labels = self.path.rpartition("(")[2].rstrip(")").split(":")
        for label, text in zip(labels, words(inside)):
            type = split(text, " = ")[0]
            if self.kind != "case" or len(split(type, ":")) > 1:
                type = type.partition(":")[2].strip()
            self.parameters.append((label, type))


def declarations(modules):
    """Those of some modules, in the order of the files."""
    found = []
    for module in modules:
        for line in (ROOT / "Design" / "api" / f"{module}.txt").read_text().splitlines():
            if " | " in line:
                found.append(Declaration(module, line))
    return found


class Types:
    """Of each type its generic parameters, what these must be, and whether it is a class or a protocol."""

    def __init__(self, found):
        self.of, self.functions = {}, {one.name for one in found if one.kind == "typealias" and one.is_function}
        for name, text in FOREIGN.items():
            generics, _, conditions = (text or "").partition(" | ")
            kind = "protocol" if text is None else "class" if name in FOREIGN_CLASSES else "struct"
            self.of[None, name] = (kind, words(generics), words(conditions))
        for one in found:
            if one.kind in ("class", "struct", "enum", "protocol", "actor"):
                self.of[one.module, one.path] = (one.kind, one.generics, one.conditions)

    def find(self, module, name):
        elsewhere = (type for (_, other), type in self.of.items() if other == name)
        found = self.of.get((module, name)) or self.of.get(("UV", name)) or self.of.get((None, name)) or next(elsewhere, None)
        return found or sys.exit(f"declarations.py: FOREIGN doesn't say what {name} is, which {module} extends")


def use(one, types, number):
    """The function that uses a declaration."""
    generics, conditions, kind, owner = [], [], "", one.owner
    if owner:
        kind = types.find(one.module, owner)[0]
        path = owner.split(".")
        for end in range(1, len(path) + 1):
            name = ".".join(path[:end])
            outer = types.find(one.module, name)
            if outer[0] == "protocol":
                generics.append("It")
                conditions.append(f"It : {name}")
                owner = "It"
            elif outer[1]:
                generics += outer[1]
                conditions += outer[2]
                owner = f"{name}<{', '.join(outer[1])}>{owner[len(name):]}"
    is_type = one.kind in ("class", "struct", "enum", "protocol", "actor")
    given, head, body = [], "", ""

    def spelled(type):
        return re.sub(r"\bSelf\b", owner or "Self", type)

    conditions += [spelled(condition) for condition in one.conditions]
    if one.kind != "protocol":
        generics += one.generics
    arguments = []
    for label, type in one.parameters:
        type = spelled(type)
        if "isolated (any Actor)" in type:
            continue
        name = argument = f"a{len(given)}"
        if type.endswith("..."):
            type = type[:-3]
        if one.kind == "case" and ("->" in type or type in types.functions):
            type = f"@escaping {type}"
        type = STREAM.sub(f"some AnyStream<T, {'It.' if owner == 'It' else ''}Failure>", type)
        if "@autoclosure" in type:
            type = type.replace("@autoclosure ", "")
            argument = f"{'try ' if 'throws' in type else ''}{'await ' if 'async' in type else ''}{name}()"
        if type.startswith("inout ") and re.match(r"\w", one.name):
            argument = f"&{name}"
        given.append(f"_ {name}: {type}")
        arguments.append(argument if label == "_" else f"{label}: {argument}")
    call = f"({', '.join(arguments)})"
    is_static = {"static", "class"} & one.modifiers
    is_changed = kind not in ("class", "actor") and ("mutating" in one.modifiers or one.is_written)
    it = "it" if owner and not is_static else owner
    is_operator = one.kind == "func" and not re.match(r"[`\w]", one.name)
    if not owner and one.kind in ("func", "var", "let") and not is_operator:
        expression = one.name + (call if one.kind == "func" else "")
    elif is_operator:
        expression = f"{' '.join([arguments[0], one.name, *arguments[1:]])}" if len(arguments) > 1 else f"{one.name}{arguments[0]}"
        it = owner
    elif one.kind == "func":
        expression = f"{it}.{one.name}{call}" if one.name != "callAsFunction" else f"it{call}"
    elif one.kind in ("var", "let"):
        expression = f"{it}.{one.name}"
    elif one.kind == "subscript":
        expression = f"{it}[{', '.join(arguments)}]"
    elif one.kind == "init":
        it, expression = owner, f"{owner}{call}"
    elif one.kind == "case":
        it, expression = owner, f"{owner}.{one.name}{call if one.parameters else ''}"
    else:
        expression = None
    if expression is None:
        name = f"{owner}.{one.name}" if one.owner else one.name
        if one.kind == "protocol":
            generics, conditions = ["It"], [f"It : {name}"]
            name = "It"
        elif one.generics:
            name += f"<{', '.join(one.generics)}>"
        given.append(f"_ type: {name}.Type")
        if one.owner and generics:
            given.append(f"_ owner: {owner}.Type")
    else:
        if owner and it != "it" and generics:
            given.insert(0, f"_ type: {owner}.Type")
        if it == "it":
            given.insert(0, f"_ it: {'inout ' if is_changed else ''}{owner}")
        effects = ("try " if "throws" in one.effects else "") + ("await " if "async" in one.effects else "")
        if one.kind == "func" and "rethrows" in one.effects:
            effects = "try "
        result = spelled(one.result)
        if one.kind == "case":
            body = f"_ = {expression}"
        elif one.kind == "init":
            body = f"_ = {effects}{expression}"
        elif result == "Never":
            body = f"{effects}{expression}"
        elif "some " in result:
            body = f"_ = {effects}{expression}"
        else:
            result = result.removeprefix("sending ") or "Void"
            body = f"let r: {result} = {effects}{expression}; _ = r"
            if one.is_written:
                body += f"; {expression} = r"
    # A protocol's member of one type is written with a point, where any type that conforms may stand.
    if is_static and owner == "It" and any(condition.startswith("It == ") for condition in conditions):
        body = f"func take(_: some {one.owner}) {{}}; take(.{one.name}{call if one.kind == 'func' else ''})"
    # A parameter that is one certain type is that type.
    fixed = {}
    for condition in conditions:
        left, sign, right = condition.partition(" == ")
        if sign and right in generics and left not in generics:
            left, right = right, left
        if sign and left in generics and "." not in left:
            fixed[left] = right
    conditions = [condition for condition in conditions if not any(re.match(rf"{name} [:=]", condition) or
                  condition.endswith(f"== {name}") for name in fixed)]
    generics = [name for name in generics if name not in fixed]
    clause = f"<{', '.join(generics)}>" if generics else ""
    where = f" where {', '.join(dict.fromkeys(conditions))}" if conditions else ""
    throwing = f"{' async' if 'async' in one.effects else ''}{' throws' if 'throws' in one.effects or 'try ' in body else ''}"
    actor = "@MainActor " if "@MainActor" in one.modifiers else ""
    text = f"({', '.join(given)}){throwing}{where} {{ {body} }}"
    for name, value in fixed.items():
        text = re.sub(rf"(?<![.\w]){name}\b(?!:)", value, text)
    # What is deprecated may be used by what is, without a warning.
    return f'@available(*, deprecated) {actor}public func use{number}{clause}{text}'


def functions(modules):
    """A file's text for each module."""
    found = declarations(modules)
    types = Types(found)
    texts = {}
    for module in modules:
        imports = [f"import {name}" for name in [module, *IMPORTS.get(module, [])]]
        lines = ["// Written by Tests/run consumers: see Tests/Suites/Parts/declarations.py.", *imports]
        for number, one in enumerate(one for one in found if one.module == module):
            if (module, one.path) not in LEFT_OUT:
                lines += [f"// {one.path}", use(one, types, f"{module}{number}")]
        texts[module] = "\n".join(lines) + "\n"
    return texts
