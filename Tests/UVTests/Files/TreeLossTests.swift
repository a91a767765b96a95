#if os(Linux)
import CUV
import Foundation
import Testing
import UVTestSupport

@testable import UV

/// Since when a watcher of a tree may have missed something, however often events are lost until it has looked at all of it.
@Suite struct TreeLossTests {
  /// What happens between two looks at the tree's state.
  private enum Step: CaseIterable { case loss, change, folder, turn, tick }

  @Test(arguments: 0..<2)
  func `The first loss counts until the tree has been looked through, and the next one then`(seed: Int)
    async throws
  {
    try await withTree { root in
      // More than the thread pool looks at in three jobs.
      for number in 0..<400 { mkdir("\(root)/\(number)", 0o755) }
    } _: { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      let tree = try #require(watcher.tree)
      let draws = Draws(UInt64(seed + 1))
      var isLost = false
      var completions = 0
      watcher.start { result in
        guard case .success(let event?) = result, event.name == nil else { return }
        if event.kinds.contains(.overflow) { isLost = true }
        if event.kinds.contains(.complete) {
          completions += 1
          isLost = false
          #expect(tree.lossTime == nil)
        }
      }
      // What the tree said at its first loss since it has been complete.
      var first: (time: Int64, round: Int)?
      var again = 0
      for number in 0..<40 {
        let step = draws.one(of: Step.allCases)
        switch step {
        case .loss:
          let (now, wasLost) = (cuv_folder_time(), isLost)
          // As it does when the system says that it has dropped events.
          tree.lose()
          tree.readEvents()
          let time = try #require(tree.lossTime)
          // Clocks of file systems may be two seconds behind.
          #expect(time <= now - 2_000_000_000)
          if wasLost { again += 1 } else { first = (time, completions) }
        case .change:
          close(open("\(model.root)/\(draws.draw(400))/f\(number)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
        case .folder:
          mkdir("\(model.root)/new\(number)", 0o755)
        case .turn: try await loop.sleep(for: .zero).value
        case .tick:
          let before = cuv_folder_time()
          try await loop.until { cuv_folder_time() > before }
        }
        let expected = isLost ? first?.time : nil
        #expect(tree.lossTime == expected, "\(step), step \(number)")
        #expect(tree.order([0], .changes).since == expected ?? .max)
        #expect(!isLost || first?.round == completions)
      }
      try await loop.until { !isLost && !tree.isLooking }
      #expect(tree.lossTime == nil && again > 0 && completions > 0)
      watcher.stop()
    }
  }
}
#endif
