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
  /// Bytes of the heap that are in use; nil where the allocator does not say.
  public var heap: Int?

  /// What the process and `loop` hold now.
  init(_ loop: EventLoop) {
    let activity = loop.activity
    handles = activity.handles + activity.requests + activity.timers + activity.tasks
    #if os(Linux)
      let directory = "/proc/self/fd"
    #else
      let directory = "/dev/fd"
    #endif
    descriptors = (try? FileManager.default.contentsOfDirectory(atPath: directory))?.count ?? 0
    let bytes = bench_heap_in_use()
    heap = bytes < 0 ? nil : bytes
  }
}
