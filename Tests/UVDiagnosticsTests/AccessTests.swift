#if Everything
import Foundation
import Testing
import UVDiagnostics
import UVTestSupport

/// Who may see a page.
@Suite(.serialized) struct AccessTests {
  @Test("Nobody sees the page without the token, which a field or the query has")
  func token() async throws {
    try await withLoop { loop in
      let page = try loop.diagnostics.listen(on: .port(0))
      let bare = String(page.url.prefix { $0 != "?" })
      let token = String(page.url.split(separator: "=").last ?? "")
      #expect(page.url.hasPrefix("http://127.0.0.1:") && token.count == 32)
      #expect(loop.diagnostics.token != loop.diagnostics.token)
      let wrong = String(token.dropLast()) + (token.last == "0" ? "1" : "0")
      for path in ["", "snapshot.json", "metrics", "other"] {
        let answer = try await loop.ask(bare + path)
        #expect(answer.status == 401 && answer.fields[.wwwAuthenticate] == "Bearer")
      }
      for query in ["?token=\(wrong)", "?token=", "?token", "?token=\(token)0", "?a=\(token)"] {
        #expect(try await loop.ask(bare + query).status == 401, "\(query)")
      }
      let fields = ["Basic \(token)", "Bearer", "Bearer \(wrong)", token]
      for field in fields {
        #expect(
          try await loop.ask(bare + "?token=\(token)", fields: [.authorization: field]).status == 401,
          "\(field)")
      }
      #expect(try await loop.ask(bare, fields: [.authorization: "bearer \(token)"]).status == 200)
      #expect(try await loop.ask("\(bare)metrics?a=b&token=\(token)&c=d").status == 200)
      page.close()
      await page.ended()
    }
  }

  @Test(
    "A name that isn't this machine's is refused, as a site may have it lead here; addresses are let through")
  func hosts() async throws {
    try await withLoop { loop in
      var diagnostics = loop.diagnostics
      diagnostics.hosts = ["Box.example"]
      let page = try diagnostics.listen(on: .port(0))
      let port = try #require(URL(string: page.url)?.port)
      func status(_ host: String) async throws -> String {
        let token = diagnostics.token
        let stream = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        try await stream.write(
          Bytes("GET /?token=\(token) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        ).value
        let answer = try await stream.readToEnd(limit: 1 << 20).value
        stream.close()
        return String("\(answer)".dropFirst(9).prefix(3))
      }
      for host in ["127.0.0.1:\(port)", "localhost:9", "LOCALHOST", "[::1]:80", "10.1.2.3", "box.example:80"]
      {
        #expect(try await status(host) == "200", "\(host)")
      }
      for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "box.example.com"] {
        #expect(try await status(host) == "421", "\(host)")
      }
      page.close()
      await page.ended()
    }
  }

  @Test("Nobody keeps an answer; the page runs its own script alone, and asks nobody but its server")
  func fields() async throws {
    try await withLoop { loop in
      let page = try loop.diagnostics.listen(on: .port(0))
      let first = try await loop.ask(page.url)
      let policy = try #require(first.fields[.contentSecurityPolicy])
      for part in ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
        #expect(policy.contains(part))
      }
      let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([0-9a-z]+)'/)?.1)
      #expect(first.text.contains("<script nonce=\"\(nonce)\">"))
      #expect(try await loop.ask(page.url).fields[.contentSecurityPolicy] != policy)
      for path in ["", "snapshot.json", "metrics", "other"] {
        let answer = try await loop.ask(page.url(of: path))
        #expect(answer.fields[.cacheControl] == "no-store")
        #expect(answer.fields[.xContentTypeOptions] == "nosniff")
        #expect(answer.fields[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
      }
      // A part of the page is nothing that has to be fetched.
      #expect(!first.text.contains("src=") && first.text.components(separatedBy: "href=").count == 2)
      #expect(try await loop.ask(page.url, .post).status == 405)
      let head = try await loop.ask(page.url, .head)
      #expect(head.status == 200 && head.text.isEmpty)
      page.close()
      await page.ended()
    }
  }

  @Test("A socket of the Unix domain serves the page, and its file goes with the page")
  func unixSocket() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let page = try loop.diagnostics.listen(on: .unix(path: FilePath("\(directory)/socket")))
        #expect(page.url.hasPrefix("http://localhost/?token="))
        let answer = try await loop.ask(page.url(of: "snapshot.json"), socket: "\(directory)/socket")
        #expect(try answer.part(["loops", 0, "name"]) as? String == loop.name)
        page.close()
        await page.ended()
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/socket"))
      }
    }
  }

  @Test("A short token, a strange one and a port that is taken are errors, and leave no thread")
  func wrongUse() async throws {
    try await withLoop { loop in
      // Each loop has one of these.
      func loops() -> Int { openDescriptors().values.filter { $0.contains("eventpoll") }.count }
      let before = loops()
      for token in ["", "fifteen-letters", "a token with blanks in it", "slash/slash/slash"] {
        var diagnostics = loop.diagnostics
        diagnostics.token = token
        #expect { try diagnostics.listen(on: .port(0)) } throws: {
          ($0 as? UVError)?.code == .invalidArgument && "\($0)".contains("16 characters")
        }
        #expect(throws: UVError.self) { try diagnostics.handler(on: loop) }
      }
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = Int(try listener.localAddress().port)
      #expect { try loop.diagnostics.listen(on: .port(port)) } throws: {
        ($0 as? UVError)?.code == .addressInUse
      }
      #expect(throws: UVError.self) { try loop.diagnostics.listen(on: .port(0, host: "no address")) }
      #expect(throws: UVError.self) { try loop.diagnostics.listen(on: .unix(path: "")) }
      listener.close()
      // The loops of such threads end by themselves.
      try await loop.until { loops() <= before }
    }
  }
}
#endif
