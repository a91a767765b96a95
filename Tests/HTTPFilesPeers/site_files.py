"""The files that are served, and the requests that all servers get."""
import collections
import gzip
import itertools
import os

# A request: its name in the table, the method, the target as it is sent, and the fields. `{tag}` and `{date}` stand for what the
# server itself has said of the file.
Request = collections.namedtuple("Request", "group method target fields")

EARLIER = "Sun, 06 Nov 1994 08:49:36 GMT"
LATER = "Fri, 01 Jan 2100 00:00:00 GMT"
TYPES = ["html", "htm", "css", "js", "json", "png", "jpg", "gif", "svg", "webp", "ico", "txt", "pdf", "mp4", "woff2", "wasm", "xml", "zip", "what"]


def make(root):
    """Writes the site."""
    files = {"hello.txt": b"hello\n", "empty.txt": b"", "large.bin": bytes(range(256)) * 4096, "folder/index.html": b"<p>index", "bare/file": b"x",
             ".hidden": b"secret", ".git/config": b"secret", ".well-known/token": b"token", "a b%c.txt": b"odd", "coded.txt": b"coded " * 100,
             "../secret": b"secret", "noend": b"x"}
    files |= {f"type.{end}": b"x" for end in TYPES}
    files["coded.txt.gz"] = gzip.compress(files["coded.txt"], mtime=0)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (784111777, 784111777))
    (root / "out").symlink_to("../secret")
    (root / "in").symlink_to("hello.txt")


def requests():
    yield from (Request("a file", method, target, {}) for method in ["GET", "HEAD"] for target in [
        "/hello.txt", "/hello.txt?a=b", "/%68ello.txt", "/a%20b%25c.txt", "/empty.txt", "/large.bin", "/in", "/noend", "/folder/index.html"])
    yield from (Request("a type", "GET", f"/type.{end}", {}) for end in TYPES)
    yield from (Request("a directory", method, target, {}) for method in ["GET", "HEAD"] for target in [
        "/folder", "/folder/", "/folder?a=b", "/bare", "/bare/", "/"])
    yield from (Request("no file", method, target, {}) for method in ["GET", "HEAD"] for target in ["/none", "/none/", "/hello.txt/none", "/folder/none"])
    yield from (Request("an odd path", "GET", target, {}) for target in [
        "/.hidden", "/%2ehidden", "/.git/config", "/.well-known/token", "/../secret", "/%2e%2e/secret", "/..%2fsecret", "/folder/../../secret", "/folder/../hello.txt",
        "/./hello.txt", "//hello.txt", "/folder//index.html", "/hello.txt/", "/hello.txt%00", "/%00", "/%zz", "/%", "/out", "/\\..\\secret", "/hello.txt%2f"])
    yield from (Request("a method", method, target, {}) for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "WHAT"] for target in ["/hello.txt", "/none"])
    yield from (Request("a range", method, target, {"Range": f"bytes={text}"}) for method in ["GET", "HEAD"] for target in ["/hello.txt", "/large.bin", "/empty.txt"] for text in [
        "0-2", "3-", "-2", "-0", "6-", "2-100", "3-2", "x", "", "-", "0-0,2-3", "0-0, 2-3", "0-0,99999999-", "0-5,0-5", "0-99999999999999999999",
        "99999999999999999999-", "-99999999999999999999", ",".join(["0-0"] * 17)])
    yield from (Request("a range", "GET", "/hello.txt", {"Range": text}) for text in ["lines=0-1", "BYTES=0-1", "bytes 0-1"])
    yield from (Request("a coding", "GET", target, fields) for target in ["/coded.txt", "/hello.txt", "/coded.txt.gz"] for fields in [
        {}, {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "gzip;q=0"}, {"Accept-Encoding": "identity"}, {"Accept-Encoding": "*"},
        {"Accept-Encoding": "gzip;q=0.5, identity"}, {"Accept-Encoding": "br, gzip"}, {"Accept-Encoding": "gzip", "Range": "bytes=0-2"}])
    tags = ["{tag}", "\"x\"", "W/{tag}", "\"x\", {tag}", "*"]
    dates = ["{date}", EARLIER, LATER, "yesterday"]
    for name, values in [("If-Match", tags), ("If-None-Match", tags), ("If-Modified-Since", dates), ("If-Unmodified-Since", dates)]:
        yield from (Request("a condition", method, target, {name: value}) for method in ["GET", "HEAD"] for target in ["/hello.txt", "/none"] for value in values)
    yield from (Request("a condition", "GET", "/hello.txt", {"If-Range": value, "Range": "bytes=0-1"}) for value in tags + dates)
    # Each condition with each other.
    choices = [("If-Match", [None, "{tag}", "\"x\""]), ("If-Unmodified-Since", [None, "{date}", EARLIER]), ("If-None-Match", [None, "{tag}", "\"x\""]),
               ("If-Modified-Since", [None, "{date}", EARLIER]), ("If-Range", [None, "{tag}", "\"x\""]), ("Range", [None, "bytes=0-1", "bytes=9-"])]
    for values in itertools.product(*(values for _, values in choices)):
        fields = {name: value for (name, _), value in zip(choices, values) if value is not None}
        if len(fields) > 1:
            yield Request("several conditions", "GET", "/hello.txt", fields)


def rule(request):
    """The status that RFC 9110, 13.2.2, asks for on /hello.txt, whose size is 6."""
    fields = request.fields

    def has(name, isWeak):
        return fields[name] == "*" or "{tag}" in fields[name] and (isWeak or "W/" not in fields[name])

    def date(name):
        return {"{date}": 0, EARLIER: -1, LATER: 1}.get(fields.get(name))

    if "If-Match" in fields:
        if not has("If-Match", False):
            return 412
    elif date("If-Unmodified-Since") == -1:
        return 412
    if "If-None-Match" in fields:
        if has("If-None-Match", True):
            return 304
    elif date("If-Modified-Since") in (0, 1):
        return 304
    if request.method == "GET" and "Range" in fields and fields.get("If-Range", "{tag}") in ("{tag}", "{date}"):
        return 416 if fields["Range"] == "bytes=9-" else 206
    return 200
