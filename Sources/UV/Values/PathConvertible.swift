import CUV

/// The name of a file: a `String`, or a `FilePath` where the name is not UTF-8.
///
/// A path is bytes to the system. A string with a NUL in it names no file: operations on one fail with
/// `invalidArgument` instead of using the part before.
public protocol PathConvertible {
  /// Calls `body` with the path's bytes, terminated by a NUL, or with nil if there is a NUL inside.
  func withPathBytes<T>(_ body: (UnsafePointer<CChar>?) -> T) -> T
}

extension String: PathConvertible {
  /// Calls `body` with the string's UTF-8, or with nil if there is a NUL in it.
  public func withPathBytes<T>(_ body: (UnsafePointer<CChar>?) -> T) -> T {
    let count = utf8.count
    return withCString { strlen($0) == count ? body($0) : body(nil) }
  }
}

extension FilePath: PathConvertible {
  /// Calls `body` with the path's bytes.
  public func withPathBytes<T>(_ body: (UnsafePointer<CChar>?) -> T) -> T { withPlatformString(body) }
}
