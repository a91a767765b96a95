"""Why a server answers another thing than ours."""
import re

OTHERS = {"nginx", "serve-static"}
NO_RANGE = {"bytes=3-2", "bytes=x", "bytes=", "bytes=-"}


def field(request, name):
    return request.fields.get(name, "")


def odd(request, pattern):
    return request.group == "an odd path" and re.search(pattern, request.target)


# The reason, the servers, what is different (a part of an answer, or all), and a test of the request, and of the statuses, ours and theirs.
CLASSES = [
    # Types.
    ("another type for the end of a name", OTHERS, "content-type", lambda r, ours, theirs: True),
    # Methods.
    ("we answer OPTIONS", OTHERS, "status", lambda r, ours, theirs: r.method == "OPTIONS" and ours == 204),
    ("we answer another method with 405, wherever there is a file", OTHERS, "status", lambda r, ours, theirs: r.group == "a method" and ours == 405),
    # Paths.
    ("we serve no name that begins with a dot", OTHERS, "status", lambda r, ours, theirs: odd(r, r"/(\.|%2e)(hidden|git)") and ours == 404),
    ("we serve no path with . or .. in it, which clients resolve by themselves (RFC 3986, 6.2.2.3)", OTHERS, "status",
     lambda r, ours, theirs: odd(r, r"/(\.|%2e)+(/|%2f)") and ours == 404),
    ("we serve no path with two slashes", OTHERS, "status", lambda r, ours, theirs: odd(r, "//") and ours == 404),
    ("a slash or NUL behind a percent sign is in no file's name", OTHERS, "status", lambda r, ours, theirs: odd(r, "%00|%2f") and ours == 404),
    ("a percent sign before no number is a bad request", OTHERS, "status", lambda r, ours, theirs: r.target in ("/%zz", "/%") and ours == 400),
    ("a backslash can't be in a target (RFC 3986, 3.3)", OTHERS, "status", lambda r, ours, theirs: "\\" in r.target and ours == 400),
    ("we follow no link out of the root", OTHERS, "status", lambda r, ours, theirs: r.target == "/out" and ours == 404),
    ("nginx says 403 of a directory that it doesn't list", {"nginx"}, "status", lambda r, ours, theirs: r.target.endswith("/") and (ours, theirs) == (404, 403)),
    # Parts.
    ("ranges are for GET alone (RFC 9110, 14.2)", OTHERS, "status", lambda r, ours, theirs: r.method == "HEAD" and "Range" in r.fields and ours == 200),
    ("we ignore what isn't a range, they refuse it: RFC 9110, 14.2, allows both", OTHERS, "status", lambda r, ours, theirs: field(r, "Range") in NO_RANGE and (ours, theirs) == (200, 416)),
    ("serve-static sends one part alone", {"serve-static"}, None, lambda r, ours, theirs: "," in field(r, "Range")),
    ("we send 16 parts at most", {"nginx"}, "status", lambda r, ours, theirs: field(r, "Range").count(",") > 15 and (ours, theirs) == (200, 206)),
    ("the name of a unit may have capitals (RFC 9110, 14.1)", {"serve-static"}, "status", lambda r, ours, theirs: field(r, "Range").startswith("BYTES") and ours == 206),
    ("a number may be beyond all files", OTHERS, "status", lambda r, ours, theirs: "9" * 20 in field(r, "Range") and (ours, theirs) == (206, 416)),
    ("an empty file has no part", {"nginx"}, "status", lambda r, ours, theirs: r.target == "/empty.txt" and (ours, theirs) == (416, 200)),
    # Codings.
    ("serve-static knows no versions in other codings", {"serve-static"}, None, lambda r, ours, theirs: r.group == "a coding"),
    ("nginx sends a version in another coding whole alone", {"nginx"}, None,
     lambda r, ours, theirs: r.target == "/coded.txt" and re.search("gzip$", field(r, "Accept-Encoding"))),
    ("nginx doesn't look at the qualities of plain bytes and of *", {"nginx"}, None,
     lambda r, ours, theirs: r.group == "a coding" and re.search(r"identity|\*", field(r, "Accept-Encoding"))),
    # Conditions.
    ("a tag counts more than a time (RFC 9110, 13.1.3), they want both to be right", OTHERS, "status",
     lambda r, ours, theirs: ours == 304 and "If-None-Match" in r.fields and "If-Modified-Since" in r.fields),
    ("a tag counts more than a time (RFC 9110, 13.1.4), they want both to be right", OTHERS, "status",
     lambda r, ours, theirs: theirs == 412 and "If-Match" in r.fields and "If-Unmodified-Since" in r.fields),
    ("nginx takes another time for a change, also a later one", {"nginx"}, "status", lambda r, ours, theirs: field(r, "If-Modified-Since").endswith("2100 00:00:00 GMT")),
    ("what isn't a time is ignored (RFC 9110, 13.1.4)", {"nginx"}, "status", lambda r, ours, theirs: field(r, "If-Unmodified-Since") == "yesterday" and ours == 200),
    ("a time has to be the file's own (RFC 9110, 13.1.5)", {"serve-static"}, "status", lambda r, ours, theirs: field(r, "If-Range").endswith("2100 00:00:00 GMT")),
    ("a weak tag isn't a strong one (RFC 9110, 13.1.1)", OTHERS, "status", lambda r, ours, theirs: "W/" in field(r, "If-Match") and ours == 412),
    ("serve-static's tags are weak, so that none fits one for certain", {"serve-static"}, "status",
     lambda r, ours, theirs: "{tag}" in field(r, "If-Match") + field(r, "If-Range")),
]
