// Bytes are put together by a builder, searched, and taken apart.
import UV

enum BytesPutTogether: Program {
  static func main() throws {
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
    print(String(validating: Bytes([0xff]), as: UTF8.self) ?? "not UTF-8")
  }
}

// Prints:
// 22 true false
// [36, 45, 49, 50, 13, 120, 116, 98, 121, 116, 101, 115, 1, 2, 1, 2, 2, 1, 7, 114, 97, 119]
// again again true
// 4 7..<12 false
// true -12
// 258 258
// 36 22
// not UTF-8
