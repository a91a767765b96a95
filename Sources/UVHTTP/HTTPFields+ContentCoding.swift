#if HTTP || Everything
import HTTPTypes

/// What `Accept-Encoding` says (RFC 9110, 12.5.3).
extension HTTPFields {
  /// The coding that the client of a request likes best.
  ///
  /// The first of several that it likes as much. Complexity: O(codings in the field × offered).
  ///
  /// - Parameter offered: Names of codings in lower case, the server's favourite first.
  /// - Returns: One of `offered`; nil if the body is to be sent as it is, also where the field is missing.
  package func preferredContentCoding(of offered: [String]) -> String? {
    guard let field = self[.acceptEncoding] else { return nil }
    let accepted = AcceptedCodings(field)
    var best: (name: String, quality: Int)?
    for name in offered {
      let quality = accepted.quality(of: name)
      if quality > best?.quality ?? 0 { best = (name, quality) }
    }
    guard let best else { return nil }
    // A client that names `identity` with a higher quality wants no coding.
    return best.quality >= accepted.qualities["identity"] ?? 0 ? best.name : nil
  }
}

/// The codings that a field names, each with its quality in thousandths.
private struct AcceptedCodings {
  private(set) var qualities: [String: Int] = [:]

  init(_ field: String) {
    for part in field.split(separator: ",") {
      let words = part.split(separator: ";")
      guard let first = words.first?.trimmed, !first.isEmpty else { continue }
      qualities[first.codingName] = words.dropFirst().reduce(1000) { Self.quality($1.trimmed) ?? $0 }
    }
  }

  func quality(of name: String) -> Int { qualities[name] ?? qualities["*"] ?? 0 }

  /// Understands `q=0.25`. A quality that isn't one is 0, so that a coding is used only where that is sure.
  private static func quality(_ parameter: Substring) -> Int? {
    guard parameter.lowercased().hasPrefix("q=") else { return nil }
    let digits = parameter.dropFirst(2).utf8
    guard let whole = digits.first, whole == 0x30 || whole == 0x31 else { return 0 }
    var thousandths = Int(whole - 0x30) * 1000
    guard digits.count > 1 else { return thousandths }
    guard digits.dropFirst().first == 0x2E, digits.count <= 5 else { return 0 }
    var unit = 100
    for digit in digits.dropFirst(2) {
      guard 0x30...0x39 ~= digit else { return 0 }
      thousandths += Int(digit - 0x30) * unit
      unit /= 10
    }
    return min(thousandths, 1000)
  }
}

extension Substring {
  /// The name of a content coding as RFC 9110, 8.4.1, registers it: in lower case, and not by its old alias.
  package var codingName: String {
    let name = lowercased()
    return name == "x-gzip" ? "gzip" : name
  }

  /// Without the blanks around it.
  package var trimmed: Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let end = lastIndex { !isBlank($0) }.map { index(after: $0) } ?? startIndex
    return self[..<end].drop(while: isBlank)
  }
}
#endif
