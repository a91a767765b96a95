/// What a program has understood of a message, as hexadecimal digits, so that each byte can be compared.
struct Report {
  /// The method and the target of a request; the status of an answer, and nothing.
  var start: (String, String)
  var host = ""
  var fields: [(String, [UInt8])] = []
  var body: [UInt8] = []
  var trailers: [(String, [UInt8])] = []

  init(_ first: String, _ second: String = "") { start = (first, second) }

  var text: String {
    [
      Self.hex(start.0.utf8), Self.hex(start.1.utf8), Self.hex(host.utf8), Self.list(fields),
      Self.hex(body), Self.list(trailers),
    ].joined(separator: ";")
  }

  private static func list(_ fields: [(String, [UInt8])]) -> String {
    fields.map { hex($0.0.lowercased().utf8) + ":" + hex($0.1) }.joined(separator: ",")
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
