import CBenchHooks
import CBenchSupport
import UV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a process holds: the three things that must end where they began.
public struct Footprint: Hashable, Sendable {
  /// Open descriptors of the process.
  public var descriptors: Int
  /// Open handles, requests, timers and tasks of the loop, the caller's own task among them.
  public var handles: Int
  /// Bytes of the heap that are held, more or less than when the soak began: what a cache of the allocator's
  /// keeps for the next that asks is not among them. Nil where blocks cannot be counted.
  public var heap: Int?
  /// Blocks of the heap that are held, more or less than when the soak began.
  public var blocks: Int?

  /// What the process and `loop` hold now.
  init(_ loop: EventLoop) {
    let activity = loop.statistics
    handles = activity.handles + activity.requests + activity.timers + activity.tasks
    #if os(Linux)
      let directory = "/proc/self/fd"
    #else
      let directory = "/dev/fd"
    #endif
    descriptors = (try? FileManager.default.contentsOfDirectory(atPath: directory))?.count ?? 0
    let count = Int(bench_hooks_live_blocks())
    // None at all where a sanitizer or valgrind stands in front of the allocator.
    if count > 0 { (blocks, heap) = (count, Int(bench_hooks_live_bytes())) }
  }
}
