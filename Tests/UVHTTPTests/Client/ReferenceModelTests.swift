#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// References relative to URLs of all forms, compared with what RFC 3986, 5.2, says step by step.
@Suite struct ReferenceModelTests {
  private static let bases = [
    "/", "/a", "/a/", "/a/b", "/a/b/", "/a/b/c?q", "/a?/b/c/", "/?x=/y/", "/a/b?next=/home/&u=http://x/y",
    "/a/./b/../c",
    "/a//b", "//", "/a;p=1/b;q?r", "/a/b?", "/a/b??/c", "/..", "/a/..?/b/..", "/%2F/b%2Fc/d", "/a:b/c:d",
  ]

  private static let references = [
    "", "x", "x/", "x/y", "/x", "/x/", "/", "?", "?y", "?y/z", "?/../z", "x?y", "x?y/../z", "x?/", "./x",
    "../x", "../",
    "..", ".", "./", "../..", "../../x", "../../../x", "x/..", "x/../y", "x/.", "x/./y", "..x", "x..", ".x",
    "/../x",
    "/./x", "/x/..", "/x/../..", "//h", "//h/", "//h/x", "//h?y", "//h:81/x/y", "http://h/x", "HTTP://H/x",
    "https://h",
    "x#f", "#f", "?y#f/../g", "/x#", "x//y", "x/;p", ";p", "x=1", "%2E%2E/x", "x/%2e",
  ]

  /// RFC 3986, 5.2.4, with its two buffers.
  private static func removingDots(_ path: String) -> String {
    var (input, output) = (Substring(path), "")
    while !input.isEmpty {
      if input.hasPrefix("../") {
        input = input.dropFirst(3)
      } else if input.hasPrefix("./") || input.hasPrefix("/./") {
        input = input.dropFirst(2)
      } else if input == "/." {
        input = "/"
      } else if input.hasPrefix("/../") || input == "/.." {
        input = input == "/.." ? "/" : input.dropFirst(3)
        output = output.lastIndex(of: "/").map { String(output[..<$0]) } ?? ""
      } else if input == "." || input == ".." {
        input = ""
      } else {
        let rest = input.dropFirst()
        let end = rest.firstIndex(of: "/") ?? input.endIndex
        output += input[..<end]
        input = input[end...]
      }
    }
    return output
  }

  /// RFC 3986, 5.2.2.
  private static func resolved(_ reference: String, _ base: String) -> String {
    let reference = reference.prefix { $0 != "#" }
    func parts(_ text: Substring) -> (path: String, query: String?) {
      let path = text.prefix { $0 != "?" }
      return (String(path), path.endIndex == text.endIndex ? nil : String(text[path.endIndex...]))
    }
    func url(_ authority: String, _ path: String, _ query: String?, scheme: String = "http") -> String {
      // A URL of HTTP without a path has an empty one, which is sent as a slash.
      let path = path.isEmpty ? "/" : path
      return "\(scheme)://\(authority)\(path)\(query ?? "")"
    }
    func ofAuthority(_ text: Substring, scheme: String = "http") -> String {
      let authority = text.prefix { $0 != "/" && $0 != "?" }
      let (path, query) = parts(text[authority.endIndex...])
      return url(String(authority), removingDots(path), query, scheme: scheme)
    }
    if reference.hasPrefix("//") { return ofAuthority(reference.dropFirst(2)) }
    let (path, query) = parts(reference[...])
    let (basePath, baseQuery) = parts(base[...])
    if path.isEmpty { return url("base", basePath, query ?? baseQuery) }
    if path.hasPrefix("/") { return url("base", removingDots(path), query) }
    let folder = basePath[...basePath.lastIndex(of: "/")!]
    return url("base", removingDots(folder + path), query)
  }

  @Test("A reference is what the standard's own steps make of it", arguments: bases)
  func model(base: String) throws {
    let request = try #require(
      HTTPRequest(method: .put, url: "http://base\(base)", headerFields: [.accept: "x"]))
    for reference in Self.references where !reference.contains("://") {
      let next = try #require(request.following(reference), "\(reference)")
      // Dots of the base itself, which no reference has replaced, stay or go: a server understands either.
      let path = reference.prefix { $0 != "#" }
      if path.isEmpty || path.hasPrefix("?"), base.contains("/.") { continue }
      let found = "\(next.scheme!)://\(next.authority!)\(next.path!)"
      #expect(found == Self.resolved(reference, base), "\(reference) at \(base)")
      #expect(next.method == .put && next.headerFields == [.accept: "x"])
    }
    // A URL that says all by itself has its dots removed like any other, and its query stays.
    #expect(request.following("http://h/x/../y")?.path == "/y")
    #expect(request.following("//h/./x/..?a/../b")?.path == "/?a/../b")
    #expect(
      request.following("HTTPS://H/x#f").map { "\($0.scheme!) \($0.authority!) \($0.path!)" } == "https H /x")
    for reference in ["mailto:a", "x:y", "http:x", "http:/x", "ftp://h/", "//", "//u@h/", "http://u:p@h/"] {
      #expect(request.following(reference) == nil, "\(reference)")
    }
  }
}
#endif
