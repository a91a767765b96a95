#if HTTP || Everything
import HTTPTypes
import UV
import UVHTTP

/// A file as a loop remembers it: what its answers have in common, and its bytes once somebody has asked for them, if
/// they are few.
final class Page {
  /// Where the file is, without links.
  let path: FilePath
  /// The content coding of its bytes; nil for none.
  let coding: String?
  let size: Int
  let tag: EntityTag
  let modified: HTTPDate
  let type: String
  /// The head of an answer with the whole file.
  let response: HTTPResponse
  let head: HTTPPreparedHead
  /// Whether its bytes are few enough to be kept.
  let isSmall: Bool
  private let status: FileStatus
  private(set) var bytes: Bytes?
  /// The open file, while an answer needs it. Others share it.
  weak var file: File?

  /// The properties that the pages of one name share.
  struct Kind: Equatable {
    let type: String
    let cacheControl: String?
    /// Whether there are versions in other codings.
    let varies: Bool
    let tagsAreWeak: Bool
    /// The size of the largest file whose bytes are kept.
    let largestInMemory: Int
  }

  let kind: Kind

  init(_ path: FilePath, _ status: FileStatus, coding: String? = nil, _ kind: Kind) {
    (self.path, self.status, self.coding, self.kind) = (path, status, coding, kind)
    size = Int(status.size)
    isSmall = size <= kind.largestInMemory
    tag = EntityTag(status, coding: coding, isWeak: kind.tagsAreWeak)
    modified = HTTPDate(since1970: status.modificationTime)
    type = kind.type
    var fields: HTTPFields = [
      .contentType: type, .eTag: "\(tag)", .lastModified: "\(modified)", .acceptRanges: "bytes",
    ]
    fields[.contentEncoding] = coding
    fields[.cacheControl] = kind.cacheControl
    if kind.varies { fields[.vary] = "Accept-Encoding" }
    response = .plain(.ok, fields)
    head = HTTPPreparedHead(response)
  }

  /// The head of an answer that needs no bytes, since the client has them (RFC 9110, 15.4.5).
  var notModified: HTTPResponse {
    var response = HTTPResponse(status: .notModified)
    for name in [HTTPField.Name.eTag, .lastModified, .cacheControl, .vary] {
      response.headerFields[name] = self.response.headerFields[name]
    }
    return response
  }

  /// Whether the file is still the same, as far as its status says.
  func isOf(_ path: FilePath, _ other: FileStatus) -> Bool { path == self.path && isOf(other) }

  func isOf(_ other: FileStatus) -> Bool {
    other.inode == status.inode && other.device == status.device && other.size == status.size
      && other.changeTime == status.changeTime && other.modificationTime == status.modificationTime
  }

  /// Its bytes have been read.
  func keep(_ bytes: Bytes) { self.bytes = bytes }

  /// The memory that it takes, and what is around it.
  var cost: Int { 1024 + (bytes?.count ?? 0) }
}

/// A file, and the versions of it in other codings. They have one name.
final class Resource {
  let plain: Page
  private let versions: [Page]
  private let codings: [String]
  /// When it was last looked at whether something has changed.
  var checked: LoopClock.Instant

  init(_ plain: Page, _ versions: [Page], at now: LoopClock.Instant) {
    (self.plain, self.versions, checked) = (plain, versions, now)
    codings = versions.compactMap(\.coding)
  }

  /// The version that a client likes best.
  func page(for fields: HTTPFields) -> Page {
    guard !codings.isEmpty, let coding = fields.preferredContentCoding(of: codings),
      let index = codings.firstIndex(of: coding)
    else { return plain }
    return versions[index]
  }

  var pages: [Page] { [plain] + versions }

  /// The memory that it takes.
  var cost: Int { versions.reduce(plain.cost) { $0 + $1.cost } }
}
#endif
