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

  @Test("wrk's fifty connections are all answered", .enabled(if: Client.hasWrk, Client.howToInstall))
  func load() throws {
    let report = try Client.run("wrk -t1 -c50 -d1s \(address)/")
    #expect(report.contains("requests in"))
    #expect(!report.contains("Non-2xx") && !report.contains("Socket errors"), "\(report)")
  }
}
