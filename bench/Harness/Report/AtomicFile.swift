/// A file that is either written whole or not at all.
enum AtomicFile {
  /// Writes `text` beside `path` and then moves it there. What is there and is no file, such as
  /// `/dev/stdout` or a pipe, is written to and stays what it is.
  static func write(_ text: String, to path: String) throws {
    if isSpecial(path) { return try put(text, into: open(path, O_WRONLY | O_CLOEXEC), path) { _ in } }
    let path = resolved(path)
    let temporary = path + ".\(getpid()).tmp"
    let file = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
    do {
      try put(text, into: file, path) { guard fsync($0) == 0 || errno == EINVAL else { throw failure(path) } }
      guard rename(temporary, path) == 0 else { throw failure(path) }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// Throws unless a file can be written there: better before a run than after it.
  static func checkWritable(_ path: String) throws {
    guard !path.isEmpty else { throw UsageError("cannot write to a file without a name") }
    if TextFile.isDirectory(path) { throw UsageError("cannot write \(path): it is a directory") }
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

  private static func put(
    _ text: String, into file: Int32, _ path: String, then body: (Int32) throws -> Void
  ) throws {
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    guard writeAll(text, to: file, interrupted: {}) else { throw failure(path) }
    try body(file)
  }

  private static func failure(_ path: String) -> UsageError {
    UsageError("cannot write \(path): \(String(cString: strerror(errno)))")
  }
}
