import UV

/// A file as a loop remembers it: with its bytes if they are few, else open.
final class Page {
  /// The most bytes of a file that is kept in memory.
  static let maxBody = 64 * 1024

  enum Content {
    case bytes(Bytes)
    case file(File)
  }

  /// Where the file is, without links.
  let path: FilePath
  let content: Content
  let size: Int
  /// The seconds since the beginning of 1970.
  let modificationTime: Int
  /// The file's version, as a client names it.
  let tag: Bytes
  let lastModified: Bytes
  let type: Bytes
  /// The fields that all answers about the file have.
  let fields: Bytes
  /// The head of an answer with the whole file, but for what depends on the time and the connection.
  let head: Bytes
  private let status: FileStatus
  /// When it was last looked at whether the file has changed.
  var checked: LoopClock.Instant

  init(_ path: FilePath, _ content: Content, _ status: FileStatus, at now: LoopClock.Instant) {
    self.path = path
    self.content = content
    self.status = status
    checked = now
    size = if case .bytes(let bytes) = content { bytes.count } else { Int(status.size) }
    let (seconds, attoseconds) = status.modificationTime.components
    modificationTime = Int(seconds)
    let nanoseconds = Int(seconds) &* 1_000_000_000 &+ Int(attoseconds / 1_000_000_000)
    tag = Bytes("\"\(String(nanoseconds, radix: 16))-\(String(size, radix: 16))\"")
    lastModified = HTTPDate.text(modificationTime)
    type = MediaType.of(path)
    fields = Bytes("etag: \(tag)\r\nlast-modified: \(lastModified)\r\naccept-ranges: bytes\r\n")
    head = Bytes("HTTP/1.1 200 OK\r\ncontent-type: \(type)\r\ncontent-length: \(size)\r\n\(fields)")
  }

  /// Whether the file is still the same, as far as its status tells.
  func isSame(_ path: FilePath, _ other: FileStatus) -> Bool {
    path == self.path && other.inode == status.inode && other.device == status.device
      && other.size == status.size
      && other.changeTime == status.changeTime && other.modificationTime == status.modificationTime
  }
}
