import Foundation

/// The process's limit of descriptors.
final class DescriptorLimit {
  #if os(Linux)
  private static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let kind = RLIMIT_NOFILE
  #endif

  private var taken: [Int32] = []
  private var old = rlimit()

  /// From now on no descriptor can be had, until ``lift()``.
  init() {
    getrlimit(Self.kind, &old)
    var low = old
    low.rlim_cur = 256
    setrlimit(Self.kind, &low)
    while true {
      let copy = dup(0)
      if copy < 0 { break }
      taken.append(copy)
    }
  }

  func lift() {
    for descriptor in taken { close(descriptor) }
    taken = []
    setrlimit(Self.kind, &old)
  }

  /// Raises the limit to `wanted`, or as far as it goes, and says how far that is.
  static func raise(to wanted: Int) -> Int {
    var limit = rlimit()
    getrlimit(kind, &limit)
    if limit.rlim_cur >= rlim_t(wanted) { return wanted }
    var raised = limit
    raised.rlim_cur = rlim_t(wanted)
    raised.rlim_max = max(limit.rlim_max, rlim_t(wanted))
    if setrlimit(kind, &raised) == 0 { return wanted }
    // Beyond what this user may have.
    limit.rlim_cur = limit.rlim_max
    setrlimit(kind, &limit)
    return Int(limit.rlim_max)
  }
}
