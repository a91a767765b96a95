import UVHTTP

/// A file as a loop remembers it: with its bytes if they are few, else open.
final class Page {
  /// The most bytes of a file that is kept in memory.
  static let maxBody = 64 * 1024

  enum Content {
    case bytes(Bytes)
    case file(File)
  }

  let content: Content
  let size: Int
  let modified: HTTPDate
  /// The file's version, as a client names it.
  let tag: String
  let type: String
  /// The head of an answer with the whole file.
  let response: HTTPResponse
  let head: HTTPPreparedHead
  /// Where the file is, without links.
  private let path: FilePath
  private let status: FileStatus
  /// When it was last looked at whether the file has changed.
  var checked: LoopClock.Instant

  init(_ path: FilePath, _ content: Content, _ status: FileStatus, at now: LoopClock.Instant) {
    self.path = path
    self.content = content
    self.status = status
    checked = now
    size = if case .bytes(let bytes) = content { bytes.count } else { Int(status.size) }
    modified = HTTPDate(since1970: status.modificationTime)
    let (seconds, attoseconds) = status.modificationTime.components
    let nanoseconds = Int(seconds) &* 1_000_000_000 &+ Int(attoseconds / 1_000_000_000)
    tag = "\"\(String(nanoseconds, radix: 16))-\(String(size, radix: 16))\""
    type = MediaType.of(path)
    response = .plain(
      .ok, [.contentType: type, .eTag: tag, .lastModified: "\(modified)", .acceptRanges: "bytes"])
    head = HTTPPreparedHead(response)
  }

  /// Whether the file is still the same, as far as its status says.
  func isSame(_ path: FilePath, _ other: FileStatus) -> Bool {
    path == self.path && other.inode == status.inode && other.device == status.device
      && other.size == status.size
      && other.changeTime == status.changeTime && other.modificationTime == status.modificationTime
  }
}
