"""How outcomes may differ, and why. A difference of another class fails the suite."""
import collections
import re

# What differs: "refused" (we refuse what the other takes), "took" (the other refuses, or says nothing), or the name of the first part that both have
# taken and read in two ways. `detail` is our reason, or the other's.
Difference = collections.namedtuple("Difference", "kind peer detail data ours theirs text")


def difference(data, peer, ours, theirs):
    """The first difference of two outcomes; None if there is none."""
    for number in range(max(len(ours.taken), len(theirs.taken)) + 1):
        mine = ours.taken[number] if number < len(ours.taken) else None
        other = theirs.taken[number] if number < len(theirs.taken) else None
        if mine is None and other is None:
            return None
        if mine is None:
            reason = re.sub(r"^(\d+ |http: |read: )*| \(E\w+\)$", "", ours.reason) if ours.status is not None else "ended"
            return Difference("refused", peer, reason, data, None, other, f"we refuse ({reason}), it takes {tuple(other)}")
        if other is None:
            reason = f"{theirs.status} {theirs.reason}" if theirs.status is not None else "ended"
            return Difference("took", peer, reason, data, mine, None, f"it refuses ({reason}), we take {tuple(mine)}")
        for part in mine._fields:
            if getattr(mine, part) != getattr(other, part) and not (part == "trailers" and peer in ("nginx", "Python")):
                return Difference(part, peer, "", data, mine, other, f"{part} differs: {getattr(mine, part)}, {getattr(other, part)}")
    return None


def refused(*reasons, peers=None):
    return lambda it: it.kind == "refused" and it.detail in reasons and (peers is None or it.peer in peers)


def took(peers, detail, data=b""):
    """The others refuse, with a reason that matches `detail`, and something in the message matches `data`."""
    return lambda it: it.kind == "took" and it.peer in peers and re.match(detail, it.detail) and re.search(data, it.data)


def blanks(peers, part):
    """Others keep blanks around a value."""
    def strip(value):
        return [(name, text.strip(b" \t")) for name, text in value] if isinstance(value, tuple) else value.strip(b" \t")
    return lambda it: it.kind == part and it.peer in peers and strip(getattr(it.theirs, part)) == strip(getattr(it.ours, part))


TABS = rb"(?i)(content-length|transfer-encoding|host):[^\r\n]*\t[^\r\n]*\r\n"
EXTENSION = rb"\r\n[0-9a-fA-F]+;"
LLHTTP = ("Node", "NIOHTTP1")
LAX = ("nginx", "Python")
BAD = r"400|0 HPE|0 BadStatusLine|502"
COMMON = (b"GET", b"POST", b"PUT", b"HEAD", b"OPTIONS", b"DELETE", b"PATCH")

# Of each row: what differs and why, and the differences that belong to it. Clauses are RFC 9112's, but where another is named.
MESSAGES = [
    ("a bare CR or LF ends a line, or stands in one: we refuse (2.2 allows either)", refused("a line doesn't end with CR LF")),
    ("a blank line too many, a blank or something else before the method, or two blanks after it: we refuse (2.2, 3: one empty line, one blank)",
     refused("the method isn't a token with a space after it")),
    ("no host, two, or one that isn't a host: we refuse (3.2: must)", refused("there is no host", "there are two hosts", "the host isn't one")),
    ("a target that the grammar doesn't have: we refuse (3.2: should)", refused(
        "the target is missing, or has a character that must be encoded", "the target is neither a path nor a URI of http or https",
        "the target of CONNECT isn't a host and a port")),
    ("the version isn't HTTP/1: we refuse (2.3, 2.5 of RFC 9110)", refused("the version isn't HTTP's", "something follows the version", "only HTTP/1.0 and HTTP/1.1 are known")),
    ("a transfer encoding of HTTP/1.0: we refuse (6.1: faulty framing)", refused("HTTP/1.0 has no transfer encoding")),
    ("a transfer encoding that isn't `chunked`, or two: we refuse (6.1, 6.3: must)", refused(
        "the last transfer encoding isn't chunked", "the transfer encoding is unknown", "there are two transfer encodings")),
    ("a length beside a transfer encoding: we refuse (6.3: may)", refused("there are a length and a transfer encoding")),
    ("two lengths, or one that isn't a number: we refuse (6.3: must, but for equal ones)", refused("there are two lengths", "the length isn't a number")),
    ("a chunk's size with blanks: we refuse (7.1; 7.1.1 allows them before an extension)", refused("the size of a chunk isn't a number")),
    ("a control character in a value: we refuse (RFC 9110, 5.5: must for CR, LF and NUL)", refused("a field's value has a control character")),
    ("a name that isn't a token, or no name: we refuse, nginx leaves the field out (5.1: must for blanks before the colon)",
     refused("a field's name isn't a token with a colon after it", "a field has no name", peers=("nginx",))),
    ("a line that begins with a blank: we refuse, nginx leaves it out (5.2: must)", refused("a line begins with a blank", peers=("nginx",))),
    ("an expectation that nobody knows: we say 417 (RFC 9110, 10.1.1: may)", refused("the expectation is unknown")),
    ("a chunk's size of more than 16 digits: we refuse (7.1: must not overflow)", refused("the size of a chunk is too large")),
    ("a fault in a request of HEAD, whose answer doesn't name it", refused("")),
    ("a later minor version: we take it for 1.1 (2.3), others refuse", took(LLHTTP, BAD, rb"HTTP/1\.[2-9]")),
    ("a tab beside a length, an encoding or a host: we take it for a blank (5.1), others refuse", took((*LLHTTP, "nginx"), "400|501", TABS)),
    ("an extension of a chunk: we pass over what others refuse (7.1.1: must ignore)", took(LLHTTP, BAD, EXTENSION)),
    ("an empty host, or the target `*`: we take them (3.2, 3.2.4), nginx refuses",
     lambda it: took(("nginx",), "400")(it) and (it.ours.target == b"*" or re.search(rb"(?i)host:[ \t]*\r\n", it.data))),
    ("a percent sign without digits, `%00`, or a way above the root: we leave the target to the program, nginx refuses",
     lambda it: took(("nginx",), "400")(it) and re.search(rb"%(?![0-9a-fA-F]{2})|%00|/\.\.", it.ours.target)),
    ("a method that the other doesn't know, or refuses: we take any token (RFC 9110, 9.1)", lambda it: it.kind == "took" and re.match("400|405|501", it.detail)
     and it.ours.first not in COMMON),
    ("a length or an encoding in a trailer: we keep it apart (6.5.1 of RFC 9110), others refuse", took(LLHTTP, BAD, rb"(?i)\r\n0*\r\n(.*\r\n)*content-length")),
    ("`Proxy-Connection: close` ends the connection for others; nothing defines it (C.2.2)", took(LLHTTP, "ended", rb"Proxy-Connection: close")),
    ("the target is a URI: we give its path and host, as 3.2.2 says; others the URI, or the field `Host`",
     lambda it: it.kind in ("target", "host") and re.search(rb"(?i) https?://", it.data)),
    ("NIO keeps blanks after a value (5.1: must leave them out)", lambda it: any(blanks(("NIOHTTP1",), part)(it) for part in ("fields", "host", "trailers"))),
    ("NIO reads `M-SEARCH` as `MSEARCH`", lambda it: it.kind == "first" and it.peer == "NIOHTTP1" and it.ours.first == b"M-SEARCH"),
    ("a value that isn't UTF-8: NIO's values are strings", lambda it: it.kind in ("fields", "host", "trailers") and it.peer == "NIOHTTP1" and re.search(rb"[\x80-\xff]", it.data)),
]
ANSWERS = [
    ("a bare CR or LF: we refuse (2.2 allows either)", refused("a line doesn't end with CR LF")),
    ("a status line that the grammar doesn't have: we refuse (4)", refused("the answer isn't one of HTTP/1.1", "the status isn't one", "the reason has a control character",
                                                                           "the status is no number from 100 on")),
    ("a transfer encoding of HTTP/1.0: we refuse (6.1: faulty framing)", refused("HTTP/1.0 has no transfer encoding")),
    ("a transfer encoding that isn't `chunked`, or two: we refuse (6.3: may read until the end)", refused(
        "the last transfer encoding isn't chunked", "the transfer encoding is unknown", "there are two transfer encodings")),
    ("a length beside a transfer encoding: we refuse (6.3: ought to be handled as an error)", refused("there are a length and a transfer encoding")),
    ("two lengths, or one that isn't a number, or is too large: we refuse (6.3: must)", refused("there are two lengths", "the length isn't a number", "the body is too large")),
    ("a chunk that isn't one: we refuse (7.1)", refused("the size of a chunk isn't a number", "a chunk is longer than it says", "the size of a chunk is too large")),
    ("a control character in a value: we refuse (RFC 9110, 5.5: must for CR, LF and NUL)", refused("a field's value has a control character", peers=LAX)),
    ("a name that isn't a token, or no name: we refuse (5.1)", refused("a field's name isn't a token with a colon after it", "a field has no name", peers=LAX)),
    ("a line that begins with a blank: we refuse (5.2: may)", refused("a line begins with a blank", peers=LAX)),
    ("an answer that isn't complete: we refuse (8)", refused("end of file", "the body isn't complete", peers=LAX)),
    ("101 that nobody has asked for: we refuse (RFC 9110, 15.2.2)", refused("there are interim answers that nobody has asked for")),
    ("an answer like 103: others take it for the last one (RFC 9110, 15.2)", lambda it: it.peer in LAX and it.kind == "first" and it.theirs.first.startswith(b"1")),
    ("100: nginx passes it on, and then bytes as they come", lambda it: it.kind in ("body", "took") and it.peer == "nginx" and b"HTTP/1.1 100" in it.data),
    ("others keep blanks after a value (5.1: must leave them out)", blanks(LAX, "fields")),
    ("204 and 304 with a body: we take none and close (6.3), others read it",
     lambda it: it.kind in ("body", "took") and it.peer in LAX and it.ours.first in (b"204", b"304") and it.ours.body == b""),
    ("a tab beside a length or an encoding: we take it for a blank (5.1); nginx reads until the end, Node refuses",
     lambda it: (it.kind == "body" and it.peer == "nginx" or took(("Node",), "0 HPE_INVALID_CONTENT_LENGTH")(it)) and re.search(TABS, it.data)),
    ("a blank after `chunked`: we read chunks (5.1), Python doesn't",
     lambda it: it.kind in ("body", "took") and it.peer == "Python" and re.search(rb"(?i)transfer-encoding:[ \t]*chunked[ \t]+\r\n", it.data)),
    ("an extension of a chunk: we pass over what others refuse (7.1.1: must ignore)", took(("Node",), "0 HPE_STRICT", EXTENSION)),
    ("a later minor version: we take it for 1.1 (2.3), others refuse", took(("Node",), "0 HPE_INVALID_VERSION", rb"HTTP/1\.[2-9]")),
    ("bytes after the end: we leave them, and close; others refuse all", took(("Node",), "0 HPE_(INVALID_CONSTANT|CLOSED_CONNECTION)")),
    ("a length or an encoding in a trailer: we keep it apart (6.5.1 of RFC 9110), others refuse",
     took(("Node",), "0 HPE_INVALID", rb"(?i)\r\n0*\r\n(.*\r\n)*content-length")),
]
ROWS = {"message": MESSAGES, "answer": ANSWERS}


def rows(kind):
    return [row for row, _ in ROWS[kind]]


def explain(kind, difference):
    for row, fits in ROWS[kind]:
        if fits(difference):
            return row
    return None
