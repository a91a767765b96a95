import Foundation
import Testing

/// The example that runs SwiftNIO's protocols on libuv.
@Suite(.enabled(if: Client.hasCurl, Client.howToInstall)) struct HTTPServerTests {
  private let server: RunningProgram
  private let address: String
  private let port: String

  init() throws {
    (server, port) = try RunningProgram.serving("HTTPServer", ["--loops", "2"])
    address = "http://127.0.0.1:\(port)"
  }

  @Test("curl gets answers over one connection, also a long one, HEAD and what isn't there")
  func curl() throws {
    let several = try Client.run("curl -s -w '%{num_connects} ' \(address)/ \(address)/ \(address)/missing")
    #expect(several == "Hello, world\n1 Hello, world\n0 There is nothing here.\n0 ")
    #expect(try Client.run("curl -s \(address)/page | wc -c | tr -d ' '") == "65536\n")
    #expect(try Client.run("curl -s -I \(address)/ | head -n 1") == "HTTP/1.1 200 OK\r\n")
    #expect(try Client.run("curl -s -d hello \(address)/") == "Hello, world\n")
  }

  @Test("Requests that come together are answered in their order, and the last one may close")
  func pipelining() throws {
    let requests =
      #"GET / HTTP/1.1\r\nhost: x\r\n\r\nGET /missing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"#
    let answers = try Client.run("printf '\(requests)' | nc 127.0.0.1 \(port) | grep -a '^[HT]'")
    #expect(
      answers == "HTTP/1.1 200 OK\r\nHello, world\nHTTP/1.1 404 Not Found\r\nThere is nothing here.\n")
  }

  @Test("What isn't HTTP is refused") func garbage() throws {
    let answer = try Client.run(#"printf 'hello\r\n\r\n' | nc 127.0.0.1 \#(port) | head -n 1"#)
    #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request"))
  }

  @Test("A WebSocket's message comes back at /ws, and its ping and its close are answered")
  func webSocket() throws {
    let upgrade =
      #"GET /ws HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n"#
      + #"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"#
    // A text, a ping and a close, with a mask of zeros.
    let frames = #"\x81\x85\0\0\0\0hello\x89\x82\0\0\0\0hi\x88\x80\0\0\0\0"#
    let answer = try Client.run(
      "printf '\(upgrade)\(frames)' | nc 127.0.0.1 \(port) | od -An -c | tr -d ' \\n'")
    #expect(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    #expect(answer.hasSuffix(#"201005hello212002hi210\0"#))
  }

  /// Whether the example was built with what it needs for TLS.
  static let hasTLS: Bool = {
    let help = try? runProgram(Checkout.program("HTTPServer"), ["--help"]).output
    return help?.contains("--tls-certificate") == true
  }()
  static let howToBuild: Comment =
    "it needs the trait TLS; Tests/run http2 builds with it"

  @Test(
    "With a certificate, curl gets HTTP/2 if it offers that, and HTTP/1.1 otherwise",
    .enabled(if: hasTLS, howToBuild))
  func http2() throws {
    let (server, port) = try RunningProgram.serving("HTTPServer", TestCertificate.shared.options)
    defer { withExtendedLifetime(server) {} }
    let address = "https://localhost:\(port)"
    let curl = "curl -s --cacert \(TestCertificate.shared.certificate) -w '%{http_version} %{num_connects} '"
    #expect(
      try Client.run("\(curl) --http2 \(address)/ \(address)/missing")
        == "Hello, world\n2 1 There is nothing here.\n2 0 ")
    #expect(
      try Client.run("\(curl) --http1.1 \(address)/ \(address)/")
        == "Hello, world\n1.1 1 Hello, world\n1.1 0 ")
    #expect(
      try Client.run("\(curl) --http2 -o /dev/null -w '%{size_download}' \(address)/page").hasSuffix("65536"))
    #expect(try Client.run("\(curl) --http2 -d hello \(address)/").hasPrefix("Hello, world\n2"))
    // A client that doesn't trust the certificate, and one that speaks no TLS.
    #expect(try Client.run("curl -s --http2 \(address)/ || echo $?") == "60\n")
    #expect(try Client.run("printf 'hello\\r\\n' | nc 127.0.0.1 \(port) | wc -c | tr -d ' '") != "")
    #expect(try Client.run("\(curl) \(address)/") == "Hello, world\n2 1 ")
  }

  @Test(
    "h2load's requests, ten at a time over each of ten connections, are all answered",
    .enabled(if: hasTLS, howToBuild), .enabled(if: Client.hasH2load, Client.howToInstall))
  func http2Load() throws {
    let (server, port) = try RunningProgram.serving(
      "HTTPServer", TestCertificate.shared.options + ["--loops", "2"])
    defer { withExtendedLifetime(server) {} }
    let report = try Client.run("h2load -n 1000 -c 10 -m 10 https://127.0.0.1:\(port)/")
    #expect(report.contains("Application protocol: h2"))
    #expect(report.contains("1000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(report)")
  }

  @Test("wrk's fifty connections are all answered", .enabled(if: Client.hasWrk, Client.howToInstall))
  func load() throws {
    let report = try Client.run("wrk -t1 -c50 -d1s \(address)/")
    #expect(report.contains("requests in"))
    #expect(!report.contains("Non-2xx") && !report.contains("Socket errors"), "\(report)")
  }
}
