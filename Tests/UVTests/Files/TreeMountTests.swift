#if os(Linux)
import Foundation
import Testing
import UV
import UVTestSupport

/// A watched folder in which another file system is mounted, as root can.
@Suite(.serialized, .onTheMachine("a file system in memory"), .enabled(if: geteuid() == 0))
struct TreeMountTests {
  @Test func `What was on a file system that is unmounted is reported as gone, and its place is watched on`()
    async throws
  {
    let isMounted = Log<Bool>()
    try await withTree { root in
      let disk = "\(root)/disk"
      mkdir(disk, 0o755)
      let (output, status) = try runProgram(
        URL(fileURLWithPath: "/bin/mount"), ["-t", "tmpfs", "uv-test", disk], in: URL(fileURLWithPath: root))
      // A container may forbid it.
      guard status == 0 else { return print("a mounted tree: not tried, mount says \(output)") }
      isMounted.append(true)
      for name in ["a", "a/b", "c"] { mkdir("\(disk)/\(name)", 0o755) }
    } _: { loop, watcher, model in
      guard isMounted.values == [true] else { return }
      let disk = "\(model.root)/disk"
      try await follow(watcher, model)
      model.forgetWhatWasSeen()
      let end = try await loop.processes.run("umount", [disk]).value
      #expect(end.terminationStatus.isSuccess, "\(end.standardError)")
      try await follow(watcher, model) { ["disk/a", "disk/c"].allSatisfy { model.seen[$0] != nil } }
      try await expectEachFolderIsWatched(watcher, model)
    }
  }
}
#endif
