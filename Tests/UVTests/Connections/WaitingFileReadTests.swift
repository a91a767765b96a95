import Foundation
import Testing
import UVTestSupport

@testable import UV

/// Readers of a stream over a file that are given up at any moment: the pool may be reading for them. What it reads is for the
/// next reader.
@Suite struct WaitingFileReadTests {
  /// What asks first.
  enum First: CaseIterable {
    case next, exactly, peek, line, rest, handler

    func begin(_ stream: ByteStream, _ note: @escaping Completion<Bytes?>) -> PendingRequest {
      switch self {
      case .next: return stream.next(note)
      case .exactly: return stream.read(exactly: 200_000, note)
      case .peek: return stream.peek(exactly: 200_000, note)
      case .line: return stream.readLine(limit: 200_000, note)
      case .rest: return stream.readToEnd(limit: 1_000_000) { note($0.map { $0 }) }
      case .handler:
        stream.start(note)
        return PendingRequest {
          stream.stop()
          note(.success(nil))
        }
      }
    }
  }

  /// How it is given up.
  enum End: CaseIterable { case cancelled, readTimeout }

  /// When it is given up: before the pool reads, while it reads, or after some turns.
  enum Moment: CaseIterable { case atOnce, whilePoolIsBusy, later }

  /// More than is read at a time. No line feed is in it.
  private static let bytes = Bytes((0..<70_000).map { UInt8(11 + $0 % 200) })

  @Test(
    "No byte of a file is lost, whoever asked first and was given up", arguments: First.allCases, End.allCases
  )
  func givenUp(first: First, end: End) async throws {
    try await withLoopAndDirectory { loop, directory in
      let bytes = Self.bytes
      try await loop.files.writeFile("\(directory)/a", bytes).value
      for moment in Moment.allCases {
        let stream = try FileStream(try await loop.files.open("\(directory)/a").value)
        // What the first one gets before it is given up isn't for the next.
        var (count, received): (Int, [UInt8]) = (0, [])
        func begin() -> PendingRequest {
          first.begin(stream) { result in
            count += 1
            if first != .peek, let part = result.value ?? nil { received += Array(part) }
          }
        }
        func giveUp(_ pending: PendingRequest) {
          switch end {
          case .cancelled: pending.cancel()
          case .readTimeout: stream.readTimeout = .zero
          }
        }
        switch moment {
        case .atOnce: giveUp(begin())
        case .whilePoolIsBusy:
          try await withBusyPool(of: loop) {
            giveUp(begin())
            try await loop.until { count == 1 }
          }
          #expect(received.isEmpty)
        case .later:
          let pending = begin()
          try await loop.until { stream.unreadByteCount > 0 || count > 0 }
          giveUp(pending)
        }
        try await loop.until { count > 0 }
        stream.stop()
        stream.readTimeout = nil
        // The pool may go on.
        for _ in 0..<5 { try await loop.sleep(for: .milliseconds(1)).value }
        received += Array(try await stream.readToEnd(limit: 1_000_000).value)
        let isWhole = bytes.elementsEqual(received)
        #expect(isWhole, "\(moment): \(received.count) bytes")
        #expect(try await stream.next().value == nil)
        try await stream.close().value
      }
    }
  }

  @Test("Readers that come and go get a file's bytes once, in order", arguments: 1...3)
  func drawn(seed: UInt64) async throws {
    try await withLoopAndDirectory { loop, directory in
      let bytes = Bytes((0..<100_001).map { UInt8($0 % 251) })
      try await loop.files.writeFile("\(directory)/a", bytes).value
      let stream = try FileStream(try await loop.files.open("\(directory)/a").value)
      let draws = Draws(seed)
      var received: [UInt8] = []
      var isOver = false
      while !isOver {
        var isAnswered = false
        let done: Completion<Bytes?> = { result in
          isAnswered = true
          if case .success(let part) = result {
            if let part { received += Array(part) } else { isOver = true }
          } else if result.error!.code == .endOfFile {
            stream.next { if let part = $0.value ?? nil { received += Array(part) } }
          }
        }
        let pending =
          draws.draw(2) == 0 ? stream.next(done) : stream.read(exactly: 1 + draws.draw(60_000), done)
        for _ in 0..<draws.draw(4) where !isAnswered { try await loop.sleep(for: .zero).value }
        if draws.draw(2) == 0 { pending.cancel() }
        try await loop.until { isAnswered }
      }
      let isWhole = bytes.elementsEqual(received)
      #expect(isWhole, "\(received.count) bytes")
      stream.close()
    }
  }
}
