#if HTTP || Everything
import UV

/// A page with the names in a directory.
enum Listing {
  /// - Parameter path: The path of the request, which is encoded.
  static func page(of path: String, isRoot: Bool, _ entries: [DirectoryEntry]) -> Bytes {
    var page = BytesBuilder(capacity: 512 + 64 * entries.count)
    let title = escaped(path)
    page.append("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>\(title)</title></head>\n")
    page.append("<body><h1>\(title)</h1>\n<ul>\n")
    if !isRoot { page.append("<li><a href=\"../\">../</a></li>\n") }
    for entry in entries {
      let name = entry.name.string
      if name.hasPrefix(".") { continue }
      let end = entry.type == .directory ? "/" : ""
      page.append("<li><a href=\"./\(encoded(entry.name))\(end)\">\(escaped(name))\(end)</a></li>\n")
    }
    page.append("</ul></body></html>\n")
    return page.takeBytes()
  }

  /// A text as HTML, so that no name is taken for a tag.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { #"&<>"'"#.unicodeScalars.contains($0) ? "&#\($0.value);" : String($0) }.joined()
  }

  /// A name as a part of a path, byte for byte: it needn't be UTF-8.
  private static func encoded(_ name: FilePath.Component) -> String {
    name.withPlatformString { bytes in
      var result = ""
      var position = 0
      while bytes[position] != 0 {
        let byte = UInt8(bitPattern: bytes[position])
        if byte.isUnreserved {
          result.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }
        position += 1
      }
      return result
    }
  }
}

extension UInt8 {
  /// Whether it stands for itself in a path: a letter, a digit, or one of -._~
  fileprivate var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(self)
    }
  }
}
#endif
