import Foundation
import Testing
import UV
import UVTestSupport

/// The objects that each thread has of its own, when the thread ends.
@Suite struct ThreadEndTests {
  /// Looks at the thread's loop when it goes, as what is used last may do.
  private final class Late {
    private let log: Log<Bool>
    init(_ log: Log<Bool>) { self.log = log }
    deinit {
      // Into whatever memory has just been given back.
      let blocks = (1...16).flatMap { size in
        (0..<16).map { _ in [UInt64](repeating: 0x5555_5555_5550, count: size) }
      }
      let plain = (1...256).map { number in
        let block = UnsafeMutableRawPointer.allocate(byteCount: 8 * (1 + number % 16), alignment: 16)
        block.initializeMemory(as: UInt64.self, repeating: 0x5555_5555_5550, count: 1 + number % 16)
        return block
      }
      log.append(EventLoop.current == nil)
      for block in plain { block.deallocate() }
      withExtendedLifetime(blocks) {}
    }
  }

  private static let before = ThreadLocal<Late>()
  private static let between = ThreadLocal<Late>()

  @Test func `An object that goes with its thread finds no loop, whatever has gone before it`() async throws {
    // The library's own objects come first, as the system goes through them.
    try await withLoop { loop in try await loop.sleep(for: .zero).value }
    for round in 0..<5 {
      let log = Log<Bool>()
      let thread = Thread {
        // Before the loop's own, and after it.
        if round % 2 == 0 { _ = Self.before.get { Late(log) } }
        if let loop = try? EventLoop() {
          try? loop.run { loop in try await loop.sleep(for: .zero).value }
          loop.shutdown()
        }
        _ = EventLoop.current
        _ = Self.between.get { Late(log) }
        if round % 2 != 0 { _ = Self.before.get { Late(log) } }
      }
      thread.start()
      try await withLoop { loop in try await loop.until { log.values.count == 2 } }
      #expect(log.values == [true, true])
    }
  }
}
