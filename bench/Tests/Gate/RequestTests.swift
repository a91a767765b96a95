import Testing

@testable import BenchHarness

/// What the gate asks of servers by HTTP, and what it allows programs to do.
@Suite struct RequestTests {
  private func text(_ requests: HTTPRequests) -> [String] {
    requests.bytes(target: "/a", authority: "h:1").map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func aRequestHasItsMethodItsFieldsAndItsBody() throws {
    let get = try HTTPRequests(
      requests: [.init(method: "GET")], headers: ["Accept-Encoding: gzip", "host:x"])
    #expect(
      text(get) == [
        "GET /a HTTP/1.1\r\nAccept-Encoding: gzip\r\nhost: x\r\nUser-Agent: uvbench\r\nAccept: */*\r\n\r\n"
      ])
    let post = try HTTPRequests(
      requests: [.init(method: "POST", target: "/b", body: Array("hi".utf8))], headers: [])
    #expect(
      text(post) == [
        "POST /b HTTP/1.1\r\nHost: h:1\r\nUser-Agent: uvbench\r\nAccept: */*\r\nContent-Length: 2\r\n\r\nhi"
      ])
    #expect(post.hexadecimal(target: "/", authority: "h").hasSuffix("0d0a0d0a6869"))
  }

  @Test func aListHasARequestOnEachLine() throws {
    let list = try HTTPRequests.list("# a shop\nGET /\n\nPOST /orders {\"id\": 1}\nPUT /x @file\n") { path in
      Array("content of \(path)".utf8)
    }
    #expect(
      list == [
        .init(method: "GET", target: "/"),
        .init(method: "POST", target: "/orders", body: Array("{\"id\": 1}".utf8)),
        .init(method: "PUT", target: "/x", body: Array("content of file".utf8)),
      ])
    #expect(throws: UsageError.self) { try HTTPRequests.list("# nothing\n") { _ in [] } }
    #expect(throws: UsageError.self) { try HTTPRequests.list("GET\n") { _ in [] } }
  }

  @Test(arguments: [
    ("--header nothing", "write it as 'Name: value'"), ("--method get", "no method of HTTP"),
    ("--method HEAD", "can't be asked for"), ("--requests /nonexistent", "cannot read /nonexistent"),
    ("--requests a --body b", "excludes --method and --body"), ("--body @/nonexistent", "cannot read"),
    ("--exit-code many", "--exit-code"),
  ])
  func wrongUseIsExplained(options: String, message: String) throws {
    let output = try Products.shell(
      "$EXAMPLE gate --server false --server false --load 'http://127.0.0.1:{port}/' \(options)")
    #expect(output.code == 2 && output.text.contains(message), "\(output.text)")
    let command = try Products.shell("$EXAMPLE gate --command true --command true --method GET")
    #expect(command.code == 2 && command.text.contains("need a --load of http"), "\(command.text)")
  }

  #if os(Linux)
    private static let hasPython = (try? Products.shell("python3 --version"))?.code == 0

    /// The server keeps what it was asked for.
    @Test(.enabled(if: hasPython)) func theServerGetsWhatWasAskedForInTurn() throws {
      try Products.withDirectory { directory in
        let output = try Products.shell(
          """
          cd \(directory); cat > server.py <<'END'
          import http.server, os
          class Handler(http.server.BaseHTTPRequestHandler):
              protocol_version = "HTTP/1.1"
              def answer(self):
                  body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                  with open("asked", "a") as file:
                      print(self.command, self.path, self.headers["X-Field"], body.decode(), file=file)
                  self.send_response(200)
                  self.send_header("Content-Length", "2")
                  self.end_headers()
                  self.wfile.write(b"hi")
              do_GET = do_POST = answer
              def log_message(self, *words): pass
          http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
          END
          printf 'GET /one\\nPOST /two a body\\n' > list
          $EXAMPLE gate --server 'exec python3 server.py' --server 'exec python3 server.py' --connections 1 \
            --load 'http://127.0.0.1:{port}/' --requests list --header 'X-Field: yes' --prepare 'echo $PORT >> prepared' \
            --judge memory --warm-up 0.01 --time-budget 0.1
          sort asked | uniq -c | sort -rn | head -3; wc -l < prepared
          """)
        let kinds = output.lines.compactMap { $0.firstMatch(of: #/^ *(\d+) (GET|POST) (.*)$/#) }
        #expect(
          Set(kinds.map { "\($0.2) \($0.3)" }) == ["GET /one yes ", "POST /two yes a body"], "\(output.text)")
        // They take turns.
        let counts = kinds.compactMap { Int($0.1) }
        #expect(counts.count == 2 && abs(counts[0] - counts[1]) * 10 < counts[0] + 10, "\(counts)")
        #expect(output.code == 0 && Int(output.lines.last ?? "") ?? 0 >= 3, "\(output.text)")
      }
    }

    @Test func aProgramMayEndWithACodeThatIsAllowedAndIsMadeReadyFor() throws {
      try Products.withDirectory { directory in
        let gate =
          "$EXAMPLE gate --command 'cat ready; exit 3' --command 'cat ready; exit 3' --judge memory --time-budget 0.1"
        let output = try Products.shell(
          """
          cd \(directory); \(gate) --exit-code 3 --prepare 'echo >> ready'; echo "allowed $?"
          \(gate); echo "else $?"
          \(gate) --exit-code 3 --prepare 'exit 5'; echo "unprepared $?"
          """)
        #expect(
          output.lines.filter { $0.contains(#/^(allowed|else|unprepared) \d$/#) } == [
            "allowed 0", "else 3", "unprepared 3",
          ], "\(output.text)")
        #expect(output.text.contains("--prepare: `exit 5` ended with code 5"), "\(output.text)")
      }
    }

    @Test(.enabled(if: hasPython), arguments: [("while :; do :; done & ", true), ("sleep 1000 & ", false)])
    func threadsThatShareAProcessorAreReported(beside: String, areReported: Bool) throws {
      let server = "\(beside) exec python3 bench/Tests/Gate/SpinningServer.py 0"
      let output = try Products.shell(
        "$EXAMPLE gate --server '\(server)' --server '\(server)' --load 'http://127.0.0.1:{port}/' --judge memory"
          + " --warm-up 0.3 --time-budget 0.1")
      #expect(output.code == 0, "\(output.text)")
      #expect(output.text.contains("2 threads of the old server work") == areReported, "\(output.text)")
    }
  #endif
}
