import CUV

/// The name of an open file, in the form in which it was given. Most names are strings or paths, which need
/// no box.
@usableFromInline
enum FileName {
  case string(String)
  case path(FilePath)
  // In a box: a protocol's value within would have each copy of a name, and of what holds one, go through a
  // function.
  indirect case other(any PathConvertible)

  @inlinable
  init(_ path: some PathConvertible) {
    switch path {
    case let string as String: self = .string(string)
    case let path as FilePath: self = .path(path)
    default: self = .other(path)
    }
  }

  /// Calls `body` with the path's bytes, or with nil if there is a NUL inside.
  func withPathBytes<T>(_ body: (UnsafePointer<CChar>?) -> T) -> T {
    switch self {
    case .string(let string): string.withPathBytes(body)
    case .path(let path): path.withPathBytes(body)
    case .other(let path): path.withPathBytes(body)
    }
  }
}
