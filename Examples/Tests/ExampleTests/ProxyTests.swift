import Foundation
import Testing

/// The example that passes connections on.
@Suite(.enabled(if: Client.hasSocat && Client.hasNetcat, Client.howToInstall)) final class ProxyTests {
  /// What runs until the test has ended.
  private var programs: [RunningProgram] = []
  private let script = FileManager.default.temporaryDirectory
    .appendingPathComponent("swift-uv-proxy-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: script) }

  /// A server that gives each connection to a script.
  private func server(_ commands: String) throws -> (RunningProgram, port: String) {
    try Data(commands.utf8).write(to: script)
    let server = try RunningProgram(
      ["socat", "-d", "-d", "TCP-LISTEN:0,bind=127.0.0.1,fork,reuseaddr", "SYSTEM:bash \(script.path)"],
      mergesErrors: true)
    programs.append(server)
    let line = try server.line(containing: "listening on")
    return (server, try #require(line.split(separator: ":").last.map(String.init)))
  }

  private func proxy(to port: String, _ arguments: String...) throws -> (RunningProgram, port: String) {
    let proxy = try RunningProgram(
      example: "Proxy", ["--to", "127.0.0.1:\(port)"] + arguments, mergesErrors: true)
    programs.append(proxy)
    return (proxy, try proxy.port())
  }

  @Test("curl gets a page through the proxy", .enabled(if: Client.hasCurl, Client.howToInstall))
  func curl() throws {
    let (_, target) = try server(
      #"while IFS= read -r line && [ "$line" != $'\r' ]; do :; done; printf 'HTTP/1.0 200 OK\r\n\r\nhello\n'"#
    )
    let (proxy, port) = try proxy(to: target)
    for _ in 0..<10 { #expect(try Client.run("curl -s http://127.0.0.1:\(port)/") == "hello\n") }
    proxy.terminate()
    #expect(try proxy.end() == ("ended; 0 connections were cut off\n", 0))
  }

  @Test("A client that ends what it sends still gets the answer")
  func halfClose() throws {
    // `sort` answers once it has read the end.
    let (_, target) = try server("sort")
    let (_, port) = try proxy(to: target)
    #expect(try Client.run("printf 'b\\na\\n' | nc -N 127.0.0.1 \(port)") == "a\nb\n")
    let long = "seq 1 200000 | nc -N 127.0.0.1 \(port) | tail -n 1"
    #expect(try Client.run(long) == "99999\n")
  }

  @Test("A connection beyond the limit waits until another has ended")
  func limit() throws {
    let (_, target) = try server("cat")
    let (_, port) = try proxy(to: target, "--limit", "1")
    let first = try RunningProgram(["nc", "-N", "127.0.0.1", port])
    try first.write("one\n")
    #expect(try first.line() == "one")
    let second = try RunningProgram(["nc", "-N", "127.0.0.1", port])
    try second.write("two\n")
    try second.closeInput()
    try first.write("three\n")
    #expect(try first.line() == "three")
    try first.closeInput()
    #expect(try first.end().status == 0)
    #expect(try second.end() == ("two\n", 0))
  }

  @Test("A connection that is silent for too long is closed")
  func idle() throws {
    let (_, target) = try server("cat")
    let (proxy, port) = try proxy(to: target, "--idle-timeout", "1")
    let client = try RunningProgram(["nc", "127.0.0.1", port])
    try client.write("hello\n")
    #expect(try client.line() == "hello")
    #expect(try client.end().output == "")
    try proxy.line(containing: "idleTimeout of 1.0 seconds")
  }

  @Test("A server that doesn't answer is reported, and the client sees an end")
  func noServer() throws {
    let (proxy, port) = try proxy(to: "1")
    #expect(try Client.run("nc 127.0.0.1 \(port) < /dev/null") == "")
    try proxy.line(containing: "ECONNREFUSED")
  }

  @Test("After SIGTERM a connection goes on until it ends, and no other is accepted")
  func graceful() throws {
    let (_, target) = try server("cat")
    let (proxy, port) = try proxy(to: target, "--grace", "30", "--farewell", "30")
    let client = try RunningProgram(["nc", "-N", "127.0.0.1", port])
    try client.write("one\n")
    #expect(try client.line() == "one")
    proxy.terminate()
    while try Client.run("nc -z 127.0.0.1 \(port) && echo open") == "open\n" {}
    try client.write("two\n")
    #expect(try client.line() == "two")
    try client.closeInput()
    #expect(try client.end() == ("", 0))
    #expect(try proxy.end() == ("ended; 0 connections were cut off\n", 0))
  }

  @Test("After SIGTERM a connection that is silent is let go of")
  func gracefulIdle() throws {
    let (_, target) = try server("cat")
    let (proxy, port) = try proxy(to: target, "--grace", "50")
    let client = try RunningProgram(["nc", "127.0.0.1", port])
    try client.write("one\n")
    #expect(try client.line() == "one")
    proxy.terminate()
    #expect(try proxy.end() == ("ended; 0 connections were cut off\n", 0))
  }

  @Test(
    "A client that speaks TLS reaches a server that doesn't",
    .enabled(if: Client.hasCurl, Client.howToInstall))
  func tls() throws {
    let (_, target) = try server(
      #"while IFS= read -r line && [ "$line" != $'\r' ]; do :; done; printf 'HTTP/1.0 200 OK\r\n\r\nhello\n'"#
    )
    let certificate = TestCertificate.shared
    let (proxy, port) = try RunningProgram.serving(
      "Proxy", ["--to", "127.0.0.1:\(target)"] + certificate.options)
    programs.append(proxy)
    let get = "curl -4 -s --cacert '\(certificate.certificate)' https://localhost:\(port)/"
    for _ in 0..<3 { #expect(try Client.run(get) == "hello\n") }
    proxy.terminate()
    #expect(try proxy.end() == ("ended; 0 connections were cut off\n", 0))
  }
}
