import UVHTTP

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

  /// Decodes a path that begins with a slash.
  init(_ path: String) throws(Failure) {
    var names = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    endsWithSlash = names.last?.isEmpty ?? false
    if endsWithSlash { names.removeLast() }
    var decoded: [CChar] = []
    for name in names {
      let name = try Self.decode(name)
      // No name between two slashes: a redirection to it could lead to another host.
      let isHidden = name.first == CChar(UInt8(ascii: ".")) && name != ".well-known".utf8.map { CChar($0) }
      if name.isEmpty || isHidden { throw Failure(.notFound) }
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
      guard let high = rest.popFirst(), let low = rest.popFirst(),
        let text = String(validating: [high, low], as: UTF8.self), text.allSatisfy(\.isHexDigit),
        let value = UInt8(text, radix: 16)
      else { throw Failure(.badRequest) }
      // Neither can be in a name.
      if value == 0 || value == UInt8(ascii: "/") { throw Failure(.notFound) }
      decoded.append(CChar(bitPattern: value))
    }
    return decoded
  }
}
