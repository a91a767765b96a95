"""Messages of HTTP/1.1, right ones and ones with faults. Each is drawn from a seed and a number."""
import random

LINE_ENDS = [b"\n", b"\r", b"\r\r\n", b"\n\r", b"\r\n ", b"\r\n\t", b" \r\n", b"\x00\r\n", b"\r\n\r\n", b""]
BYTES = [b"\r", b"\n", b"\r\n", b" ", b"\t", b"\x00", b"\x0b", b"\x0c", b"\x7f", b"\x80", b"\xff", b":", b",", b";", b'"', b"0", b"1", b"/"]
LENGTHS = [b"+%d", b"-%d", b"0%d", b"%d, %d", b"%d,", b"0x%d", b"%d ", b"\t%d\t", b"%d;", b"%d.0", b"%d 0", b"%de0", b"'%d'", b"",
           b"1844674407370955161%d", b"999999999999999999999%d", b"42949672%d", b"_%d", b"%d_0", b"\x0b%d", b"%d\x00", b"\xd9\xa5"]
CODINGS = [b"Chunked", b"CHUNKED", b"chunked ", b"\tchunked", b"xchunked", b"chunkedx", b"chunked, identity", b"identity", b"gzip, chunked", b"gzip",
           b"chunked, chunked", b"chunked;q=1", b'"chunked"', b",chunked", b"chunked,", b"identity, chunked", b"", b"\x0bchunked", b"chunked\x00",
           b"chunked\x0b", b"chun ked", b"chunked, gzip"]
VERSIONS = [b"HTTP/1.0", b"HTTP/1.2", b"HTTP/1.9", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1", b"HTTP/1.10", b"HTTP/01.1", b"HTTP/1.", b"HTTP/1,1",
            b"HTTP/1.1 ", b"HTTP/1.1x", b"HTTPS/1.1", b"HTTP/3.1", b"", b"HTTP 1.1", b"ICE/1.0", b"HTTP/ 1.1", b"HTTP/+1.1"]
TARGETS = [b"/a?b=c", b"/%41", b"/a%zz", b"/a/../b", b"//c/d", b"/a#b", b"*", b"http://127.0.0.1/x?y", b"https://h/x", b"http://u@h/", b"http://",
           b"http:///x", b"h:80", b"x", b"", b"/a b", b"/\x80", b"/\x00", b"/a\\b", b"/a|b", b"/{a}", b"/[a]", b"ftp://h/x", b"HTTP://h/", b"http://h?x",
           b"http://[::1]/", b"/a\tb", b"?a", b"/%00", b"/a;b", b"/%0d%0a"]
METHODS = [b"PUT", b"HEAD", b"OPTIONS", b"DELETE", b"PATCH", b"TRACE", b"CONNECT", b"get", b"FOO", b"M-SEARCH", b"G@T", b"G ET", b"", b"GET\x00", b"GE\rT",
           b"PRI", b"QUERY", b"PROPFIND"]
NAMES = [b"x y", b"x(y", b"x ", b"x\t", b" x", b"", b"x\x00", b"x\x80", b"x-\r", b"x_y", b"x.y", b"x/y", b"\x0bx", b"x\x0b", b"x\n"]
VALUES = [b"", b"  a  ", b"\ta\t", b"a\x00b", b"a\x0bb", b"a\x7fb", b"a\x80b", b"a\rb", b"a\nb", b"a\r\n b", b"a: b", b"a,b", b'"a', b"\xc3\xa9", b"a\x01"]
HOSTS = [None, b"", b"a b", b"a,b", b"a:b", b"a:80", b"a/b", b"u@a", b"[::1]", b"[::1", b"a:99999", b"a\\b", b"%41", b"a_b", b"\xe9", b"a:", b"a?b", b"127.0.0.1:1"]
SIZES = [b"0%x", b"0000%x", b"%x ", b"%x\t", b" %x", b"0x%x", b"+%x", b"-%x", b"%x;a=b", b"%x;", b"%x ;a", b"%x; a = b", b'%x;a="b"', b'%x;a="\r\n"', b"%x;\n",
         b"%x;a\x00", b"%x;a\x80", b"fffffffffffffff%x", b"1000000000000000%x", b"10000000%x", b"", b"%xg", b"%x,", b"%x_", b"%x\x00", b"%x\x0b", b";%x", b"00000000000000000%x",
         b"%x;a=b;c;d=\"e;f\"", b"%x;=", b"%x:", b"%x;a\rb"]
OTHERS = [(b"Connection", b"close"), (b"Connection", b"keep-alive"), (b"Connection", b"close, keep-alive"), (b"Connection", b"x-a"), (b"Expect", b"100-continue"),
          (b"Expect", b"200-ok"), (b"Expect", b"100-Continue"), (b"Upgrade", b"websocket"), (b"TE", b"trailers"), (b"Content_Length", b"3"), (b"Content-Length\x00", b"3"),
          (b"ContentLength", b"3"), (b"Transfer_Encoding", b"chunked"), (b"Keep-Alive", b"timeout=1"), (b"Trailer", b"x-t"), (b"Proxy-Connection", b"close")]
SENTINEL = b"GET /sentinel HTTP/1.1\r\nHost: sentinel\r\nConnection: close\r\n\r\n"


class Lines:
    """A head as lines, and what follows it."""

    def __init__(self):
        self.start = []
        self.lines = []
        self.body = b""

    def bytes(self):
        return self.before + b"".join(self.start) + b"".join(b"".join(line) for line in self.lines) + self.end + self.body

    def field(self, name, value, at=None):
        self.lines.insert(len(self.lines) if at is None else at, [name, b":", b" ", value, b"\r\n"])


def content(rng, most=12):
    return bytes(rng.choice(b"abcXYZ019 \r\n") for _ in range(rng.randrange(most)))


def chunked(rng, faults):
    """A chunked body, with so many faults."""
    parts = [[b"%x" % len(data), b"\r\n", data, b"\r\n"] for data in (content(rng) or b"z" for _ in range(rng.randrange(3)))]
    last = [b"0", b"\r\n", b"", b"\r\n"]
    if rng.random() < 0.3:
        last[2] = b"".join(rng.choice([b"X-T: 1\r\n", b"x-u:\r\n", b"Content-Length: 3\r\n", b"Host: b\r\n"]) for _ in range(rng.randrange(1, 3)))
    for _ in range(faults):
        part = rng.choice(parts + [last])
        kind = rng.randrange(5)
        if kind == 0:
            size = rng.choice(SIZES)
            part[0] = size % len(part[2] if part is not last else b"") if b"%" in size else size
        elif kind == 1:
            part[1] = rng.choice(LINE_ENDS)
        elif kind == 2:
            part[3] = rng.choice(LINE_ENDS)
        elif kind == 3 and part is not last:
            part[0] = b"%x" % max(0, len(part[2]) + rng.choice([-1, 1, 2, 16]))
        elif part is last:
            part[2] = rng.choice([b"X-T : 1\r\n", b" x\r\n", b"x\r\n", b"X-T: 1\n", b"X-T: 1\r\n y\r\n", b"X T: 1\r\n", b":1\r\n", b"X-T: a\x00\r\n"])
    return b"".join(b"".join(part) for part in parts + [last])


def framing(rng, message, kind, faults):
    """Gives a message its body and the fields that say where it ends."""
    if kind == "length":
        data = content(rng)
        value = b"%d" % len(data)
        if faults and rng.random() < 0.6:
            value = rng.choice(LENGTHS)
            value = value.replace(b"%d", b"%d" % len(data))
        elif faults and rng.random() < 0.5:
            value = b"%d" % max(0, len(data) + rng.choice([-2, -1, 1, 2]))
        message.field(rng.choice([b"Content-Length", b"content-length"]), value)
        message.body = data
    elif kind == "chunked":
        value = rng.choice(CODINGS) if faults and rng.random() < 0.4 else b"chunked"
        message.field(b"Transfer-Encoding", value)
        message.body = chunked(rng, rng.choice([0, 1, 1, 2]) if faults else 0)


def mutate_field(rng, message):
    """A fault of the fields."""
    line = rng.choice(message.lines) if message.lines else None
    kind = rng.randrange(8)
    if kind == 0:
        message.lines.insert(rng.randrange(len(message.lines) + 1), [rng.choice(NAMES), b":", b" ", b"1", b"\r\n"])
    elif kind == 1:
        message.field(b"X-V", rng.choice(VALUES), rng.randrange(len(message.lines) + 1))
    elif kind == 2:
        message.field(*rng.choice(OTHERS), rng.randrange(len(message.lines) + 1))
    elif kind == 3:
        length = rng.choice([b"3", b"0", b"5", b"3, 3"])
        message.field(b"Content-Length", length, rng.randrange(len(message.lines) + 1))
    elif kind == 4:
        message.field(b"Transfer-Encoding", rng.choice([b"chunked"] + CODINGS), rng.randrange(len(message.lines) + 1))
    elif line:
        if kind == 5:
            line[4] = rng.choice(LINE_ENDS)
        elif kind == 6:
            line[rng.choice([1, 2])] = rng.choice([b" :", b"\t:", b"::", b" ", b"", b":\t", b":\r\n ", b":\n", b"\x00:", b"=", b":  "])
        else:
            message.lines.insert(rng.randrange(len(message.lines) + 1), list(line))


def noise(rng, data):
    """A fault of the bytes."""
    at = rng.randrange(len(data) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        return data[:at] + rng.choice(BYTES) + data[at:]
    if kind == 1:
        return data[:at] + data[at + rng.randrange(1, 3):]
    if kind == 2:
        return data[:at] + rng.choice(BYTES) + data[at + 1:]
    end = min(len(data), at + rng.randrange(1, 24))
    return data[:end] + data[at:end] + data[end:]


def request(rng):
    """A request with no faults, or some."""
    message = Lines()
    faults = rng.choice([0, 0, 1, 1, 1, 2])
    kind = rng.choice(["none", "length", "length", "chunked", "chunked"])
    method = b"GET" if kind == "none" and rng.random() < 0.7 else b"POST"
    message.before, message.end = b"", b"\r\n"
    message.start = [method, b" ", b"/" + bytes(rng.choice(b"abc") for _ in range(3)), b" ", b"HTTP/1.1", b"\r\n"]
    message.field(b"Host", b"h")
    if rng.random() < 0.5:
        message.field(b"X-A", rng.choice([b"1", b"a b", b"a, b"]))
    framing(rng, message, kind, faults and rng.random() < 0.6)
    for _ in range(faults):
        choice = rng.randrange(12)
        if choice == 0:
            message.start[0] = rng.choice(METHODS)
        elif choice == 1:
            message.start[2] = rng.choice(TARGETS)
        elif choice == 2:
            message.start[4] = rng.choice(VERSIONS)
        elif choice == 3:
            message.start[rng.choice([1, 3])] = rng.choice([b"  ", b"\t", b"", b" \t", b"\x0b", b"\r", b"\n"])
        elif choice == 4:
            message.start[5] = rng.choice(LINE_ENDS)
        elif choice == 5:
            message.before = rng.choice([b"\r\n", b"\r\n\r\n", b"\n", b"\r", b" ", b"\x00", b"\n\n", b"\r\n\r\n\r\n"])
        elif choice == 6:
            message.end = rng.choice(LINE_ENDS)
        elif choice == 7:
            host = rng.choice(HOSTS)
            message.lines = [line for line in message.lines if line[0] != b"Host"]
            if host is not None:
                message.field(b"Host", host)
        elif choice < 11:
            mutate_field(rng, message)
    data = message.bytes()
    return noise(rng, data) if rng.random() < 0.1 else data


def requests(seed, number):
    """One to three requests, and one that shows where the last of them has ended."""
    rng = random.Random(f"{seed}:{number}")
    return b"".join(request(rng) for _ in range(rng.choice([1, 1, 1, 2, 3]))) + SENTINEL


def answer(seed, number):
    """An answer, and bytes after it."""
    rng = random.Random(f"{seed}:answer:{number}")
    message = Lines()
    faults = rng.choice([0, 0, 1, 1, 2])
    message.before, message.end = b"", b"\r\n"
    message.start = [b"HTTP/1.1", b" ", rng.choice([b"200", b"200", b"200", b"404", b"201"]), b" ", b"OK", b"\r\n"]
    if rng.random() < 0.5:
        message.field(b"X-A", rng.choice([b"1", b"a b", b"a, b"]))
    framing(rng, message, rng.choice(["none", "length", "length", "chunked", "chunked"]), faults and rng.random() < 0.6)
    for _ in range(faults):
        choice = rng.randrange(10)
        if choice == 0:
            message.start[0] = rng.choice(VERSIONS)
        elif choice == 1:
            message.start[2] = rng.choice([b"204", b"304", b"99", b"1000", b"600", b"20", b"2x0", b"", b"200 200", b"+200", b"000", b"102", b"205"])
        elif choice == 2:
            message.start[4] = rng.choice([b"", b"a\x00b", b"a\x80", b"a\rb", b"a\tb", b"a\x7f"])
        elif choice == 3:
            message.start[rng.choice([1, 3])] = rng.choice([b"  ", b"\t", b"", b"\x0b"])
        elif choice == 4:
            message.start[5] = rng.choice(LINE_ENDS)
        elif choice == 5:
            message.end = rng.choice(LINE_ENDS)
        elif choice == 6:
            message.before = rng.choice([b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early\r\nX-E: 1\r\n\r\n", b"\r\n", b" ", b"HTTP/1.1 100\r\n\r\n"])
        else:
            mutate_field(rng, message)
    data = message.bytes()
    return noise(rng, data) if rng.random() < 0.1 else data
