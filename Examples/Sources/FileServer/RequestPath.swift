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

  /// Decodes a path that begins with a slash.
  init(_ path: Bytes) throws(Status) {
    var decoded: [CChar] = []
    decoded.reserveCapacity(path.count)
    var start = 0
    var position = 1
    while position < path.count {
      var byte = path[position]
      if byte == UInt8(ascii: "/") {
        try Self.check(decoded[start...])
        start = decoded.count + 1
      } else if byte == UInt8(ascii: "%") {
        guard position + 2 < path.count, let high = path[position + 1].hexadecimal,
          let low = path[position + 2].hexadecimal
        else { throw .badRequest }
        byte = high << 4 | low
        // Neither can be in a name.
        if byte == 0 || byte == UInt8(ascii: "/") { throw .notFound }
        position += 2
      }
      decoded.append(CChar(bitPattern: byte))
      position += 1
    }
    endsWithSlash = start == decoded.count
    if !endsWithSlash { try Self.check(decoded[start...]) }
    relative = FilePath(platformString: decoded + [0])
  }

  private static func check(_ name: ArraySlice<CChar>) throws(Status) {
    // No name between two slashes: a redirection to it could lead to another host.
    guard let first = name.first else { throw .notFound }
    let isHidden = first == CChar(UInt8(ascii: "."))
    if isHidden, !name.elementsEqual(".well-known".utf8.map { CChar($0) }) { throw .notFound }
  }
}
