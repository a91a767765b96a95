import Foundation

/// The process's limit of descriptors. While one exists, no descriptor can be had, until ``lift()``.
public final class DescriptorLimit {
  #if os(Linux)
  private static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let kind = RLIMIT_NOFILE
  #endif

  private var taken: [Int32] = []
  private let old: UInt64

  /// From now on no descriptor can be had.
  public init() {
    old = Self.set(256)
    while true {
      let copy = dup(0)
      if copy < 0 { break }
      taken.append(copy)
    }
  }

  /// Has the limit be again what it was.
  public func lift() {
    for descriptor in taken { close(descriptor) }
    taken = []
    _ = Self.set(old)
  }

  /// Sets the limit to `count`, and says what it was.
  public static func set(_ count: UInt64) -> UInt64 {
    var limit = rlimit()
    getrlimit(kind, &limit)
    let old = limit.rlim_cur
    limit.rlim_cur = rlim_t(count)
    setrlimit(kind, &limit)
    return UInt64(old)
  }

  /// What `body` returns while no further descriptor can be had.
  public static func reached<T>(_ body: () throws -> T) rethrows -> T {
    let old = set(0)
    defer { _ = set(old) }
    return try body()
  }

  /// Raises the limit to `wanted`, or as far as it goes, and says how far that is.
  public static func raise(to wanted: Int) -> Int {
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
