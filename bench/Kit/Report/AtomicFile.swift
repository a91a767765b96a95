#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that is either written whole or not at all.
public enum AtomicFile {
  /// Writes `text` beside `path` and then moves it there.
  public static func write(_ text: String, to path: String) throws {
    let temporary = path + ".\(getpid()).tmp"
    let file = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw failure(path) }
    do {
      try writeAll(Array(text.utf8), to: file, path: path)
      guard fsync(file) == 0 || errno == EINVAL else { throw failure(path) }
      close(file)
      guard rename(temporary, path) == 0 else { throw failure(path) }
    } catch {
      close(file)
      unlink(temporary)
      throw error
    }
  }

  /// Throws unless a file can be written there: better before a run than after it.
  public static func checkWritable(_ path: String) throws {
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard access(directory, W_OK) == 0 else { throw failure(path) }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw UsageError("cannot write \(path): it is a directory")
    }
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

// The name of the C library, which the method of the same name hides.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, bytes, count)
}
