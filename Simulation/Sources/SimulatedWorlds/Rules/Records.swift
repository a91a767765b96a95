import UV

/// Messages on a stream that say what belongs where: a lane, a number that grows in its lane, a length, and
/// bytes each of which has its own value.
package enum Records {
  static let headerCount = 12

  package static func make(lane: Int, _ number: Int, _ count: Int) -> Bytes {
    Bytes(unsafeUninitializedCapacity: headerCount + count) { buffer in
      for (index, value) in [lane, number, count].enumerated() {
        for byte in 0..<4 { buffer[index * 4 + byte] = UInt8(truncatingIfNeeded: value >> (24 - byte * 8)) }
      }
      for index in 0..<count { buffer[headerCount + index] = messageByte(number, index) }
      return headerCount + count
    }
  }

  /// Divides bytes into several buffers, of which one may be empty.
  static func divide(_ bytes: Bytes, on loop: EventLoop) -> [Bytes] {
    var parts: [Bytes] = []
    var rest = bytes[...]
    for _ in 0..<loop.draw(6) where rest.count > 1 {
      let count = loop.draw(rest.count)
      parts.append(Bytes(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    parts.append(Bytes(rest))
    return parts
  }
}

/// Takes a stream apart into records, and checks each byte.
package final class RecordReader {
  private var header: [Int] = [0, 0, 0]
  private var headerPlace = 0
  private var bodyPlace = 0
  private var last: [Int: Int] = [:]
  /// The numbers that have come whole, by their lanes.
  package private(set) var received: [Int: Set<Int>] = [:]
  private(set) var count = 0
  var style = 0
  private(set) var byteCount = 0

  package init() {}

  /// Whether the stream may end here.
  package var isBetweenRecords: Bool { headerPlace == 0 }

  package func take(_ bytes: Bytes) throws {
    byteCount += bytes.count
    try bytes.withUnsafeBytes { buffer throws in
      var place = 0
      while place < buffer.count {
        if headerPlace < Records.headerCount {
          if headerPlace % 4 == 0 { header[headerPlace / 4] = 0 }
          header[headerPlace / 4] = header[headerPlace / 4] << 8 | Int(buffer[place])
          headerPlace += 1
          place += 1
          if headerPlace == Records.headerCount { try beginBody() }
        } else {
          let end = min(buffer.count, place + header[2] - bodyPlace)
          while place < end {
            if buffer[place] != messageByte(header[1], bodyPlace) {
              throw Violation("byte \(bodyPlace) of record \(header[1]) in lane \(header[0]) is another one")
            }
            place += 1
            bodyPlace += 1
          }
        }
        if headerPlace == Records.headerCount, bodyPlace == header[2] { endRecord() }
      }
    }
  }

  private func beginBody() throws {
    let (lane, number) = (header[0], header[1])
    if header[2] > 1 << 24 || lane > 1000 { throw Violation("no header of a record: \(header)") }
    if number <= last[lane, default: 0] {
      throw Violation("record \(number) in lane \(lane) comes after \(last[lane]!)")
    }
    last[lane] = number
  }

  private func endRecord() {
    received[header[0], default: []].insert(header[1])
    count += 1
    (headerPlace, bodyPlace) = (0, 0)
  }
}
