import Testing
import UV
import UVTestSupport

/// Bytes beside arrays: slices of slices, comparisons, searches and numbers.
@Suite struct BytesModelTests {
  @Test(arguments: 0..<20)
  func `Slices, comparisons and searches are those of the array of the same bytes`(seed: Int) {
    let draws = Draws(UInt64(seed))
    for _ in 0..<40 {
      // Few values, so that searches find something.
      let array = (0..<draws.draw(40)).map { _ in UInt8(draws.draw(3)) }
      let from = draws.draw(array.count + 1)
      let part = Array(array[from..<from + draws.draw(array.count - from + 1)])
      let all = Bytes(array)
      let slice = Bytes(Bytes(all[from...]).prefix(part.count))
      #expect(Array(slice) == part && slice.count == part.count && slice == Bytes(part))
      #expect(slice.hashValue == Bytes(part).hashValue && slice.copy() == slice)
      #expect(slice.isEmpty == part.isEmpty && slice.startIndex == 0 && slice.endIndex == part.count)
      #expect(slice.span.count == part.count && slice.bytes.byteCount == part.count)
      #expect((all == slice) == (array == part))
      #expect(all.starts(with: slice) == array.starts(with: part))
      let place = (0...array.count).first { array[$0...].starts(with: part) }
      #expect(all.firstRange(of: slice) == place.map { $0..<$0 + part.count })
      for byte in UInt8(0)..<4 {
        #expect(
          slice.firstIndex(of: byte) == part.firstIndex(of: byte)
            && slice.contains(byte) == part.contains(byte))
      }
      #expect(Bytes(copying: slice.bytes) == slice)
      #expect(slice.withContiguousStorageIfAvailable { Array($0) } == part)
    }
  }

  @Test func `Bytes that differ in one place, or in their length, aren't the same`() {
    for count in [1, 2, 7, 8, 9, 31, 64] {
      let bytes = Bytes(repeating: 1, count: count)
      for place in 0..<count {
        var other = Array(bytes)
        other[place] = 2
        #expect(bytes != Bytes(other), "\(count) bytes, \(place)")
        #expect(!bytes.starts(with: Bytes(other)))
      }
      #expect(
        bytes != Bytes(repeating: 1, count: count - 1) && bytes != Bytes(repeating: 1, count: count + 1))
      #expect(bytes.starts(with: Bytes(repeating: 1, count: count)))
      #expect(!bytes.starts(with: Bytes(repeating: 1, count: count + 1)))
    }
  }

  @Test func `An integer is read at each place at which it has room, up to the last`() {
    let bytes = Bytes((1...12).map { UInt8($0) })
    for place in 0...4 {
      let expected = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(place + 1 + $1) }
      #expect(bytes.bigEndian(UInt64.self, at: place) == expected)
      #expect(bytes.littleEndian(UInt64.self, at: place) == expected.byteSwapped)
    }
    for place in 0..<12 { #expect(bytes.bigEndian(UInt8.self, at: place) == UInt8(place + 1)) }
    #expect(
      bytes.bigEndian(UInt16.self, at: 10) == 0x0B0C && bytes.littleEndian(Int32.self, at: 8) == 0x0C0B_0A09)
    // A part doesn't begin where the whole does.
    let part = Bytes(bytes[3...])
    #expect(part.bigEndian(UInt16.self) == 0x0405 && part.littleEndian(UInt16.self, at: 7) == 0x0C0B)
  }

  @Test func `A decimal number is what Swift reads of the same text, at the edges of its range too`() {
    var texts = [
      "0", "-0", "+0", "+7", "007", "-007", "", "+", "-", "1 ", " 1", "1_0", "1.0", "٣", "-+1", "0x10",
    ]
    for edge in [Int.max, .min] {
      let digits = String(edge.magnitude)
      let sign = edge < 0 ? "-" : ""
      // One digit more, and the last digit one more and one less.
      texts += [sign + digits, sign + digits + "0", sign + "0" + digits, "+" + digits]
      for last in "0123456789" { texts.append(sign + digits.dropLast() + String(last)) }
    }
    for text in texts { #expect(Bytes(text).decimal == Int(text), "\(text)") }
  }

  @Test func `The checksum of bytes in parts is that of the whole, wherever they are cut`() {
    let bytes = Bytes((0..<100).map { UInt8(truncatingIfNeeded: $0 &* 37) })
    for cut in [0, 1, 7, 8, 50, 99, 100] {
      var sum = CRC32C()
      sum.add(Bytes(bytes[..<cut]).span)
      sum.add(Bytes(bytes[cut...]).span)
      #expect(sum.value == bytes.crc32c)
    }
  }
}
