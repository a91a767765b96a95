import CUV

// `FilePath`, `FilePermissions` and the options of `open` are part of this module's vocabulary.
#if canImport(System)
@_exported public import System
#else
@_exported public import SystemPackage
#endif

/// The name of a file: a `String`, or a `FilePath` if the name isn't UTF-8.
///
/// To the system, a path is a row of bytes that ends with a NUL. A string with a NUL in it can't name a file.
/// Operations on such a string fail with `invalidArgument` instead of using the part before the NUL.
public protocol PathConvertible {
  /// Calls `body` with the path's bytes, terminated by a NUL, or with nil if there is a NUL inside.
  func withPathBytes<T>(_ body: (UnsafePointer<CChar>?) -> T) -> T
}

extension String: PathConvertible {
  /// Calls `body` with the string's UTF-8, or with nil if the string has a NUL in it.
  public func withPathBytes<T>(_ body: (UnsafePointer<CChar>?) -> T) -> T {
    let count = utf8.count
    return withCString { strlen($0) == count ? body($0) : body(nil) }
  }
}

extension FilePath: PathConvertible {
  /// Calls `body` with the path's bytes.
  public func withPathBytes<T>(_ body: (UnsafePointer<CChar>?) -> T) -> T { withPlatformString(body) }
}
