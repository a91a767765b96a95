#if Everything
import Testing

@testable import UVHTTP

@Suite struct BodyTests {
  @Test(
    "A chunked body is as RFC 9112, 7.1 says, however its bytes come",
    arguments: [
      ("7.1", "3\r\nabc\r\n0\r\n\r\n", Verdict.accepted("abc")),
      ("7.1 several chunks", "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n", .accepted("abc0123456789")),
      ("7.1 no content", "0\r\n\r\n", .accepted("")),
      ("7.1 zeros before the size", "0003\r\nabc\r\n000\r\n\r\n", .accepted("abc")),
      ("7.1 small letters", "a\r\n0123456789\r\n0\r\n\r\n", .accepted("0123456789")),
      ("7.1 no size", "\r\nabc\r\n", .refused(400)),
      ("7.1 no number", "x\r\n", .refused(400)),
      ("7.1 a prefix", "0x3\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1 a sign", "+3\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1 a blank after the size", "3 \r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1 a blank before the size", " 3\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1 bare LF after the size", "3\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1 bare LF after a chunk", "3\r\nabc\n0\r\n\r\n", .refused(400)),
      ("7.1 bare CR after the size", "3\rabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1 a chunk that is longer than it says", "3\r\nabcd\r\n0\r\n\r\n", .refused(400)),
      ("7.1 an overflow", "10000000000000003\r\nabc\r\n0\r\n\r\n", .refused(413)),
      ("7.1 the largest number", "ffffffffffffffff\r\n", .refused(413)),
      ("7.1 many zeros", "00000000000000003\r\nabc\r\n0\r\n\r\n", .refused(413)),
      ("7.1.1 extensions", "3;a=b;c=\"d\"\r\nabc\r\n0;e\r\n\r\n", .accepted("abc")),
      ("7.1.1 an extension without a name", "3;\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1.1 an extension without a value", "3;a=\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1.1 a value that isn't a token", "3;bad[=x\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1.1 two values", "3;a=b=c\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1.1 a text with a semicolon", "3;a=\"b;\\\"c\"\r\nabc\r\n0\r\n\r\n", .accepted("abc")),
      ("7.1.1 a text without an end", "3;a=\"b\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1.1 blanks", "3; a\t= b ; c\r\nabc\r\n0\r\n\r\n", .accepted("abc")),
      ("7.1.1 a blank at the end", "3;a \r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1.1 a blank before the first", "3 ;a=b\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1.1 bare LF in an extension", "3;a\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1.1 a control character", "3;\0\r\nabc\r\n0\r\n\r\n", .refused(400)),
      ("7.1.2 a trailer", "3\r\nabc\r\n0\r\nA: b\r\nC: d\r\n\r\n", .accepted("abc|A: b\r\nC: d\r\n")),
      ("7.1.2 a folded line", "0\r\nA: b\r\n c\r\n\r\n", .refused(400)),
      ("7.1.2 a space before the colon", "0\r\nA : b\r\n\r\n", .refused(400)),
      ("7.1.2 bare LF", "0\r\nA: b\n\r\n", .refused(400)),
      ("8 no end", "3\r\nabc\r\n0\r\n", .incomplete),
      ("8 half a chunk", "3\r\nab", .incomplete),
    ])
  func chunked(clause: String, text: String, expected: Verdict) {
    #expect(bodyVerdict(text) == expected)
    for size in 1...text.utf8.count {
      #expect(bodyVerdict(text, size: size) == expected, "\(size) bytes at a time")
    }
  }

  @Test("A body with a length ends there, and what follows is the next request (RFC 9112, 6.3)")
  func length() {
    #expect(bodyVerdict("abcGET", .length(3)) == .accepted("abc|GET"))
    #expect(bodyVerdict("GET", .none) == .accepted("GET"))
    #expect(bodyVerdict("ab", .length(3)) == .incomplete)
    #expect(bodyVerdict("0\r\n\r\nGET") == .accepted("GET"))
    for size in 1...3 { #expect(bodyVerdict("abc", .length(3), size: size) == .accepted("abc")) }
  }

  @Test("The limits of a body count all its chunks")
  func limits() {
    var limits = HTTPLimits()
    (limits.body, limits.chunkExtensions, limits.fields, limits.fieldCount) = (6, 8, 20, 2)
    for size in [1, 2, .max] {
      #expect(bodyVerdict("3\r\nabc\r\n3\r\nabc\r\n0\r\n\r\n", size: size, limits) == .accepted("abcabc"))
      #expect(bodyVerdict("3\r\nabc\r\n4\r\nabcd\r\n0\r\n\r\n", size: size, limits) == .refused(413))
      #expect(bodyVerdict("3;abcde\r\nabc\r\n1;abcd\r\na\r\n", size: size, limits) == .refused(400))
      #expect(bodyVerdict("3;abcdefghijkl", size: size, limits) == .refused(400))
      #expect(bodyVerdict("0\r\na:\r\nb:\r\nc:\r\n\r\n", size: size, limits) == .refused(431))
      #expect(bodyVerdict("0\r\na: 0123456789012345678901234", size: size, limits) == .refused(431))
    }
  }
}
#endif
