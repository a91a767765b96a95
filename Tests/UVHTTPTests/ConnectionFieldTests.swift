#if Everything
import HTTPTypes
import Testing
import UVTestSupport

@testable import UVHTTP

/// The head of an answer, and what it says of its connection.
@Suite struct ConnectionFieldTests {
  private static let statuses: [HTTPResponse.Status] = [
    .ok, .switchingProtocols, .upgradeRequired, .notFound,
  ]
  private static let framings: [(framing: ResponseHead.Framing, line: String)] = [
    (.none, ""), (.length(3), "content-length: 3\r\n"), (.chunked, "transfer-encoding: chunked\r\n"),
    (.untilClose, ""),
  ]

  @Test(arguments: [false, true], [0, 1])
  func `The field says what becomes of the connection, and nothing where that is clear`(
    isLast: Bool, minorVersion: Int
  ) {
    for status in Self.statuses {
      for (framing, line) in Self.framings {
        for hasUpgrade in [false, true] {
          for saysClose in [false, true] {
            var fields = HTTPFields()
            if hasUpgrade { fields[.upgrade] = "other/1" }
            if saysClose { fields[.connection] = "close" }
            var bytes = BytesBuilder()
            let ends = ResponseHead(HTTPResponse(status: status, headerFields: fields), framing)
              .append(to: &bytes, isLast: isLast, minorVersion: minorVersion, date: "date: now\r\n")
            let isEnd = if case .untilClose = framing { true } else { isLast || saysClose }
            #expect(ends == isEnd)
            // As RFC 9112, 9.6, and RFC 9110, 7.8, say.
            let field =
              switch (status.code, hasUpgrade, isEnd) {
              case (101, _, _), (_, true, false): "connection: upgrade\r\n"
              case (_, true, true): "connection: close, upgrade\r\n"
              case (_, false, true): "connection: close\r\n"
              case (_, false, false): minorVersion == 0 ? "connection: keep-alive\r\n" : ""
              }
            let upgrade = hasUpgrade ? "upgrade: other/1\r\n" : ""
            #expect(
              bytes.description.lowercased()
                == "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n\(upgrade)date: now\r\n\(line)\(field)\r\n"
                .lowercased())
          }
        }
      }
    }
  }
}
#endif
