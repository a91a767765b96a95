import Foundation
import Testing
import UV

/// The program of the article "An API", with a real Redis server and curl.
@Suite(.enabled(if: Client.hasRedisServer && Client.hasCurl, Client.howToInstall)) struct CounterAPITests {
  @Test("The API counts in Redis, answers 502 without it, and ends in good order")
  func counts() throws {
    let redisPort = try RedisClientTests.freePort()
    let api = try RunningProgram(example: "CounterAPI", ["0", "\(redisPort)"])
    let port = try api.port()
    func curl(_ arguments: String) throws -> String {
      try Client.run("curl -sS -m 20 -w ' %{http_code}' \(arguments) http://127.0.0.1:\(port)/visits")
    }
    // Nobody is there yet.
    #expect(try curl("") == " 502")
    let redis = try RunningProgram([
      "redis-server", "--port", "\(redisPort)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
    ])
    try redis.line(containing: "Ready to accept connections")
    #expect(try curl("") == "no such counter 404")
    #expect(try curl("-d ''") == "1 200")
    #expect(try curl("-X DELETE") == " 405")
    // Many at a time are counted once each.
    _ = try Client.run(
      "for i in $(seq 40); do curl -sS -m 20 -d '' http://127.0.0.1:\(port)/visits >/dev/null & done; wait")
    #expect(try curl("") == "41 200")
    api.terminate()
    #expect(try api.line(containing: "ended") == "ended")
  }

  @Test("The article shows the program")
  func article() throws {
    let source = try String(
      contentsOf: Checkout.root.appendingPathComponent("Examples/Sources/CounterAPI/CounterAPI.swift"),
      encoding: .utf8)
    let article = try String(
      contentsOf: Checkout.root.appendingPathComponent("Sources/UVHTTP/UVHTTP.docc/AnAPI.md"), encoding: .utf8
    )
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 80)
    #expect(article.contains(lines.dropFirst(2).joined(separator: "\n")))
  }
}
