import UVHTTP

/// The files below the root, as one loop serves them.
///
/// A link may lead from one place below the root to another, and no further: the system's `realpath` says
/// where a file really is, and that is opened. (A process that can change directories below the root could
/// put a link in the way between the two. Don't let such processes be your enemies.)
final class Site {
  /// How long a file is served from memory before it is looked at again.
  private static let lifetime = Duration.seconds(1)
  /// How many files are remembered in each of the two generations.
  private static let maxPages = 256

  enum Content {
    case page(Page)
    case redirection(String)
    case listing(Bytes)
  }

  private let loop: EventLoop
  private let root: FilePath
  private let listsDirectories: Bool
  /// Those that were asked for lately, by the path of the request. Once they are many they become the older
  /// ones, and what was older and nobody asked for is forgotten.
  private var recent: [String: Page] = [:]
  private var older: [String: Page] = [:]

  init(_ loop: EventLoop, root: FilePath, listsDirectories: Bool) {
    self.loop = loop
    self.root = root
    self.listsDirectories = listsDirectories
  }

  /// The file or directory at the target of a request.
  func content(_ target: String) async throws(Failure) -> Content {
    let path = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[..<$0]) } ?? target
    let known = recent[path] ?? older[path]
    if let known, known.checked.duration(to: loop.now) < Self.lifetime { return .page(known) }
    let request = try RequestPath(path)
    // While one request looks whether a file has changed, others get it as it was.
    known?.checked = loop.now
    do throws(UVError) {
      if let content = try await find(path, request, known) { return content }
    } catch {
      forget(path)
      throw Failure(error)
    }
    forget(path)
    throw Failure(.notFound)
  }

  private func find(_ path: String, _ request: RequestPath, _ known: Page?) async throws(UVError) -> Content?
  {
    guard let place = try await real(root.appending(request.relative.components)) else { return nil }
    if request.endsWithSlash {
      do throws(UVError) {
        if let index = try await real(place.appending("index.html")) {
          return try await page(path, index, known).map { .page($0) }
        }
      } catch {
        guard error.code == .noSuchFile, listsDirectories else { throw error }
        return .listing(Listing.page(of: path, try await loop.files.scandir(place).value))
      }
    } else if let page = try await page(path, place, known) {
      return .page(page)
    } else if try await loop.files.stat(place).value.type == .directory {
      // The links of a directory's page are relative, so its own path has to end with a slash.
      return .redirection("\(path)/")
    }
    return nil
  }

  /// Where a file really is; nil if that is outside of the root.
  private func real(_ place: FilePath) async throws(UVError) -> FilePath? {
    let real = try await loop.files.realpath(place).value
    return real.starts(with: root) ? real : nil
  }

  /// The file at a place; nil if there is something else.
  private func page(_ path: String, _ real: FilePath, _ known: Page?) async throws(UVError) -> Page? {
    if let known, try await known.isSame(real, loop.files.stat(real).value) {
      remember(path, known)
      return known
    }
    // To open a pipe would wait for a writer.
    let file = try await loop.files.open(real, options: [.noFollow, .nonBlocking]).value
    let status = try await file.stat().value
    guard status.type == .regular else { return nil }
    let content: Page.Content =
      try await status.size > Page.maxBody ? .file(file) : .bytes(contents(of: file, Int(status.size)))
    let page = Page(real, content, status, at: loop.now)
    remember(path, page)
    return page
  }

  /// The bytes of a file. A read may give less than it could, and the file may have become shorter.
  private func contents(of file: File, _ count: Int) async throws(UVError) -> Bytes {
    var contents = Bytes()
    while contents.count < count {
      let more = try await file.read(count - contents.count, at: Int64(contents.count)).value
      if more.isEmpty { break }
      contents = contents.isEmpty ? more : Bytes(Array(contents) + more)
    }
    return contents
  }

  // MARK: Memory

  private func remember(_ path: String, _ page: Page) {
    if recent.count >= Self.maxPages {
      older = recent
      recent = [:]
    }
    recent[path] = page
  }

  private func forget(_ path: String) {
    recent[path] = nil
    older[path] = nil
  }
}
