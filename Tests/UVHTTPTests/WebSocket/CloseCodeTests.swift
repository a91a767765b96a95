#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// Which codes and reasons a close may have (RFC 6455, 7.4), sent and received, and which fields a proxy sends on.
@Suite struct CloseCodeTests {
  /// The codes that RFC 6455, 7.4, and IANA's registry have for an endpoint to send.
  private static func mayBeSent(_ code: UInt16) -> Bool {
    let registered: Set<UInt16> = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014]
    return registered.contains(code) || code >= 3000 && code < 5000
  }

  @Test func `Of all codes those that are registered or free are sent and taken`() {
    for code in 0...UInt16.max where code < 6000 || code % 251 == 0 || code == .max {
      let isValid = Self.mayBeSent(code)
      #expect(WebSocketCore.maySend(WebSocketCloseCode(rawValue: code), "") == isValid, "\(code)")
      let payload = Bytes([UInt8(code >> 8), UInt8(code & 255)])
      let expected = isValid ? "close \(code) \"\"" : "refused 1002"
      #expect(verdict(frame(0x88, payload), cuts: []) == expected, "\(code)")
    }
  }

  @Test func `A reason is UTF-8, and has room beside its code in a control frame`() {
    for (reason, isSent) in [
      ("", true), (String(repeating: "x", count: 123), true), (String(repeating: "x", count: 124), false),
      (String(repeating: "ü", count: 61), true), (String(repeating: "ü", count: 62), false),
      (String(repeating: "🙂", count: 30), true), (String(repeating: "🙂", count: 31), false),
    ] {
      #expect(WebSocketCore.maySend(.normal, reason) == isSent, "\(reason.utf8.count) bytes")
      if !isSent { continue }
      let payload = Bytes([3, 0xe8] + Array(reason.utf8))
      #expect(verdict(frame(0x88, payload), cuts: []) == "close 1000 \(reason.debugDescription)")
      // Cut within its last character.
      if reason.utf8.count > reason.count {
        #expect(verdict(frame(0x88, Bytes(payload.dropLast())), cuts: []) == "refused 1007")
      }
    }
    #expect(verdict(frame(0x88, ""), cuts: []) == "close 1005 \"\"")
    #expect(verdict(frame(0x88, [3]), cuts: []) == "refused 1002")
  }

  @Test(
    "Fields of one connection aren't sent on, those that Connection names among them, and all others are",
    arguments: [
      ([], ["via"]),
      ([("A", "1"), ("B", "2"), ("A", "3")], ["a", "b", "a", "via"]),
      ([("Connection", "close"), ("A", "1")], ["a", "via"]),
      ([("Connection", "A, b"), ("A", "1"), ("B", "2"), ("a", "3"), ("C", "4")], ["c", "via"]),
      ([("Connection", "a"), ("Connection", " B ,,"), ("A", "1"), ("B", "2"), ("C", "4")], ["c", "via"]),
      ([("Connection", "not a name, A"), ("A", "1")], ["via"]),
      (
        [
          ("Keep-Alive", "1"), ("Proxy-Authenticate", "1"), ("Proxy-Authorization", "1"),
          ("Proxy-Connection", "1"),
          ("TE", "trailers"), ("Transfer-Encoding", "chunked"), ("Upgrade", "x"),
          ("Proxy-Authentication-Info", "1"),
        ], ["via"]
      ),
      (
        [("Trailer", "x"), ("Content-Length", "3"), ("Authorization", "s")],
        ["trailer", "content-length", "authorization", "via"]
      ),
      ([("Via", "1.0 other"), ("A", "1")], ["via", "a", "via"]),
      ([("Connection", "via"), ("Via", "1.0 other")], ["via"]),
    ] as [([(String, String)], [String])])
  func forwarded(fields: [(String, String)], expected: [String]) throws {
    var all = HTTPFields()
    for (name, value) in fields {
      all.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    let found = all.forwarded(as: "gate")
    #expect(found.map(\.name.canonicalName) == expected)
    #expect(found.last?.value == "1.1 gate")
    #expect(found.forwarded(as: "next")[values: .via].suffix(2) == ["1.1 gate", "1.1 next"])
  }
}
#endif
