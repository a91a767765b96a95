#if Everything
import Testing
import UVTestSupport

@testable import UVHTTP

/// Frames and messages (RFC 6455, 5 and 7): each whole, cut in two at each byte, and a byte at a time.
@Suite struct MessageParserTests {
  /// Frames, the clause that they are about, and what has to become of them.
  struct Row: CustomTestStringConvertible, Sendable {
    let clause: String
    let bytes: Bytes
    let verdict: String

    init(_ clause: String, _ parts: [Bytes], _ verdict: String) {
      (self.clause, bytes, self.verdict) = (clause, frames(parts), verdict)
    }

    var testDescription: String { "\(clause): \(verdict)" }
  }

  static let rows: [Row] = [
    Row("5.7 single-frame text", [frame(0x81, "Hello")], #"text "Hello""#),
    Row("5.6 no bytes", [frame(0x81, ""), frame(0x82, "")], #"text "", binary []"#),
    Row("5.6 binary", [frame(0x82, [0, 255, 128])], "binary [0, 255, 128]"),
    Row("5.2 125 bytes", [frame(0x82, Bytes(repeating: 1, count: 125))], "125 bytes"),
    Row("5.2 126 bytes", [frame(0x82, Bytes(repeating: 1, count: 126))], "126 bytes"),
    Row("5.2 65535 bytes", [frame(0x82, Bytes(repeating: 1, count: 300))], "300 bytes"),
    Row("5.2 a length that is too long", [frame(0x82, "abc", lengthSize: 2)], "refused 1002"),
    Row("5.2 a length that is too long", [frame(0x82, "abc", lengthSize: 8)], "refused 1002"),
    Row(
      "5.2 a length that is too long", [frame(0x82, Bytes(repeating: 1, count: 200), lengthSize: 8)],
      "refused 1002"),
    Row("5.2 the highest bit of a length", [[0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1]], "refused 1002"),
    Row("5.2 reserved bits", [frame(0xc1, "a")], "refused 1002"),
    Row("5.2 reserved bits", [frame(0xa1, "a")], "refused 1002"),
    Row("5.2 reserved bits", [frame(0x91, "a")], "refused 1002"),
    Row("5.2 reserved bits of a ping", [frame(0xc9, "a")], "refused 1002"),
    Row("5.2 unknown opcodes", [frame(0x83, "a")], "refused 1002"),
    Row("5.2 unknown opcodes", [frame(0x87, "")], "refused 1002"),
    Row("5.2 unknown opcodes", [frame(0x8b, "a")], "refused 1002"),
    Row("5.2 unknown opcodes", [frame(0x8f, "a")], "refused 1002"),
    Row("5.1 no mask", [frame(0x81, "a", mask: nil)], "refused 1002"),
    Row("5.3 a mask of zeros", [frame(0x81, "ab", mask: 0)], #"text "ab""#),
    Row("5.4 fragments", [frame(0x01, "Hel"), frame(0x80, "lo")], #"text "Hello""#),
    Row(
      "5.4 fragments without bytes", [frame(0x01, ""), frame(0x00, ""), frame(0x80, "")], #"text """#),
    Row(
      "5.4 fragments and one with all", [frame(0x02, ""), frame(0x00, "ab"), frame(0x80, "")],
      "binary [97, 98]"),
    Row(
      "5.5 a ping between fragments", [frame(0x01, "a"), frame(0x89, "p"), frame(0x80, "b")],
      #"ping "p", text "ab""#),
    Row("5.4 nothing to be continued", [frame(0x80, "a")], "refused 1002"),
    Row("5.4 nothing to be continued", [frame(0x00, "a")], "refused 1002"),
    Row(
      "5.4 nothing to be continued", [frame(0x81, "a"), frame(0x80, "b")], #"text "a", refused 1002"#),
    Row("5.4 a message within one", [frame(0x01, "a"), frame(0x81, "b")], "refused 1002"),
    Row("5.4 a message within one", [frame(0x02, "a"), frame(0x02, "b")], "refused 1002"),
    Row("5.4 a part of a message", [frame(0x01, "a")], "incomplete"),
    Row("5.4 a part of a frame", [Bytes(frame(0x81, "abc").dropLast())], "incomplete"),
    Row("5.5 a fragmented ping", [frame(0x09, "a")], "refused 1002"),
    Row("5.5 a fragmented close", [frame(0x08, "")], "refused 1002"),
    Row("5.5 a long ping", [frame(0x89, Bytes(repeating: 97, count: 126))], "refused 1002"),
    Row(
      "5.5 the longest ping", [frame(0x89, Bytes(repeating: 97, count: 125))],
      "ping \"\(String(repeating: "a", count: 125))\""),
    Row("5.5.2 pings", [frame(0x89, ""), frame(0x89, "a")], #"ping "", ping "a""#),
    Row("5.5.3 a pong that nobody asked for", [frame(0x8a, "a")], #"pong "a""#),
    Row("5.5.1 a close without a code", [frame(0x88, "")], #"close 1005 """#),
    Row("5.5.1 a close", [frame(0x88, [0x03, 0xe8])], #"close 1000 """#),
    Row("5.5.1 a reason", [frame(0x88, frames([[0x03, 0xe9], "bye"]))], #"close 1001 "bye""#),
    Row("5.5.1 half a code", [frame(0x88, [0x03])], "refused 1002"),
    Row("5.5.1 a reason that isn't text", [frame(0x88, [0x03, 0xe8, 0xff])], "refused 1007"),
    Row("7.4.1 codes", [frame(0x88, [0x0b, 0xb8])], #"close 3000 """#),
    Row("7.4.1 codes", [frame(0x88, [0x13, 0x87])], #"close 4999 """#),
    Row("7.4.1 a code below all", [frame(0x88, [0, 0])], "refused 1002"),
    Row("7.4.1 a code below all", [frame(0x88, [0x03, 0xe7])], "refused 1002"),
    Row("7.4.1 a code that isn't sent", [frame(0x88, [0x03, 0xec])], "refused 1002"),
    Row("7.4.1 a code that isn't sent", [frame(0x88, [0x03, 0xed])], "refused 1002"),
    Row("7.4.1 a code that isn't sent", [frame(0x88, [0x03, 0xee])], "refused 1002"),
    Row("7.4.1 a code that isn't sent", [frame(0x88, [0x03, 0xf7])], "refused 1002"),
    Row("7.4.2 a code that nobody has", [frame(0x88, [0x04, 0x4c])], "refused 1002"),
    Row("7.4.2 a code that nobody has", [frame(0x88, [0x07, 0xd0])], "refused 1002"),
    Row("7.4.2 a code beyond all", [frame(0x88, [0x13, 0x88])], "refused 1002"),
    Row("8.1 text", [frame(0x81, "κόσμε 🌍")], #"text "κόσμε 🌍""#),
    Row(
      "8.1 a character in three frames",
      [frame(0x01, [0xf0, 0x9f]), frame(0x00, [0x8c]), frame(0x80, [0x8d])], #"text "🌍""#),
    Row("8.1 half a character", [frame(0x81, [0xf0, 0x9f])], "refused 1007"),
    Row("8.1 half a character", [frame(0x01, [0xce]), frame(0x80, "")], "refused 1007"),
    Row("8.1 half a character and another", [frame(0x01, [0xce]), frame(0x80, "a")], "refused 1007"),
    Row("8.1 a wrong byte in the first frame", [frame(0x01, [0xff])], "refused 1007"),
  ]

  @Test("What frames mean is the same however they come", arguments: rows)
  func meaning(row: Row) {
    #expect(verdict(row.bytes, cuts: []) == row.verdict)
    for cut in 1..<max(row.bytes.count, 2) where cut < row.bytes.count {
      #expect(verdict(row.bytes, cuts: [cut]) == row.verdict, "cut at \(cut)")
    }
    #expect(verdict(row.bytes, cuts: Array(1..<max(row.bytes.count, 1))) == row.verdict, "byte by byte")
  }

  @Test("A client's parser refuses masks, and takes frames without them")
  func client() {
    let bytes = frames([frame(0x81, "Hello", mask: nil), frame(0x89, "a", mask: nil)])
    #expect(verdict(bytes, isMasked: false, cuts: Array(1..<bytes.count)) == #"text "Hello", ping "a""#)
    #expect(verdict(frame(0x81, "Hello"), isMasked: false, cuts: []) == "refused 1002")
  }

  @Test("Each limit is met exactly, and one more is refused with 1009")
  func limits() {
    var limits = WebSocketLimits()
    (limits.message, limits.frame, limits.fragments) = (10, 6, 3)
    let five = frame(0x80, "56789"), first = frame(0x01, "01234")
    #expect(verdict(frames([first, five]), limits, cuts: []) == #"text "0123456789""#)
    #expect(verdict(frames([first, frame(0x80, "567890")]), limits, cuts: []) == "refused 1009")
    #expect(verdict(frame(0x81, "0123456"), limits, cuts: []) == "refused 1009")
    let empty = frame(0x00, "")
    #expect(verdict(frames([first, empty, five]), limits, cuts: []) == #"text "0123456789""#)
    #expect(verdict(frames([first, empty, empty, five]), limits, cuts: []) == "refused 1009")
    // The head says it. Nothing of the payload need come, and no memory is made for it.
    #expect(verdict([0x82, 0xff, 0x7f, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4], limits, cuts: []) == "refused 1009")
  }

  @Test("A limit is a message's own: what was before it doesn't count, whether it came whole or in parts")
  func limitsOfEach() {
    var limits = WebSocketLimits()
    (limits.message, limits.frame, limits.fragments) = (10, 6, 3)
    let digits = "0123456789ab" as Bytes
    /// A message in frames of these sizes, each behind a ping.
    func message(_ sizes: [Int], hasPings: Bool = false) -> Bytes {
      var (parts, start): ([Bytes], Int) = ([], 0)
      for (number, size) in sizes.enumerated() {
        let first: UInt8 = (number == 0 ? 0x01 : 0x00) | (number == sizes.count - 1 ? 0x80 : 0)
        if hasPings { parts.append(frame(0x89, "p")) }
        parts.append(frame(first, Bytes(digits[start..<start + size])))
        start += size
      }
      return frames(parts)
    }
    let taken = [
      message([6]), message([0]), message([5, 5]), message([6, 4]), message([6, 0, 4]), message([0, 0, 6]),
      message([2, 6, 2]), message([4, 6], hasPings: true), message([3, 3, 4], hasPings: true),
      frame(0x89, "p"), frame(0x8a, "p"),
    ]
    let refused = [message([7]), message([5, 6]), message([1, 1, 1, 1]), message([0, 0, 0, 0])]
    for bytes in taken { #expect(!verdict(bytes, limits, cuts: []).contains("refused")) }
    let draws = Draws(9)
    for last in taken + refused {
      let alone = verdict(last, limits, cuts: [])
      // The same again and again, and then one after another.
      for round in 0..<taken.count * 2 {
        let before = (0..<5).map { _ in round < taken.count ? taken[round] : draws.one(of: taken) }
        let said = before.map { verdict($0, limits, cuts: []) } + [alone]
        let bytes = frames(before + [last])
        let size = draws.one(of: [1, 3, 7, bytes.count])
        for cuts in [[], Array(stride(from: size, to: bytes.count, by: size))] {
          #expect(verdict(bytes, limits, cuts: cuts) == said.joined(separator: ", "), "\(before), \(last)")
        }
      }
    }
  }

  @Test("Text is checked as it comes: a wrong byte is refused before its frame is complete")
  func early() {
    let bytes = frame(0x81, Bytes(Array("abcdefghijklmnop".utf8) + [0xc0] + Array(repeating: 97, count: 50)))
    #expect(verdict(Bytes(bytes.dropLast(40)), cuts: []) == "refused 1007")
  }

  @Test("A check of text says what Swift's own says, for every pair of bytes and in every cut")
  func text() {
    var tries: [[UInt8]] = []
    for first in UInt8.min...255 {
      for second in stride(from: 0, through: 255, by: 5) {
        for tail: [UInt8] in [[], [0x80], [0xbf, 0x80], [0x41]] {
          tries.append([first, UInt8(second)] + tail)
        }
      }
    }
    for bytes in tries {
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      for cut in 0...bytes.count {
        var check = TextCheck()
        let accepts =
          check.accepts(Bytes(Array(bytes[..<cut])).bytes) && check.accepts(Bytes(Array(bytes[cut...])).bytes)
        #expect((accepts && check.isComplete) == isValid, "\(bytes), cut at \(cut)")
      }
    }
  }

  @Test("A mask by words is the one by bytes, from each place and in each length")
  func masks() {
    let key: UInt32 = 0x0403_0201
    let bytes = Bytes((0..<40).map { UInt8($0 * 7 & 0xff) })
    for cut in 0...bytes.count {
      var mask = FrameMask(key)
      var result = BytesBuilder()
      bytes[..<cut].withContiguousStorageIfAvailable { mask.append(UnsafeRawBufferPointer($0), to: &result) }
      result.append(mask.removed(from: Bytes(bytes[cut...])))
      let expected = bytes.enumerated().map { place, byte in byte ^ UInt8(place % 4 + 1) }
      #expect(Bytes(result) == Bytes(expected), "cut at \(cut)")
    }
  }

  @Test("The head of a frame that is sent is read as it was", arguments: [0, 125, 126, 65535, 65536])
  func heads(length: Int) throws {
    for mask in [FrameMask(), FrameMask(0), .random()] {
      for opcode: Opcode in [.text, .binary] {
        var bytes = BytesBuilder()
        var head = FrameHead(opcode: opcode, isFinal: true, length: length, mask: mask, size: 0)
        head.append(to: &bytes)
        head.size = bytes.count
        let made = bytes.takeBytes()
        #expect(try FrameHead.read(made.span, isMasked: mask.isUsed, isWithinMessage: false) == head)
      }
    }
  }
}
#endif
