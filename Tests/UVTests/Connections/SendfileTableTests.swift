import Foundation
import Testing
import UV
import UVTestSupport

/// Parts of files of every place and length, to each kind of target, with what is written before and meanwhile.
@Suite struct SendfileTableTests {
  enum Target: CaseIterable { case tcp, socket, pipe }

  /// What the program does while the file is on its way.
  enum Meanwhile: CaseIterable { case nothing, writes, writesAndEnds, ends, drains }

  private nonisolated(nonsending) func open(_ target: Target, _ loop: EventLoop) async throws -> (
    ByteStream, ByteStream
  ) {
    switch target {
    case .tcp:
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let server = try await listener.accept().value
      listener.close()
      return (server, client)
    case .socket:
      let (near, far) = try loop.pipes.socketPair()
      return (near, far)
    case .pipe:
      let (reading, writing) = try loop.pipes.pair()
      return (writing, reading)
    }
  }

  @Test(
    "The part that there is of a file comes, between what was written before and after",
    arguments: Target.allCases, Meanwhile.allCases)
  func parts(target: Target, meanwhile: Meanwhile) async throws {
    // A pipe ends when it is closed.
    if target == .pipe, meanwhile == .ends || meanwhile == .writesAndEnds { return }
    try await withLoopAndDirectory { loop, directory in
      let size = 70_000
      let bytes = Bytes((0..<size).map { UInt8($0 % 251) })
      try await loop.files.writeFile("\(directory)/a", bytes).value
      let file = try await loop.files.open("\(directory)/a").value
      for (offset, count) in [
        (0, size), (0, 1), (0, size + 1), (1, size), (size - 1, 1), (size - 1, 5), (size, 1), (size + 10, 5),
        (7, 66_000),
        (0, Int.max), (1000, 1 << 40),
      ] {
        let (sender, receiver) = try await open(target, loop)
        let expected = Array(bytes.dropFirst(offset).prefix(count))
        var log: [String] = []
        try await sender.write("before").value
        sender.sendfile(file, from: Int64(offset), count: count) {
          log.append($0.error?.name ?? "sent \($0.value!)")
        }
        #expect(log == [])
        var after: [UInt8] = []
        if meanwhile == .writes || meanwhile == .writesAndEnds {
          sender.write("one") { log.append("one \($0.error?.name ?? "ok")") }
          sender.write(["two", "three"]) { log.append("two \($0.error?.name ?? "ok")") }
          after = Array("onetwothree".utf8)
        }
        if meanwhile == .drains { sender.drain { log.append("drained \($0.error?.name ?? "ok")") } }
        if meanwhile == .writesAndEnds || meanwhile == .ends {
          sender.shutdown { log.append("end \($0.error?.name ?? "ok")") }
        }
        // Another file has to wait.
        await expectError(
          meanwhile == .writesAndEnds || meanwhile == .ends ? .brokenPipe : .busy,
          of: try await sender.sendfile(file, count: 1).value)
        let reading = loop.spawn { () async throws(UVError) in
          try await receiver.readToEnd(limit: 1 << 20).value
        }
        try await loop.until { !log.isEmpty }
        try await loop.until { log.contains { $0.hasPrefix("sent ") } }
        let place = try #require(log.firstIndex(of: "sent \(expected.count)"), "\(offset), \(count): \(log)")
        // Who waits for all to leave may hear of it first.
        #expect(place == 0 || meanwhile == .drains, "\(log)")
        if meanwhile == .writesAndEnds || meanwhile == .ends {
          try await loop.until { log.contains { $0.hasPrefix("end ") } }
        } else {
          try await sender.drain().value
          // A pipe's reader gets the end when it closes.
          if target == .pipe { sender.close() } else { try await sender.shutdown().value }
        }
        #expect(
          try await Array(reading.value) == Array("before".utf8) + expected + after, "\(offset), \(count)")
        let others = log.filter { !$0.hasPrefix("sent ") }
        #expect(others.allSatisfy { $0.hasSuffix(" ok") }, "\(log)")
        #expect(
          others.map { $0.split(separator: " ")[0] }
            == [
              [], ["one", "two"], ["one", "two", "end"], ["end"], ["drained"],
            ][Meanwhile.allCases.firstIndex(of: meanwhile)!])
        for stream in [sender, receiver] { stream.close() }
      }
      // Its position stays.
      #expect(try await file.read(3).value == Bytes(bytes.prefix(3)))
      try await file.close().value
    }
  }

  @Test("What is cancelled stops, and later writes follow at once", arguments: Target.allCases, [0, 1, 5])
  func cancelled(target: Target, turns: Int) async throws {
    try await withLoopAndDirectory { loop, directory in
      let size = 8 << 20
      try await loop.files.writeFile("\(directory)/a", Bytes(repeating: 7, count: size)).value
      let file = try await loop.files.open("\(directory)/a").value
      let (sender, receiver) = try await open(target, loop)
      var log: [String] = []
      let pending = sender.sendfile(file, count: size) { log.append($0.error?.name ?? "sent") }
      for _ in 0..<turns { try await loop.sleep(for: .milliseconds(1)).value }
      pending.cancel()
      pending.cancel()
      sender.write("after") { log.append("after \($0.error?.name ?? "ok")") }
      sender.drain { log.append("drained \($0.error?.name ?? "ok")") }
      let reading = loop.spawn { () async throws(UVError) in
        try await receiver.readToEnd(limit: size + 5).value
      }
      try await loop.until { log.count == 3 }
      #expect(log == ["ECANCELED", "after ok", "drained ok"])
      sender.close()
      let all = try await reading.value
      #expect(all.count < size && all.suffix(5).elementsEqual(Bytes("after")))
      receiver.close()
      try await file.close().value
    }
  }
}
