/// Small files in which the system tells about itself.
enum SystemFile {
  /// The text of a file below `/proc` or `/sys`, or nil.
  static func text(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(file, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The first line of such a file, or nil.
  static func line(_ path: String) -> String? {
    text(path)?.split(separator: "\n").first.map(String.init)
  }
}
