import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// Trees of which the system watches only a part.
@Suite(.serialized) struct TreeFaultTests {
  @Test(
    "If the system watches no more directories, the watcher says which limit it is, at once or later",
    arguments: [1, 2, 3])
  func noMoreWatches(nth: Int) async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    try await withTemporaryDirectory { directory in
      for name in ["a", "b", "b/c"] { mkdir("\(directory)/\(name)", 0o755) }
      try await withLoop { loop in
        test_faults_arm(ENOSPC, FaultLayer.system, nth, 1, "inotify_add_watch")
        defer { test_faults_disarm() }
        do throws(UVError) {
          let watcher = try loop.files.watch(directory, recursive: true)
          #expect(nth > 1)
          for try await event in watcher { #expect(event.kinds != .complete) }
          Issue.record("it ended without an error")
        } catch {
          #expect(error.code == .noSpace)
          #expect(error.subject?.hasPrefix(directory) == true)
          #expect(error.description.contains("sysctl fs.inotify.max_user_watches"), "\(error)")
        }
      }
    }
  }

  @Test(
    "A directory that comes and can't be watched is reported with its error, and watched once it can be",
    arguments: [EACCES, EIO])
  func anUnreadableDirectory(code: Int32) async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    try await withTemporaryDirectory { directory in
      try await withLoop { loop in
        let watcher = try loop.files.watch(directory, recursive: true)
        #expect(try await watcher.next().value?.kinds == .complete)
        test_faults_arm(code, FaultLayer.system, 1, 1, "inotify_add_watch")
        defer { test_faults_disarm() }
        for name in ["a", "b"] { mkdir("\(directory)/\(name)", 0o755) }
        var seen: [String: FileEvent] = [:]
        while seen.count < 2, let event = try await watcher.next().value { seen[event.name!.string] = event }
        #expect(seen.values.allSatisfy { $0.kinds == .rename })
        #expect(seen["a"]?.error?.code.rawValue == -code && seen["b"]?.error == nil)
        chmod("\(directory)/a", 0o700)
        while try await watcher.next().value?.kinds != .rename {}
        mkdir("\(directory)/a/inner", 0o755)
        while try await watcher.next().value?.name != "a/inner" {}
        watcher.close()
      }
    }
  }
}
