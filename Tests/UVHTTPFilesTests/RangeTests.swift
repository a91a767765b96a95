#if Everything
import Testing
import UVHTTP
import UVTestSupport

@testable import UVHTTPFiles

/// Parts of files (RFC 9110, 14).
@Suite struct RangeTests {
  @Test(
    "Ranges are understood as the standard says",
    arguments: [
      ("bytes=0-2", [0..<3]), ("bytes=3-", [3..<6]), ("bytes=-2", [4..<6]), ("bytes=-100", [0..<6]),
      ("bytes=2-100", [2..<6]), ("bytes=6-", []), ("bytes=-0", []),
      ("bytes=0-0, 2-3 ,-1", [0..<1, 2..<4, 5..<6]),
      ("BYTES=0-0", [0..<1]), ("bytes=,0-0,,", [0..<1]), ("bytes=0-0,9-", [0..<1]),
      ("bytes=0-99999999999999999999", [0..<6]), ("bytes=99999999999999999999-", []),
      ("bytes=-99999999999999999999", [0..<6]),
    ] as [(String, [Range<Int>])])
  func understood(field: String, ranges: [Range<Int>]) {
    #expect(ByteRanges.parse(field, size: 6) == ranges)
  }

  @Test(
    "What isn't a range, or asks for more than there is, is ignored",
    arguments: [
      "bytes=3-2", "bytes=x", "bytes=", "bytes=-", "bytes=1", "bytes=0-1-2", "bytes=+0-1", "bytes=0 - 1",
      "lines=0-1",
      "bytes 0-1", "bytes=0-5,0-5", "bytes=\(Array(repeating: "0-0", count: 17).joined(separator: ","))",
    ])
  func ignored(field: String) { #expect(ByteRanges.parse(field, size: 6) == nil) }

  @Test func `An empty file has no parts`() {
    for field in ["bytes=0-", "bytes=-1", "bytes=0-0"] { #expect(ByteRanges.parse(field, size: 0) == []) }
  }

  @Test(
    "A small file and a large one are sent in one part, in several, or refused", arguments: [26, 200_000])
  func answers(size: Int) async throws {
    try await withFiles { site in
      let text = String((0..<size).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) })
      try site.write(text, to: "a.txt")
      for _ in 0..<2 {
        let one = try await site.ask("/a.txt", .get, [.range: "bytes=3-5"])
        #expect(one.status == 206 && one.text == "def")
        #expect(one.fields[.contentRange] == "bytes 3-5/\(size)" && one.fields[.contentLength] == "3")
        #expect(one.fields[.contentType] == "text/plain; charset=utf-8" && one.fields[.eTag] != nil)
        let none = try await site.ask("/a.txt", .get, [.range: "bytes=\(size)-"])
        #expect(none.status == 416 && none.fields[.contentRange] == "bytes */\(size)")
        let several = try await site.ask("/a.txt", .get, [.range: "bytes=0-1, \(size - 2)-"])
        #expect(several.status == 206 && several.fields[.contentRange] == nil)
        let type = try #require(several.fields[.contentType]?.split(separator: "boundary=").last)
        let part = { (range: String, text: Substring) in
          "\r\n--\(type)\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-range: bytes \(range)/\(size)\r\n\r\n\(text)"
        }
        let expected =
          part("0-1", "ab") + part("\(size - 2)-\(size - 1)", text.suffix(2)) + "\r\n--\(type)--\r\n"
        #expect(several.text == expected)
        // Ranges are for GET alone (RFC 9110, 14.2).
        let head = try await site.ask("/a.txt", .head, [.range: "bytes=3-5"])
        #expect(head.status == 200 && head.fields[.contentLength] == "\(size)")
      }
    }
  }
}
#endif
