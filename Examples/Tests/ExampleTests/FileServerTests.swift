import Foundation
import Testing

/// The example that serves files, with real clients.
@Suite(.enabled(if: Client.hasCurl && Client.hasNetcat, Client.howToInstall)) final class FileServerTests {
  /// What runs until the test has ended.
  private var programs: [RunningProgram] = []
  private let outside = FileManager.default.temporaryDirectory
    .appendingPathComponent("swift-uv-files-\(UUID().uuidString)").path
  private var root: String { "\(outside)/root" }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: "\(outside)/root/a & b", withIntermediateDirectories: true)
    try write("secret", to: "../secret")
    try write("hello\n", to: "hello.txt")
  }

  deinit { try? FileManager.default.removeItem(atPath: outside) }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/\(name)"))
  }

  private func server(_ arguments: String...) throws -> (RunningProgram, port: String) {
    let server = try RunningProgram(
      example: "FileServer", ["--port", "0", "--root", root] + arguments, mergesErrors: true)
    programs.append(server)
    return (server, try server.port())
  }

  /// What curl prints for a path; `-i` to see the head.
  private func curl(_ port: String, _ path: String, _ options: String = "") throws -> String {
    try Client.run("curl -s --path-as-is \(options) 'http://127.0.0.1:\(port)\(path)'")
  }

  /// The answer with its head, in small letters: names of fields may be written in capitals.
  private func answer(_ port: String, _ path: String, _ options: String = "") throws -> String {
    try curl(port, path, "-i \(options)").lowercased()
  }

  private func status(_ port: String, _ path: String, _ options: String = "") throws -> String {
    try curl(port, path, "-o /dev/null -w '%{http_code}' \(options)")
  }

  private func field(_ name: String, _ port: String, _ path: String) throws -> String {
    let lines = try curl(port, path, "-I").split(separator: "\r\n")
    let line = lines.first { $0.lowercased().hasPrefix("\(name): ") }
    return String(try #require(line).dropFirst(name.count + 2))
  }

  @Test("A file is served with its type, length, tag and time, and HEAD gets the same head")
  func file() throws {
    let (_, port) = try server()
    let answer = try answer(port, "/hello.txt?query")
    #expect(answer.hasPrefix("http/1.1 200 ok\r\n"))
    for field in ["content-type: text/plain; charset=utf-8", "content-length: 6"] {
      #expect(answer.components(separatedBy: "\r\n\(field)\r\n").count == 2, "\(field)")
    }
    #expect(answer.hasSuffix("\r\n\r\nhello\n"))
    for name in ["etag", "last-modified", "date", "accept-ranges"] { #expect(answer.contains("\n\(name): ")) }
    // The second answer may be one of the next second.
    func withoutDate(_ head: some StringProtocol) -> [String] {
      head.components(separatedBy: "\r\n").filter { !$0.hasPrefix("date: ") }
    }
    #expect(try withoutDate(self.answer(port, "/hello.txt", "-I")) == withoutDate(answer.dropLast(6)))
    #expect(try curl(port, "/none", "-I").hasSuffix("\r\n\r\n"))
  }

  @Test("A large file arrives whole, and in parts, also over TLS", arguments: [false, true])
  func largeFile(isSecure: Bool) throws {
    try Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
      .write(to: URL(fileURLWithPath: "\(root)/large"))
    let certificate = TestCertificate.shared
    let (server, port) = try RunningProgram.serving(
      "FileServer", ["--root", root] + (isSecure ? certificate.options : []))
    programs.append(server)
    let url = "\(isSecure ? "https" : "http")://localhost:\(port)/large"
    let output = try Client.run(
      """
      cd '\(root)'; get() { curl -s -4 --cacert '\(certificate.certificate)' "$@" \(url); }
      get | cmp - large && echo same
      get -r 1000000-1999999 | cmp - <(tail -c +1000001 large 2>/dev/null | head -c 1000000) && echo same
      get -r -5 | cmp - <(tail -c 5 large) && echo same
      get -r 0-70000,2999999- | tail -c +1 | grep -aic 'content-range: bytes'
      """)
    #expect(output == "same\nsame\nsame\n2\n")
  }

  @Test("Ranges are answered as the standard says")
  func ranges() throws {
    let (_, port) = try server()
    for (range, status, body) in [
      ("0-2", "206", "hel"), ("3-", "206", "lo\n"), ("-2", "206", "o\n"), ("-100", "206", "hello\n"),
      ("2-100", "206", "llo\n"), ("6-", "416", ""), ("-0", "416", ""), ("3-2", "200", "hello\n"),
      ("x", "200", "hello\n"),
    ] {
      let answer = try curl(port, "/hello.txt", "-H 'Range: bytes=\(range)' -w '%{http_code}'")
      #expect(answer == body + status, "\(range)")
    }
    #expect(try answer(port, "/hello.txt", "-r 1-3").contains("\ncontent-range: bytes 1-3/6\r\n"))
    #expect(try answer(port, "/hello.txt", "-r 9-").contains("\ncontent-range: bytes */6\r\n"))
    let parts = try answer(port, "/hello.txt", "-r 0-0,2-3")
    #expect(parts.contains("\ncontent-type: multipart/byteranges; boundary="))
    #expect(parts.contains("\r\ncontent-range: bytes 0-0/6\r\n\r\nh\r\n--"))
    #expect(parts.contains("\r\ncontent-range: bytes 2-3/6\r\n\r\nll\r\n--"))
    // curl has read as many bytes as the answer promised, or it would say so.
    #expect(try status(port, "/hello.txt", "-r 0-0,2-3 --fail") == "206")
  }

  @Test("A client that has the file isn't sent it again")
  func conditions() throws {
    let (_, port) = try server()
    let tag = try field("etag", port, "/hello.txt")
    let time = try field("last-modified", port, "/hello.txt")
    for (condition, status) in [
      ("If-None-Match: \(tag)", "304"), ("If-None-Match: \"x\", W/\(tag)", "304"),
      ("If-None-Match: *", "304"),
      ("If-None-Match: \"x\"", "200"), ("If-Modified-Since: \(time)", "304"),
      ("If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT", "304"),
      ("If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT", "200"), ("If-Modified-Since: yesterday", "200"),
      ("If-Range: \(tag)", "206"), ("If-Range: \(time)", "206"), ("If-Range: \"x\"", "200"),
    ] {
      let range = condition.hasPrefix("If-Range") ? "-r 0-1" : ""
      #expect(try self.status(port, "/hello.txt", "-H '\(condition)' \(range)") == status, "\(condition)")
    }
    // The tag is what counts if there are both.
    let both = "-H 'If-None-Match: \"x\"' -H 'If-Modified-Since: \(time)'"
    #expect(try status(port, "/hello.txt", both) == "200")
  }

  @Test("A file that changes is served anew within a moment, and one that is gone isn't")
  func changes() throws {
    let (_, port) = try server()
    #expect(try curl(port, "/hello.txt") == "hello\n")
    try write("goodbye\n", to: "hello.txt")
    while try curl(port, "/hello.txt") != "goodbye\n" {}
    try FileManager.default.removeItem(atPath: "\(root)/hello.txt")
    while try status(port, "/hello.txt") != "404" {}
  }

  @Test("No path leads out of the root")
  func confinement() throws {
    let (_, port) = try server()
    try FileManager.default.createSymbolicLink(atPath: "\(root)/out", withDestinationPath: "../secret")
    try FileManager.default.createSymbolicLink(atPath: "\(root)/up", withDestinationPath: "..")
    try FileManager.default.createSymbolicLink(atPath: "\(root)/in", withDestinationPath: "hello.txt")
    try write("hidden", to: ".hidden")
    for path in [
      "/../secret", "/%2e%2e/secret", "/a%20%26%20b/../../secret", "/..%2fsecret", "/out", "/up/secret",
      "/up/", "/up",
      "/.hidden", "/./hello.txt", "//hello.txt", "/hello.txt%00", "/hello.txt/", "/none",
    ] {
      #expect(try status(port, path) == "404", "\(path)")
    }
    #expect(try curl(port, "/in") == "hello\n")
    #expect(try curl(port, "/%68ello.tx%74") == "hello\n")
    #expect(try status(port, "/%zz") == "400")
  }

  @Test("A directory is listed, with names that are no HTML, or shows its index.html")
  func directories() throws {
    let (_, port) = try server()
    let name = "<b>\"&.txt"
    try write("x", to: "a & b/\(name)")
    try write("x", to: "a & b/.hidden")
    #expect(try answer(port, "/a%20&%20b").contains("\nlocation: /a%20&%20b/\r\n"))
    let page = try curl(port, "/a%20&%20b/")
    #expect(page.contains("<a href=\"./%3Cb%3E%22%26.txt\">&#60;b&#62;&#34;&#38;.txt</a>"))
    #expect(!page.contains("hidden"))
    #expect(try curl(port, "/").contains("<a href=\"./a%20%26%20b/\">"))
    #expect(try curl(port, "/a%20&%20b/%3Cb%3E%22%26.txt") == "x")
    try write("<p>index", to: "a & b/index.html")
    #expect(try curl(port, "/a%20&%20b/") == "<p>index")
    let (_, other) = try server("--no-listing")
    #expect(try status(other, "/") == "404")
  }

  @Test("Requests that come in a row, or in pieces, are answered in order on one connection")
  func pipelining() throws {
    try write("second\n", to: "second.txt")
    let (_, port) = try server()
    let requests =
      "GET /hello.txt HTTP/1.1\\r\\nHost: x\\r\\n\\r\\nHEAD /none HTTP/1.1\\r\\nHOST:x\\r\\n\\r\\n\\r\\nGET /second.txt HTTP/1.1\\r\\nhost: x\\r\\nconnection: Close\\r\\n\\r\\n"
    let whole = try Client.run("printf '\(requests)' | nc 127.0.0.1 \(port)")
    let answers = whole.matches(of: /HTTP\/1.1 (\d+)/).map { String($0.1) }
    #expect(answers == ["200", "404", "200"])
    #expect(whole.hasSuffix("connection: close\r\n\r\nsecond\n"))
    // A byte at a time: each is a packet, since `nc` writes what it reads.
    let pieces = try Client.run(
      "printf '\(requests)' | { while IFS= read -r -d '' -n 1 c || [ -n \"$c\" ]; do printf %s \"$c\"; done; } | nc 127.0.0.1 \(port)"
    )
    let date = /date: [^\r]*/
    #expect(pieces.replacing(date, with: "") == whole.replacing(date, with: ""))
    let twice = "http://127.0.0.1:\(port)/hello.txt http://127.0.0.1:\(port)/second.txt"
    #expect(try Client.run("curl -sv \(twice) 2>&1 | grep -c 'Re-using'") == "1\n")
  }

  @Test("What isn't HTTP, or too much of it, is an answer and the end of the connection")
  func badRequests() throws {
    let (_, port) = try server("--max-head", "200")
    for (request, status) in [
      ("nonsense\\r\\n\\r\\n", "400"), ("GET /hello.txt HTTP/1.1\\r\\n\\r\\n", "400"),
      ("GET /hello.txt HTTP/1.1\\r\\nHost: x\\r\\nHost: y\\r\\n\\r\\n", "400"),
      ("GET /hello.txt HTTP/1.1\\r\\nHost: x\\r\\n folded\\r\\n\\r\\n", "400"),
      ("GET /hello.txt HTTP/1.1\\r\\nHost : x\\r\\n\\r\\n", "400"),
      ("GET /hello.txt HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: +1\\r\\n\\r\\n", "400"),
      ("GET hello.txt HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n", "400"),
      ("GET /hello.txt HTTP/2.0\\r\\nHost: x\\r\\n\\r\\n", "505"),
      ("POST /hello.txt HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 4\\r\\n\\r\\nbody", "405"),
      ("GET /hello.txt HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 4\\r\\n\\r\\nbody", "200"),
      ("GET http://x/hello.txt HTTP/1.0\\r\\n\\r\\n", "200"),
      ("GET / HTTP/1.1\\r\\nHost: \(String(repeating: "x", count: 300))", "431"),
    ] {
      // The client reads until the server closes the connection.
      let answer = try Client.run("printf '\(request)' | nc 127.0.0.1 \(port)")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request): \(answer)")
      #expect(answer.contains("\r\nconnection: close\r\n"), "\(request)")
      #expect(answer.matches(of: /HTTP\/1.1 \d/).count == 1, "\(request)")
    }
  }

  @Test("A client that is silent in the middle of a request gets an answer")
  func silence() throws {
    let (_, port) = try server("--idle-timeout", "1")
    let client = try RunningProgram(["nc", "127.0.0.1", port])
    try client.write("GET / HTT")
    #expect(try client.line()?.hasPrefix("HTTP/1.1 408 ") == true)
    // One that asks for nothing is let go of.
    let idle = try RunningProgram(["nc", "127.0.0.1", port])
    #expect(try idle.end() == ("", 0))
  }

  @Test("A connection too many gets an answer, and others are served")
  func tooMany() throws {
    let (_, port) = try server("--max-connections", "1")
    let client = try RunningProgram(["nc", "127.0.0.1", port])
    try client.write("GET /hello.txt HTTP/1.1\r\nHost: x\r\n\r\n")
    try client.line(containing: "hello")
    #expect(try status(port, "/hello.txt") == "503")
    try client.write("GET /hello.txt HTTP/1.1\r\nHost: x\r\n\r\n")
    try client.line(containing: "hello")
  }

  @Test(
    "wrk gets an answer to each request, from each of several loops", .enabled(if: Client.isInstalled("wrk")))
  func load() throws {
    let (server, port) = try server("--loops", "2")
    let output = try Client.run("wrk -t1 -c20 -d1 http://127.0.0.1:\(port)/hello.txt")
    #expect(output.contains("requests in"))
    #expect(!output.contains("Socket errors") && !output.contains("Non-2xx"), "\(output)")
    server.terminate()
    let end = try server.end()
    #expect(end.output.hasSuffix("cut off 0\n") && end.status == 0, "\(end)")
  }

  @Test("Over TLS a client gets the same, and keeps its connection")
  func tls() throws {
    let certificate = TestCertificate.shared
    let (server, port) = try RunningProgram.serving("FileServer", ["--root", root] + certificate.options)
    programs.append(server)
    let url = "https://localhost:\(port)/hello.txt"
    let output = try Client.run("curl -4 -sv --cacert '\(certificate.certificate)' \(url) \(url) 2>&1")
    #expect(output.contains("Re-using") && output.contains("hello\n"), "\(output)")
    // A client that speaks no TLS harms nobody.
    _ = try Client.run("printf 'GET / HTTP/1.1\\r\\n\\r\\n' | nc -N 127.0.0.1 \(port)")
    server.terminate()
    #expect(try server.end() == ("answered 2, cut off 0\n", 0))
  }
}
