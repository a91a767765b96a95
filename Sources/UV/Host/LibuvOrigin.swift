import CUV
import Synchronization

/// Which libuv this module calls.
enum LibuvOrigin {
  private static let known = Atomic<UInt>(0)

  /// Code of the libuv that this module calls, as each of its loops names it; nil if no loop can be made.
  static var own: UInt? {
    let origin = known.load(ordering: .relaxed)
    if origin != 0 { return origin }
    let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    defer { loop.deallocate() }
    guard cuv_loop_init(loop) == 0 else { return nil }
    let found = UInt(cuv_loop_origin(loop))
    uv_loop_close(loop)
    known.store(found, ordering: .relaxed)
    return found
  }
}
