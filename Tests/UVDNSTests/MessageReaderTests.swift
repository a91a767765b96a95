#if Everything
import Testing
import UVTestSupport

@testable import UVDNS

/// Answers as a server may write them, with references wherever there may be some, read without a network.
@Suite struct MessageReaderTests {
  /// Writes a message, and remembers which names stand in it.
  private struct Writer {
    var bytes: [UInt8] = [0, 1, 0x81, 0x80]
    let draws: Draws
    /// Where a name begins, by its labels.
    var places: [[String]: Int] = [:]
    /// Whether to refer to a name that stands there; 0 never, 1 always, else at random.
    let references: Int

    init(_ seed: UInt64, references: Int) {
      draws = Draws(seed)
      self.references = references
    }

    mutating func number(_ value: Int, _ size: Int) {
      for index in (0..<size).reversed() { bytes.append(UInt8(value >> (8 * index) & 255)) }
    }

    mutating func name(_ labels: [String]) {
      var rest = labels
      while !rest.isEmpty {
        if let place = places[rest], references > 0, references == 1 || draws.draw(references) == 0 {
          return number(0xC000 + place, 2)
        }
        // One that isn't the first may itself end with a reference.
        if bytes.count < 0x4000 { places[rest] = bytes.count }
        let label = rest.removeFirst()
        bytes.append(UInt8(label.utf8.count))
        bytes += Array(label.utf8)
      }
      bytes.append(0)
    }

    mutating func record(
      _ name: [String], _ type: Int, kind: Int = 1, seconds: Int = 60, _ data: (inout Writer) -> Void
    ) {
      self.name(name)
      number(type, 2)
      number(kind, 2)
      number(seconds, 4)
      let length = bytes.count
      number(0, 2)
      data(&self)
      let count = bytes.count - length - 2
      (bytes[length], bytes[length + 1]) = (UInt8(count >> 8), UInt8(count & 255))
    }
  }

  private static let names = [
    ["example", "org"], ["www", "example", "org"], ["cdn", "example", "org"], ["a", "www", "example", "org"],
    ["org"], ["b", "a", "www", "example", "org"], ["net"], ["www", "net"],
  ]

  private static func text(_ labels: [String]) -> String {
    labels.isEmpty ? "." : labels.joined(separator: ".")
  }

  @Test(
    "Names are read whole wherever references lead, and what follows them is read on", arguments: 0...3)
  func references(references: Int) throws {
    for seed in 1...100 as ClosedRange<UInt64> {
      var writer = Writer(seed, references: references)
      let draws = writer.draws
      let count = 1 + draws.draw(8)
      let questions = draws.draw(3)
      writer.number(questions, 2)
      writer.number(count * 3, 2)
      writer.number(0, 4)
      for _ in 0..<questions {
        writer.name(draws.one(of: Self.names))
        writer.number(1, 2)
        writer.number(1, 2)
      }
      var aliases: [DNSAnswer<String>] = []
      var services: [DNSAnswer<SRVRecord>] = []
      var zones: [DNSAnswer<SOARecord>] = []
      for number in 0..<count {
        let (owner, first, second) = (
          draws.one(of: Self.names), draws.one(of: Self.names), draws.one(of: Self.names)
        )
        writer.record(owner, 5, seconds: number) { $0.name(first) }
        aliases.append(
          DNSAnswer(name: Self.text(owner), timeToLive: .seconds(number), value: Self.text(first)))
        writer.record(second, 33) {
          $0.number(number, 2)
          $0.number(number + 1, 2)
          $0.number(443, 2)
          $0.name(owner)
        }
        services.append(
          DNSAnswer(
            name: Self.text(second), timeToLive: .seconds(60),
            value: SRVRecord(
              priority: UInt16(number), weight: UInt16(number + 1), port: 443, target: Self.text(owner))))
        // Two names, and numbers behind them.
        writer.record(first, 6) {
          $0.name(second)
          $0.name(owner)
          for value in 1...5 { $0.number(number + value, 4) }
        }
        zones.append(
          DNSAnswer(
            name: Self.text(first), timeToLive: .seconds(60),
            value: SOARecord(
              primaryServer: Self.text(second), mailbox: Self.text(owner), serial: UInt32(number + 1),
              refresh: .seconds(number + 2), retry: .seconds(number + 3), expire: .seconds(number + 4),
              minimum: .seconds(number + 5))))
      }
      #expect(try RecordType.cname.answers(in: writer.bytes) == aliases, "seed \(seed)")
      #expect(try RecordType.srv.answers(in: writer.bytes) == services, "seed \(seed)")
      #expect(try RecordType.soa.answers(in: writer.bytes) == zones, "seed \(seed)")
      // Cut off anywhere, it is no answer.
      for end in 0..<writer.bytes.count where seed < 5 {
        #expect(throws: AresError.self) { try RecordType.cname.answers(in: Array(writer.bytes[..<end])) }
      }
    }
  }

  /// A message with one record.
  private static func message(
    _ type: Int, of name: [String] = ["a"], kind: Int = 1, seconds: Int = 60, _ data: [UInt8]
  ) -> [UInt8] {
    var writer = Writer(1, references: 0)
    writer.number(0, 2)
    writer.number(1, 2)
    writer.number(0, 4)
    writer.record(name, type, kind: kind, seconds: seconds) { $0.bytes += data }
    return writer.bytes
  }

  @Test func `Records of another type or class are passed over, and none is an error`() {
    for (type, kind) in [(1, 3), (2, 1), (28, 1), (1, 0), (257, 1)] {
      #expect(throws: AresError.self) {
        try RecordType.a.answers(in: Self.message(type, kind: kind, [192, 0, 2, 1]))
      }
    }
    #expect(throws: AresError.self) {
      try RecordType.a.answers(in: [0, 1, 0x81, 0x80, 0, 0, 0, 0, 0, 0, 0, 0])
    }
  }

  @Test("A time to live is in seconds, and one with the highest bit is none (RFC 2181, 8)")
  func lifetimes() throws {
    for (seconds, expected) in [
      (0, 0), (1, 1), (0x7FFF_FFFF, 0x7FFF_FFFF), (0x8000_0000, 0), (0xFFFF_FFFF, 0),
    ] {
      let answers = try RecordType.a.answers(in: Self.message(1, seconds: seconds, [192, 0, 2, 1]))
      #expect(answers.map(\.timeToLive) == [.seconds(expected)])
    }
  }

  @Test("Labels have 63 bytes at most, and names 255 (RFC 1035, 2.3.4)")
  func lengths() throws {
    func labels(_ counts: Int...) -> [String] { counts.map { String(repeating: "x", count: $0) } }
    for (name, isName) in [
      (labels(63), true), (labels(63, 63, 63, 61), true), (labels(63, 63, 63, 62), false),
      (Array(repeating: "x", count: 127), true), (Array(repeating: "x", count: 128), false),
    ] {
      let bytes = Self.message(1, of: name, [192, 0, 2, 1])
      if isName {
        #expect(try RecordType.a.answers(in: bytes).map(\.name) == [Self.text(name)])
      } else {
        #expect(throws: AresError.self) { try RecordType.a.answers(in: bytes) }
      }
    }
  }

  @Test func `Each byte of a label is written as in a master file`() throws {
    for byte in 0...255 as ClosedRange<UInt8> {
      let data: [UInt8] = [3, 97, byte, 98, 0]
      let digits = String(byte)
      let expected =
        switch byte {
        case 46, 92: "a\\\(Character(UnicodeScalar(byte)))b"
        case 33..<127: "a\(Character(UnicodeScalar(byte)))b"
        default: "a\\" + String(repeating: "0", count: 3 - digits.count) + digits + "b"
        }
      #expect(try RecordType.ns.answers(in: Self.message(2, data)).map(\.value) == [expected])
    }
  }

  @Test func `A record has what its type says, no more and no less`() throws {
    func count<T>(_ type: RecordType<T>, _ data: [UInt8]) -> Int? {
      try? type.answers(in: Self.message(Int(type.number), data)).count
    }
    for size in 0...20 {
      let data = [UInt8](repeating: 1, count: size)
      #expect((count(.a, data) != nil) == (size == 4), "\(size)")
      #expect((count(.aaaa, data) != nil) == (size == 16), "\(size)")
      #expect(count(.other(9999), data) == 1)
    }
    #expect(count(.mx, [0, 1, 0]) == 1 && count(.mx, [0, 1, 0, 0]) == nil && count(.mx, [0, 1]) == nil)
    #expect(count(.srv, [0, 1, 0, 1, 0, 1, 0]) == 1 && count(.srv, [0, 1, 0, 1, 0, 1]) == nil)
    #expect(count(.txt, [0]) == 1 && count(.txt, [1, 97, 2, 98, 99]) == 1 && count(.txt, [2, 97]) == nil)
    #expect(count(.caa, [0, 1, 97]) == 1 && count(.caa, [0, 2, 97]) == nil)
    for (flags, isCritical) in [(0, false), (127, false), (128, true), (255, true)] as [(UInt8, Bool)] {
      let answers = try RecordType.caa.answers(in: Self.message(257, [flags, 1, 97, 98]))
      #expect(answers.map(\.value) == [CAARecord(isCritical: isCritical, tag: "a", value: "b")])
    }
  }

  @Test func `A type of records has a name, or its number`() {
    let names = [
      "\(RecordType.a)", "\(RecordType.aaaa)", "\(RecordType.cname)", "\(RecordType.ns)", "\(RecordType.ptr)",
      "\(RecordType.txt)", "\(RecordType.mx)", "\(RecordType.srv)", "\(RecordType.naptr)",
      "\(RecordType.soa)", "\(RecordType.caa)", "\(RecordType.other(52))",
    ]
    #expect(
      names == ["A", "AAAA", "CNAME", "NS", "PTR", "TXT", "MX", "SRV", "NAPTR", "SOA", "CAA", "TYPE52"])
  }
}
#endif
