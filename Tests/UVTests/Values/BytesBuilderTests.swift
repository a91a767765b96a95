import Testing
import UV

@Suite struct BytesBuilderTests {
  @Test func `A builder takes bytes, text and numbers, and becomes bytes`() {
    var builder = BytesBuilder(capacity: 4)
    builder.append("*")
    builder.append(decimal: 3)
    builder.append("\r\n" as Bytes)
    builder.append("substring".dropFirst(3))
    builder.append(0)
    builder.append(contentsOf: [1, 2, 3].lazy.map { $0 * 2 })
    builder.append(contentsOf: [7, 8])
    builder.append([9])
    builder.append(bigEndian: 0x0102 as UInt16)
    builder.append(littleEndian: 0x0102_0304 as Int32)
    builder.append(unsafeUninitializedCapacity: 10) { buffer in
      buffer[0] = 0xff
      return 1
    }
    let expected: [UInt8] =
      Array("*3\r\nstring".utf8) + [0, 2, 4, 6, 7, 8, 9, 1, 2, 4, 3, 2, 1, 0xff]
    #expect(Array(Bytes(builder)) == expected)
    #expect(builder.count == expected.count)
  }

  @Test(
    "Numbers are written in decimal digits and read again", arguments: [0, 7, -1, 10, 1234567890, .max, .min])
  func decimals(number: Int) {
    var builder = BytesBuilder()
    builder.append(decimal: number)
    #expect(builder.description == String(number))
    #expect(builder.takeBytes().decimal == number)
  }

  @Test(
    "What isn't a decimal number is nil",
    arguments: ["", "-", "+", "1a", " 1", "1 ", "--1", "9223372036854775808", "-9223372036854775809", "0x1"])
  func notDecimal(text: String) { #expect(Bytes(text).decimal == nil) }

  @Test func `A builder becomes bytes without a copy, and its copies don't share what comes later`() {
    var builder = BytesBuilder(capacity: 100)
    builder.append("one")
    let address = Bytes(builder).withUnsafeBytes { $0.baseAddress! }
    var copy = builder
    copy.append("two")
    builder.append("three")
    #expect(Bytes(copy) == "onetwo")
    #expect(Bytes(builder) == "onethree")
    var again = BytesBuilder(capacity: 100)
    again.append("x")
    let first = Bytes(again)
    #expect(first.withUnsafeBytes { $0.baseAddress! } != address)
    let taken = again.takeBytes()
    #expect(taken.withUnsafeBytes { $0.baseAddress! } == first.withUnsafeBytes { $0.baseAddress! })
    #expect(again.isEmpty && again.capacity == 0)
    again.append("y")
    #expect(first == "x" && taken == "x" && Bytes(again) == "y")
  }

  @Test func `A builder whose bytes nobody has any more uses its memory again`() {
    var builder = BytesBuilder(capacity: 100)
    var addresses: Set<UnsafeRawPointer> = []
    for _ in 0..<10 {
      builder.append("reply")
      addresses.insert(Bytes(builder).withUnsafeBytes { $0.baseAddress! })
      builder.removeAll(keepingCapacity: true)
    }
    #expect(addresses.count == 1)
    builder.append("kept")
    let kept = Bytes(builder)
    builder.removeAll(keepingCapacity: true)
    builder.append("other")
    #expect(kept == "kept")
    builder.reserveCapacity(1000)
    #expect(builder.capacity >= 1000 && Bytes(builder) == "other")
  }
}

@Suite struct BytesMemoryTests {
  @Test func `An array's bytes aren't copied, and don't change with it`() {
    var array = [UInt8](repeating: 1, count: 1000)
    let address = array.withUnsafeBytes { $0.baseAddress! }
    let bytes = Bytes(array)
    #expect(bytes.withUnsafeBytes { $0.baseAddress! } == address)
    array[0] = 2
    #expect(bytes[0] == 1 && array[0] == 2)
    #expect(Bytes([UInt8]()) == "" && Bytes([]).isEmpty)
  }

  @Test func `A literal's bytes are where the program has them`() {
    func literal() -> Bytes { "a literal that is longer than a small string" }
    #expect(literal().withUnsafeBytes { $0.baseAddress! } == literal().withUnsafeBytes { $0.baseAddress! })
    #expect(literal().count == 44)
    let one: Bytes = "x"
    let umlaut: Bytes = "ü"
    let none: Bytes = ""
    #expect(one == [0x78] && umlaut == [0xc3, 0xbc] && none.isEmpty)
    #expect(one.copy() == one && Array(none) == [])
  }

  @Test func `Bytes are seen through a span`() {
    let bytes: Bytes = "span"
    #expect(bytes.bytes.byteCount == 4 && bytes.bytes.unsafeLoad(fromByteOffset: 1, as: UInt8.self) == 0x70)
    #expect(bytes.span.count == 4 && bytes.span[3] == 0x6e)
    #expect(Bytes(copying: bytes.bytes) == bytes)
  }

  @Test func `Integers are read in both orders`() {
    let bytes: Bytes = [0, 1, 2, 3, 4, 0xff]
    #expect(bytes.bigEndian(UInt32.self, at: 1) == 0x0102_0304)
    #expect(bytes.littleEndian(UInt16.self, at: 2) == 0x0302)
    #expect(bytes.bigEndian(Int8.self, at: 5) == -1)
  }

  @Test func `A search finds the first place, at every offset and for every length`() {
    let text = "aabaabaaabcabcdabcdeabcdefx"
    let bytes = Bytes(text)
    for start in 0..<bytes.count {
      let part = Bytes(bytes[start...])
      for pattern in ["a", "b", "aab", "abc", "abcd", "abcde", "abcdef", "abcdefx", "zz", "q", "x", ""] {
        let expected = (0...part.count).first { part.dropFirst($0).starts(with: Bytes(pattern)) }
        #expect(part.firstRange(of: Bytes(pattern))?.lowerBound == expected, "\(pattern) in \(part)")
      }
      #expect(part.firstIndex(of: 0x63) == part.firstIndex { $0 == 0x63 })
    }
    #expect(bytes.contains(0x78) && !bytes.contains(0x79))
    #expect(bytes.starts(with: "aab") && !bytes.starts(with: "ab") && bytes.starts(with: ""))
    #expect(Bytes().firstIndex(of: 0) == nil && Bytes().firstRange(of: "x") == nil)
  }
}
