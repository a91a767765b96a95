#if Everything
import Testing

@testable import UVHTTP

@Suite struct URLTests {
  @Test(
    "A URL is a request with its origin, or none",
    arguments: [
      ("http://a", "a:80 /"), ("HTTP://A:8080/b?c#d", "a:8080 /b?c"), ("https://a?b", "a:443 /?b"),
      ("http://[::1]:80/a", "[::1]:80 /a"), ("http://a:/b", "a:80 /b"),
      ("ftp://a", nil), ("http://", nil), ("http://a b/", nil), ("http://a/b c", nil),
      ("http://a/\r\nb: c", nil),
      ("http://user@a/", "a:80 /"), ("http://u:p@a:8080/b@c", "a:8080 /b@c"), ("http://u:p%4@a/", nil),
      ("http://u p@a/", nil), ("http://u:\u{e9}@a/", nil), ("http://u@", nil), ("http://a:0/", nil),
      ("http://a:65536/", nil), ("http://a:x/", nil),
      ("a/b", nil),
      ("http://a/é", nil), ("", nil),
    ] as [(String, String?)])
  func urls(url: String, expected: String?) {
    let request = HTTPRequest(url: url)
    #expect(request.map { "\($0.origin!.authority) \($0.path!)" } == expected)
    if url.hasPrefix("https") { #expect(request?.origin?.isSecure == true) }
  }

  @Test(
    "A user in a URL becomes a field, which one that is there goes before",
    arguments: [
      ("http://Aladdin:open%20sesame@a/", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("http://a/", nil),
      ("http://u@a/", "Basic dTo="), ("http://u:@a/", "Basic dTo="), ("http://:p@a/", "Basic OnA="),
      ("http://u@b:p@a/", "Basic dUBiOnA="), ("http://u:%40%3A@a/", "Basic dTpAOg=="), ("http://@a/", nil),
      ("http://a/u:p@b", nil),
    ] as [(String, String?)])
  func users(url: String, expected: String?) throws {
    let request = try #require(HTTPRequest(url: url))
    #expect(request.headerFields[.authorization] == expected)
    #expect(request.authority == "a")
    let other = try #require(HTTPRequest(url: url, headerFields: [.authorization: "mine"]))
    #expect(other.headerFields[.authorization] == "mine")
  }

  @Test(
    "A reference is resolved as RFC 3986, 5.4 says",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
      ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("#s", "http://a/b/c/d;p?q"),
      ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"),
      (".", "http://a/b/c/"),
      ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
      ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
      ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
      ("./g/.", "http://a/b/c/g/"),
      ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("http://g/x", "http://g/x"),
      ("mailto:a", nil), ("g:h", nil), ("g h", nil), ("http://u@g/", nil),
    ] as [(String, String?)])
  func references(reference: String, expected: String?) throws {
    let base = try #require(HTTPRequest(url: "http://a/b/c/d;p?q"))
    let next = base.following(reference)
    #expect(next.map { "\($0.scheme!)://\($0.authority!)\($0.path!)" } == expected)
  }
}
#endif
