#if HTTP || Everything
import HTTPTypes
import UV

extension HTTPFields {
  /// The fields among bytes that a parser has accepted.
  ///
  /// - Parameters:
  ///   - start: Where the first field begins.
  ///   - isWanted: Whether to take a field; its name, and where its value is.
  init(
    _ bytes: Bytes, from start: Int = 0,
    where isWanted: (HTTPField.Name, Range<Int>) -> Bool = { _, _ in true }
  ) {
    self.init()
    reserveCapacity(8)
    var position = start
    while case .field(let name, let value, let end)? = try? FieldLine.read(bytes.span, at: position) {
      position = end
      guard let name = HTTPField.Name(String(decoding: bytes[name], as: UTF8.self)), isWanted(name, value)
      else { continue }
      append(HTTPField(name: name, value: Bytes(bytes[value])))
    }
  }
}
#endif
