import CUV
import Testing
import UVTestSupport

@testable import UV

/// An open file beside an array of bytes and a position: reads, writes, of one buffer and of several, and other sizes, in
/// drawn order.
@Suite struct FileModelTests {
  private struct Model {
    var bytes: [UInt8] = []
    var position = 0

    mutating func write(_ new: [UInt8], at offset: Int?) {
      // Nothing makes a file no longer.
      let place = offset ?? position
      if !new.isEmpty {
        if place > bytes.count { bytes += Array(repeating: 0, count: place - bytes.count) }
        bytes.replaceSubrange(place..<min(place + new.count, bytes.count), with: new)
      }
      if offset == nil { position += new.count }
    }

    mutating func read(_ count: Int, at offset: Int?) -> [UInt8] {
      let found = Array(bytes.dropFirst(offset ?? position).prefix(count))
      if offset == nil { position += found.count }
      return found
    }

    mutating func resize(to size: Int) {
      bytes = Array(bytes.prefix(size)) + Array(repeating: 0, count: max(0, size - bytes.count))
    }
  }

  @Test(arguments: 0..<12)
  func `What is read is what was written there, at a position or at the file's own`(seed: Int) async throws {
    try await withLoopAndDirectory { loop, directory in
      let draws = Draws(UInt64(seed))
      let path = "\(directory)/f"
      let file = try await loop.files.open(path, .readWrite, options: .create).value
      var model = Model()
      for step in 0..<120 {
        let offset = draws.draw(2) == 0 ? nil : draws.draw(60)
        switch draws.draw(6) {
        case 0:
          let bytes = (0..<draws.draw(20)).map { _ in UInt8(1 + draws.draw(255)) }
          try await file.write(Bytes(bytes), at: offset.map { Int64($0) }).value
          model.write(bytes, at: offset)
        case 1:
          let parts = (0..<draws.draw(5)).map { _ in
            (0..<draws.draw(6)).map { _ in UInt8(1 + draws.draw(255)) }
          }
          try await file.write(parts.map { Bytes($0) }, at: offset.map { Int64($0) }).value
          model.write(parts.flatMap { $0 }, at: offset)
        case 2:
          let count = 1 + draws.draw(30)
          #expect(
            Array(try await file.read(count, at: offset.map { Int64($0) }).value)
              == model.read(count, at: offset))
        case 3:
          let counts = (0..<1 + draws.draw(4)).map { _ in 1 + draws.draw(8) }
          let found = try await file.read(counts, at: offset.map { Int64($0) }).value
          #expect(found.count == counts.count)
          var rest = model.read(counts.reduce(0, +), at: offset)[...]
          for (bytes, count) in zip(found, counts) {
            #expect(Array(bytes) == Array(rest.prefix(count)), "step \(step)")
            rest = rest.dropFirst(count)
          }
        case 4 where draws.draw(3) == 0:
          let size = draws.draw(70)
          try await file.truncate(to: Int64(size)).value
          model.resize(to: size)
        default: #expect(try await file.stat().value.size == Int64(model.bytes.count))
        }
      }
      #expect(Array(try await loop.files.readFile(path).value) == model.bytes)
      try await file.close().value
    }
  }

  @Test(arguments: 0..<20)
  func `A vector that was written in part goes on with the first byte that wasn't`(seed: Int) {
    let draws = Draws(UInt64(seed))
    let parts = (0..<1 + draws.draw(8)).map { _ in
      (0..<draws.draw(4) * draws.draw(4)).map { _ in UInt8(draws.draw(256)) }
    }
    let vector = FileVector(parts.map { Bytes($0) })
    var rest = parts.flatMap { $0 }[...]
    while true {
      let (list, count) = vector.list
      let left = (0..<Int(count)).flatMap { index in
        Array(UnsafeRawBufferPointer(start: list[index].base, count: Int(list[index].len)))
      }
      #expect(left == Array(rest))
      let taken = min(rest.count, draws.draw(7))
      rest = rest.dropFirst(taken)
      let goesOn = vector.advance(by: taken)
      #expect(goesOn == !rest.isEmpty || taken == 0)
      if !goesOn || rest.isEmpty { break }
    }
    #expect(rest.isEmpty)
    // And what was read into rooms of these sizes, up to the last byte.
    let rooms = FileVector((1...4).map { Bytes(repeating: UInt8($0), count: $0) })
    for count in 0...10 {
      let filled = rooms.filled(count)
      #expect(filled.map(\.count) == (1...4).map { max(0, min($0, count - $0 * ($0 - 1) / 2)) }, "\(count)")
    }
  }

  @Test func `What is out of range is refused, and the edges of the ranges aren't`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let file = try await loop.files.open("\(directory)/f", .readWrite, options: .create).value
      try await file.write("0123456789").value
      for count in [0, -1, 1 << 30 + 1, .max, .min] {
        await expectError(.invalidArgument, of: try await file.read(count, at: 0).value)
        await expectError(.invalidArgument, of: try await file.read([1, count], at: 0).value)
      }
      for offset in [-1, Int64.min] {
        await expectError(.invalidArgument, of: try await file.read(1, at: offset).value)
        await expectError(.invalidArgument, of: try await file.read([1], at: offset).value)
        await expectError(.invalidArgument, of: try await file.write("x", at: offset).value)
        await expectError(.invalidArgument, of: try await file.write(["x"], at: offset).value)
      }
      await expectError(.invalidArgument, of: try await file.read([Int]()).value)
      await expectError(
        .invalidArgument, of: try await file.read([Int](repeating: 1, count: 1025), at: 0).value)
      await expectError(.invalidArgument, of: try await file.read([1 << 30, 1], at: 0).value)
      let most = try await file.read([Int](repeating: 1, count: 1024), at: 0).value
      #expect(
        most.count == 1024 && most.prefix(10).allSatisfy { $0.count == 1 }
          && most.dropFirst(10).allSatisfy(\.isEmpty))
      #expect(try await file.read(1 << 20, at: 9).value == "9")
      for offset in [Int64(10), 11, 1 << 40] {
        #expect(try await file.read(5, at: offset).value.isEmpty)
        #expect(try await file.read([5, 5], at: offset).value == ["", ""])
      }
      try await file.write([Bytes]()).value
      try await file.write(Bytes()).value
      #expect(try await file.stat().value.size == 10)
      try await file.close().value
    }
  }

  /// Ways to open it, and what can be done then.
  @Test func `A file can do what it was opened for, and the rest is badDescriptor`() async throws {
    try await withLoopAndDirectory { loop, directory in
      let path = "\(directory)/f"
      try await loop.files.writeFile(path, "12345").value
      for (mode, reads, writes) in [
        (FileDescriptor.AccessMode.readOnly, true, false), (.writeOnly, false, true),
        (.readWrite, true, true),
      ] {
        let file = try await loop.files.open(path, mode).value
        #expect(file.path.string == path && "\(file)" == path)
        let read = await code { () async throws(UVError) in try await file.read(1, at: 0).value }
        let write = await code { () async throws(UVError) in try await file.write("1", at: 0).value }
        #expect((read, write) == (reads ? nil : .badDescriptor, writes ? nil : .badDescriptor))
        #expect(try await file.stat().value.size == 5)
        try await file.close().value
      }
      let appended = try await loop.files.open(path, .writeOnly, options: .append).value
      for text in ["6", "7"] { try await appended.write(Bytes(text)).value }
      try await appended.close().value
      #expect(try await loop.files.readFile(path).value == "1234567")
      try await loop.files.open(path, .writeOnly, options: .truncate).value.close().value
      #expect(try await loop.files.readFile(path).value.isEmpty)
      await expectError(
        .fileExists,
        of: try await loop.files.open(path, .readWrite, options: [.create, .exclusiveCreate]).value)
    }
  }
}
