/// A file that is either written whole or not at all.
public enum AtomicFile {
  /// Writes `text` beside `path` and then moves it there. What is there and is no file, such as
  /// `/dev/stdout` or a pipe, is written to and stays what it is.
  public static func write(_ text: String, to path: String) throws {
    let bytes = Array(text.utf8)
    if isSpecial(path) {
      return try use(open(path, O_WRONLY | O_CLOEXEC), path) { try writeAll(bytes, to: $0, path: path) }
    }
    let path = resolved(path)
    let temporary = path + ".\(getpid()).tmp"
    let file = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
    do {
      try use(file, path) { file in
        try writeAll(bytes, to: file, path: path)
        guard fsync(file) == 0 || errno == EINVAL else { throw failure(path) }
      }
      guard rename(temporary, path) == 0 else { throw failure(path) }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// Throws unless a file can be written there: better before a run than after it.
  public static func checkWritable(_ path: String) throws {
    guard !path.isEmpty else { throw UsageError("cannot write to a file without a name") }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw UsageError("cannot write \(path): it is a directory")
    }
    let real = resolved(path)
    let directory = real.lastIndex(of: "/").map { String(real[...$0]) } ?? "."
    guard access(isSpecial(path) ? path : directory, W_OK) == 0 else { throw failure(path) }
  }

  private static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Where a link leads: the link itself is not to be replaced.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func use(_ file: Int32, _ path: String, _ body: (Int32) throws -> Void) throws {
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    try body(file)
  }

  private static func writeAll(_ bytes: [UInt8], to file: Int32, path: String) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
      if count < 0 && errno != EINTR { throw failure(path) }
      sent += max(count, 0)
    }
  }

  private static func failure(_ path: String) -> UsageError {
    UsageError("cannot write \(path): \(String(cString: strerror(errno)))")
  }
}
