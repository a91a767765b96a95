#if HTTP || Everything
import UV

/// The path of a request, decoded: names of files, one in the other.
///
/// No name begins with a dot, so neither `..` nor a hidden file can be meant, however it is written.
/// (`.well-known` is the exception, which certificates are issued with.) A link may still lead out of the
/// root; see ``Site``.
struct RequestPath {
  /// The names, relative to the root.
  let relative: FilePath
  /// Whether the path means a directory.
  let endsWithSlash: Bool

  /// Decodes a path without its query.
  init(_ path: String) throws(Failure) {
    var names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    if path.utf8.first == UInt8(ascii: "/") { names.removeFirst() }
    endsWithSlash = names.last?.isEmpty ?? true
    if endsWithSlash, !names.isEmpty { names.removeLast() }
    var decoded: [CChar] = []
    for name in names {
      let name = try Self.decode(name)
      // No name between two slashes: a redirection to it could lead to another host.
      let isHidden = name.first == CChar(UInt8(ascii: ".")) && name != ".well-known".utf8.map { CChar($0) }
      if name.isEmpty || isHidden { throw Failure.status(.notFound) }
      decoded += name + [CChar(UInt8(ascii: "/"))]
    }
    relative = FilePath(platformString: decoded + [0])
  }

  private static func decode(_ name: Substring.UTF8View) throws(Failure) -> [CChar] {
    var decoded: [CChar] = []
    var rest = name
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(CChar(bitPattern: byte))
        continue
      }
      guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else {
        throw Failure.status(.badRequest)
      }
      let value = high << 4 | low
      // Neither can be in a name.
      if value == 0 || value == UInt8(ascii: "/") { throw Failure.status(.notFound) }
      decoded.append(CChar(bitPattern: value))
    }
    return decoded
  }
}

extension UInt8 {
  fileprivate var hexValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
#endif
