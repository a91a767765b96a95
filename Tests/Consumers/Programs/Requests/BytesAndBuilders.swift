// Bytes are made, put together, searched, sliced and taken apart.
import UV

enum BytesAndBuilders: Program {
  static func main() throws {
    try bytesInAllForms()
    try bytesPutTogether()
  }

  /// Bytes are made from literals, strings, arrays and buffers, sliced, compared and printed.
  private static func bytesInAllForms() throws {
    let text: Bytes = "hello"
    let numbers: Bytes = [104, 101, 108, 108, 111]
    print(text == numbers, text.count, Set([text, numbers]).count)
    print(
      Bytes("ab" + "c") == Bytes([97, 98, 99]), Bytes(repeating: 1, count: 3).reduce(0, +), Bytes().isEmpty)
    print(text[0], text[text.index(before: text.endIndex)], text.startIndex, Bytes(text[1..<3]) == "el")
    print(text.withUnsafeBytes { $0.count }, text.copy() == text)
    let copied = text.withUnsafeBytes { Bytes(copying: $0) }
    print(copied == text, copied.withContiguousStorageIfAvailable { $0.first } == 104)
    print(text.map { $0 + 1 }.prefix(2), text.contains(111), text.reversed().first == 111)
    print(text, Bytes([0, 255]), Bytes("hello".utf8) == text)
    let filled = Bytes(unsafeUninitializedCapacity: 8) { buffer in
      buffer[0] = 1
      buffer[1] = 2
      return 2
    }
    let array: [UInt8] = [1, 2]
    print(filled == Bytes(array), Bytes(copying: array.span.bytes) == filled)
    struct Wrong: Error {}
    do throws(Wrong) {
      _ = try text.withUnsafeBytes { _ throws(Wrong) -> Int in throw Wrong() }
    } catch {
      print("wrong")
    }
  }

  /// Bytes are put together by a builder, searched, and taken apart.
  private static func bytesPutTogether() throws {
    var builder = BytesBuilder(capacity: 16)
    builder.append("$")
    builder.append(decimal: -12)
    builder.append(13)
    builder.append("text".dropFirst(2))
    builder.append("bytes" as Bytes)
    builder.append(contentsOf: [1, 2])
    builder.append(bigEndian: UInt16(258))
    builder.append(littleEndian: UInt16(258))
    builder.append(unsafeUninitializedCapacity: 4) { buffer in
      buffer[0] = 7
      return 1
    }
    Bytes("raw").withUnsafeBytes { builder.append($0) }
    builder.reserveCapacity(100)
    print(builder.count, builder.capacity >= 100, builder.isEmpty)
    let bytes = Bytes(builder)
    print(Array(bytes))
    builder.removeAll(keepingCapacity: true)
    builder.append("again")
    print(builder, builder.takeBytes(), builder.isEmpty)

    print(bytes.firstIndex(of: 13) ?? -1, bytes.firstRange(of: "bytes") ?? 0..<0, bytes.contains(200))
    print(bytes.starts(with: "$-"), Bytes(bytes[1..<4]).decimal ?? 0)
    print(bytes.bigEndian(UInt16.self, at: 14), bytes.littleEndian(UInt16.self, at: 16))
    print(bytes.span[0], bytes.bytes.byteCount)
    print(String(Bytes("123456789").crc32c, radix: 16))
    print(String(validating: Bytes([0xff]), as: UTF8.self) ?? "not UTF-8")
  }
}

// Prints:
// true 5 1
// true 3 true
// 104 111 0 true
// 5 true
// true true
// [105, 102] true true
// hello 2 bytes true
// true true
// wrong
// 22 true false
// [36, 45, 49, 50, 13, 120, 116, 98, 121, 116, 101, 115, 1, 2, 1, 2, 2, 1, 7, 114, 97, 119]
// again again true
// 4 7..<12 false
// true -12
// 258 258
// 36 22
// e3069283
// not UTF-8
