import CUV

/// The name of an open file, in the form in which it was given. Most names are strings, which need no box.
@usableFromInline
enum FileName {
  case string(String)
  case other(any PathConvertible)

  @inlinable
  init(_ path: some PathConvertible) {
    if let string = path as? String { self = .string(string) } else { self = .other(path) }
  }

  /// Calls `body` with the path's bytes, or with nil if there is a NUL inside.
  func withPathBytes<T>(_ body: (UnsafePointer<CChar>?) -> T) -> T {
    switch self {
    case .string(let string): string.withPathBytes(body)
    case .other(let path): path.withPathBytes(body)
    }
  }
}
