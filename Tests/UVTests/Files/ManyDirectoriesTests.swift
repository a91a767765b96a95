#if os(Linux)
import Foundation
import Testing
import UV
import UVTestSupport

private let stress = ProcessInfo.processInfo.environment["UV_STRESS"]

/// A large tree, and how much memory it takes. The suite `watching` has 100,000 directories and 10,000 renames.
@Suite(.enabled(if: stress != nil)) struct ManyDirectoriesTests {
  @Test("Of very many directories, each of many random renames is reported")
  func manyDirectories() async throws {
    let (count, rounds) = stress == "full" ? (100_000, 100) : (10_000, 10)
    try await withTree { root in
      for number in 0..<count {
        if number % 1000 == 0 { mkdir("\(root)/\(number / 1000)", 0o755) }
        mkdir("\(root)/\(number / 1000)/\(number)", 0o755)
      }
    } _: { loop, watcher, _ in
      let before = Hooks.heapInUse ?? 0
      while try await watcher.next().value?.kinds != .complete {}
      print("bytes a directory:", ((Hooks.heapInUse ?? 0) - before) / (count + count / 1000))
      var random = SystemRandomNumberGenerator()
      var places = (0..<count).map { "\($0 / 1000)/\($0)" }
      let root = try watcher.path().string
      for round in 0..<rounds {
        var renames: [(from: String, to: String)] = []
        for number in 0..<100 {
          let place = Int.random(in: 0..<count, using: &random)
          let new = "\(Int.random(in: 0..<count / 1000, using: &random))/\(round)-\(number)"
          renames.append((places[place], new))
          places[place] = new
        }
        var missing = Set(renames.flatMap { [$0.from, $0.to] })
        let renaming = loop.spawn { [renames] () async throws(UVError) in
          try await loop.work {
            for (from, to) in renames { precondition(rename("\(root)/\(from)", "\(root)/\(to)") == 0) }
          }.value
        }
        while !missing.isEmpty {
          let event = try #require(try await watcher.next().value)
          #expect(!event.kinds.contains(.overflow))
          if let name = event.name?.string { missing.remove(name) }
        }
        try await renaming.value
      }
      // Each is still watched, under its present name.
      for place in places.shuffled().prefix(1000) {
        mkdir("\(root)/\(place)/probe", 0o755)
        while try await watcher.next().value?.name?.string != "\(place)/probe" {}
      }
    }
  }
}
#endif
