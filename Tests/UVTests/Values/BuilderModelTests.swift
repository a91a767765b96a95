import Testing
import UV
import UVTestSupport

/// Builders beside arrays: what is appended in drawn order to builders that are copies of each other, and the bytes that
/// were taken of them at any time.
@Suite struct BuilderModelTests {
  private struct Program {
    let draws: Draws
    var builders = (0..<3).map { BytesBuilder(capacity: [0, 8, 100][$0]) }
    var model: [[UInt8]] = [[], [], []]
    /// Bytes that somebody keeps, and what they were.
    var kept: [(bytes: Bytes, expected: [UInt8])] = []

    mutating func step() {
      let place = draws.draw(3)
      var added: [UInt8] = []
      switch draws.draw(16) {
      case 0:
        added = [UInt8(draws.draw(256))]
        builders[place].append(added[0])
      case 1:
        added = (0..<draws.draw(50)).map { _ in UInt8(draws.draw(256)) }
        builders[place].append(Bytes(added))
      case 2:
        let text = draws.one(of: ["", "x", "grüß", "a text that is longer than a small string is"])
        added = Array(text.utf8)
        builders[place].append(text)
      case 3:
        added = Array("bcd".utf8)
        builders[place].append("abcde".dropFirst().dropLast())
      case 4:
        added = [1, 2, 3].map { $0 * 2 }
        builders[place].append(contentsOf: [1, 2, 3].lazy.map { $0 * 2 })
      case 5:
        added = [7, 8]
        builders[place].append(contentsOf: added)
      case 6:
        let number = UInt32(draws.draw(1 << 30))
        added = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        builders[place].append(bigEndian: number)
      case 7:
        let number = Int16(truncatingIfNeeded: draws.draw(1 << 16))
        added = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        builders[place].append(littleEndian: number)
      case 8:
        let number = draws.one(of: [0, -1, 9, 10, 99, 100, -12_345, .max, .min, .max / 10, 1 << 40])
        added = Array(String(number).utf8)
        builders[place].append(decimal: number)
      case 9:
        let (room, written) = (draws.draw(40), draws.draw(3))
        added = Array(repeating: 5, count: min(room, written))
        builders[place].append(unsafeUninitializedCapacity: room) { buffer in
          for index in added.indices { buffer[index] = 5 }
          return added.count
        }
      case 10: builders[place].reserveCapacity(draws.draw(200))
      case 11:
        builders[place].removeAll(keepingCapacity: draws.draw(2) == 0)
        model[place] = []
      case 12:
        kept.append((builders[place].takeBytes(), model[place]))
        model[place] = []
      case 13: kept.append((Bytes(builders[place]), model[place]))
      case 14:
        let other = draws.draw(3)
        builders[other] = builders[place]
        model[other] = model[place]
      default: if !kept.isEmpty { kept.remove(at: draws.draw(kept.count)) }
      }
      model[place] += added
    }

    var isAsExpected: Bool {
      zip(builders, model).allSatisfy { builder, expected in
        builder.count == expected.count && builder.isEmpty == expected.isEmpty
          && builder.capacity >= builder.count
          && Array(Bytes(builder)) == expected
      } && kept.allSatisfy { Array($0.bytes) == $0.expected }
    }
  }

  @Test(arguments: 0..<20)
  func `Builders and their bytes are what was appended to each, whichever shared its memory`(seed: Int) {
    var program = Program(draws: Draws(UInt64(seed)))
    for number in 0..<150 {
      program.step()
      if !program.isAsExpected { return #expect(Bool(false), "step \(number)") }
    }
  }

  /// Each way to change a builder, on one that shares its memory with a copy, and has room enough.
  @Test func `No way to change a builder changes its copy, or bytes that were made of either`() {
    let changes: [(String, (inout BytesBuilder) -> Void)] = [
      ("a byte", { $0.append(0x31) }), ("bytes", { $0.append("1" as Bytes) }),
      ("text", { $0.append("1" as String) }), ("a part of text", { $0.append("12".dropLast()) }),
      ("an array", { $0.append(contentsOf: [0x31]) }),
      ("a collection", { $0.append(contentsOf: [0x31].lazy.map { $0 }) }),
      ("big endian", { $0.append(bigEndian: 0x31 as UInt8) }),
      ("little endian", { $0.append(littleEndian: 0x31 as UInt8) }), ("decimal", { $0.append(decimal: 1) }),
      (
        "a closure",
        {
          $0.append(unsafeUninitializedCapacity: 4) { buffer in
            buffer[0] = 0x31
            return 1
          }
        }
      ),
    ]
    for (name, change) in changes {
      for isFirst in [true, false] {
        var first = BytesBuilder(capacity: 100)
        first.append("x")
        var second = first
        let before = Bytes(first)
        if isFirst { change(&first) } else { change(&second) }
        let once = Bytes(isFirst ? first : second)
        if isFirst { second.append("2") } else { first.append("2") }
        #expect(before == "x" && once == "x1", "\(name)")
        #expect(Bytes(isFirst ? first : second) == "x1" && Bytes(isFirst ? second : first) == "x2", "\(name)")
      }
      // The same with bytes alone.
      var builder = BytesBuilder(capacity: 100)
      builder.append("x")
      let early = Bytes(builder)
      change(&builder)
      let late = Bytes(builder)
      builder.removeAll(keepingCapacity: true)
      builder.append("yy")
      #expect(early == "x" && late == "x1" && Bytes(builder) == "yy", "\(name)")
    }
  }
}
