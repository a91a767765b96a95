import Foundation
import Testing
import UVTLS
import UVTestSupport

/// tlslite-ng, which sends what OpenSSL can't be made to send. `Tests/Suites/Parts/clients` installs it.
@Suite(.enabled(if: TLSLite.python != nil, "tlslite-ng is missing; see Tests/Suites/Parts/clients"))
struct MalformedTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Peers/misbehave.py").path

  /// What the peer said of each case.
  private static func check(_ lines: [String]) {
    #expect(lines.count == 28)
    for line in lines {
      let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
      let (name, outcome) = (parts[0], parts.last ?? "")
      if name.hasSuffix("as it should be") {
        #expect(outcome == "answered you said hello", "\(line)")
      } else {
        // An alert, or the end of the connection without a word: never an answer, and never a clean end.
        #expect(!outcome.hasPrefix("answered") && outcome != "closed", "\(line)")
      }
    }
    for (name, alert) in [
      "1.3 plain text": "bad_record_mac", "1.3 a record that is too long": "record_overflow",
      "1.3 an unknown type": "unexpected_message", "1.3 a second greeting": "unexpected_message",
      "1.2 plain text": "bad_record_mac", "1.2 a finish out of turn": "unexpected_message",
    ] {
      #expect(lines.contains("\(name): \(alert)"), "\(lines)")
    }
  }

  @Test("Malformed records from a client end its connection with an alert, and others are served")
  func client() async throws {
    let context = try Certificates.shared.server("rsa")
    try await withLoop(within: 120) { loop in
      // The client's arithmetic is Python's: on a busy machine ten seconds can be too few.
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, context, handshakeTimeout: .seconds(60))
      let codes = Log<UVError.Code?>()
      loop.spawn {
        do {
          for try await connection in listener {
            loop.spawn {
              do throws(UVError) {
                let line = try await connection.readLine(limit: 1000).value ?? ""
                try await connection.write(["you said ", line, "\n"]).value
                codes.append(nil)
              } catch { codes.append(error.code) }
              connection.close()
            }
          }
        } catch { Issue.record("\(error)") }
      }
      let port = try listener.localAddress().port
      let child = try loop.processes.spawn(
        TLSLite.python!, [Self.script, "client", "\(port)"], stdio: [.ignore, .pipe, .inherit])
      let output = try await child.standardOutput!.readToEnd(limit: 1 << 20).value
      #expect(try await child.exit().value.isSuccess)
      Self.check(String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init))
      try await loop.until { codes.values.count >= 28 }
      // What is as it should be, and a client of TLS 1.2 that says goodbye when it isn't greeted twice.
      #expect(codes.values.filter { $0 == nil }.count == 3)
      #expect(
        codes.values.allSatisfy { [nil, .tls, .tlsTruncated, .connectionReset].contains($0) },
        "\(codes.values)")
      listener.close()
    }
  }

  @Test func `Malformed records from a server end the client's connection with an alert`() async throws {
    let context = try Certificates.shared.client()
    let (certificate, key) = (Certificates.shared.path("rsa.pem"), Certificates.shared.path("rsa.key"))
    try await withLoop(within: 120) { loop in
      let child = try loop.processes.spawn(
        TLSLite.python!, [Self.script, "server", certificate, key], stdio: [.ignore, .pipe, .inherit])
      let line = try await child.standardOutput!.readLine(limit: 100).value
      let port = try #require(line.flatMap { Int(String(decoding: $0, as: UTF8.self)) })
      var codes: [UVError.Code?] = []
      for _ in 0..<28 {
        let connection = try await loop.tls.connect(
          host: "localhost", port: port, context, handshakeTimeout: .seconds(60)
        ).value
        try await connection.write("hello\n").value
        do throws(UVError) {
          let line = try await connection.readLine(limit: 1000).value ?? ""
          try await connection.write(["you said ", line, "\n"]).value
          codes.append(nil)
        } catch { codes.append(error.code) }
        _ = try? await connection.next().value
        connection.close()
      }
      let output = try await child.standardOutput!.readToEnd(limit: 1 << 20).value
      #expect(try await child.exit().value.isSuccess)
      Self.check(String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init))
      #expect(codes.filter { $0 == nil }.count == 2)
      #expect(codes.allSatisfy { [nil, .tls, .tlsTruncated, .connectionReset].contains($0) }, "\(codes)")
    }
  }
}

private enum TLSLite {
  /// A Python that has tlslite-ng.
  static let python: String? = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
      .path
    return ["\(root)/.build/clients/bin/python", "/usr/bin/python3"].first { path in
      guard FileManager.default.isExecutableFile(atPath: path) else { return false }
      return (try? runProgram(URL(fileURLWithPath: path), ["-c", "import tlslite"]))?.status == 0
    }
  }()
}
