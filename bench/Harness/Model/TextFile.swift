/// A file of text that somebody else wrote, such as the system below `/proc` and `/sys`.
enum TextFile {
  /// Its text; nil where there is no such file. It is an error when it cannot be read.
  static func text(of path: String) throws -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure(path)
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(file, &chunk, chunk.count)
      guard count >= 0 else { throw failure(path) }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  /// Its lines; none where it can't be read.
  static func lines(of path: String) -> [Substring] { ((try? text(of: path)) ?? "").split(separator: "\n") }

  static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func failure(_ path: String) -> UsageError {
    UsageError("cannot read \(path): \(String(cString: strerror(errno)))")
  }
}
