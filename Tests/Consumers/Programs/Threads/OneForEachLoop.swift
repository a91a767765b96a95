// Each loop of a group counts for itself, without a lock.
import UV

private final class Counter { var count = 0 }

enum OneForEachLoop: Program {
  static func main() throws {
    let counters = LoopLocal { _ in Counter() }
    let group = try EventLoopGroup(count: 2)
    try EventLoop.run { _ in
      for _ in 0..<6 {
        let count = try await group.next().submit { loop in
          counters[loop].count += 1
          return counters[loop].count
        }
        print(count)
      }
      _ = await group.shutdownGracefully(within: .zero)
    }
  }
}

// Prints:
// 1
// 1
// 2
// 2
// 3
// 3
