#if HTTP || Everything
import UV
import UVHTTP

/// The files below the root, as one loop serves them.
///
/// A link may lead from one place below the root to another, and no further: the system's `realpath` says
/// where a file really is, and that is opened. (A process that can change directories below the root could
/// put a link in the way between the two. Don't let such processes be your enemies.)
final class Site {
  /// How long a file is served as it was before it is looked at again.
  private static let lifetime = Duration.seconds(1)
  /// The end of the name of a version that is coded.
  private static let ends = ["br": ".br", "zstd": ".zst", "gzip": ".gz"]

  enum Content {
    case resource(Resource)
    case redirection
    case listing(Bytes)
  }

  /// The contents of a file, for an answer.
  enum Body {
    case bytes(Bytes)
    case file(File)
  }

  let loop: EventLoop
  let options: HTTPFilesOptions
  private let root: FilePath
  /// Where the root is, without links. It is looked at again, too: a new version of a site often is a link that is changed.
  private var realRoot: (path: FilePath, checked: LoopClock.Instant)?
  private var memory: PageMemory

  init(_ loop: EventLoop, root: FilePath, _ options: HTTPFilesOptions) {
    (self.loop, self.root, self.options) = (loop, root, options)
    memory = PageMemory(limit: options.memory)
  }

  /// A file that was looked at a moment ago; nil if it has to be looked at again.
  func fresh(_ path: String) -> Resource? {
    guard let known = memory[path], isFresh(known.checked) else { return nil }
    return known
  }

  private func isFresh(_ checked: LoopClock.Instant) -> Bool {
    checked.duration(to: loop.now) < Self.lifetime
  }

  /// The file or directory of a path without a query.
  func content(_ path: String) async throws(Failure) -> Content {
    if let known = fresh(path) { return .resource(known) }
    let request = try RequestPath(path)
    // While one request looks whether a file has changed, others get it as it was.
    memory[path]?.checked = loop.now
    do throws(Failure) {
      let wasKnown = realRoot.map { isFresh($0.checked) } ?? false
      do throws(Failure) { return try await look(path, request) } catch {
        // Another root may have taken the place of the one that is remembered.
        guard case .status(.notFound) = error, wasKnown else { throw error }
        realRoot = nil
        return try await look(path, request)
      }
    } catch {
      memory.forget(path)
      throw error
    }
  }

  private func look(_ path: String, _ request: RequestPath) async throws(Failure) -> Content {
    let root = try await currentRoot()
    do throws(UVError) {
      if let content = try await find(path, request, below: root) {
        if case .resource(let resource) = content {
          memory.remember(path, resource)
        } else {
          memory.forget(path)
        }
        return content
      }
    } catch { throw Failure(error) }
    throw Failure.status(.notFound)
  }

  private func currentRoot() async throws(Failure) -> FilePath {
    if let realRoot, isFresh(realRoot.checked) { return realRoot.path }
    do throws(UVError) {
      let path = try await loop.files.realpath(root).value
      realRoot = (path, loop.now)
      return path
    } catch { throw Failure(ofRoot: error) }
  }

  private func find(
    _ path: String, _ request: RequestPath, below root: FilePath
  ) async throws(UVError) -> Content? {
    let place = root.appending(request.relative.components)
    guard let (real, status) = try await look(place, below: root) else { return nil }
    switch status.type {
    case .regular where !request.endsWithSlash:
      return .resource(try await resource(path, place, request.relative, real, status, below: root))
    case .directory where !request.endsWithSlash: return .redirection
    case .directory:
      for name in options.indexPages {
        let page = place.appending(name)
        guard let (real, status) = try await lookIfThere(page, below: root), status.type == .regular else {
          continue
        }
        return .resource(
          try await resource(path, page, request.relative.appending(name), real, status, below: root))
      }
      guard options.listsDirectories else { return nil }
      let entries = try await loop.files.scandir(real).value
      return .listing(Listing.page(of: path, isRoot: request.relative.isEmpty, entries))
    default: return nil
    }
  }

  /// Where a file really is, and its status; nil if that is outside of the root.
  private func look(
    _ place: FilePath, below root: FilePath
  ) async throws(UVError) -> (path: FilePath, status: FileStatus)? {
    let real = try await loop.files.realpath(place).value
    guard real.starts(with: root) else { return nil }
    return (real, try await loop.files.stat(real).value)
  }

  /// The same for a file that there needn't be.
  private func lookIfThere(
    _ place: FilePath, below root: FilePath
  ) async throws(UVError) -> (path: FilePath, status: FileStatus)? {
    do throws(UVError) { return try await look(place, below: root) } catch {
      if case .status(.notFound) = Failure(error) { return nil }
      throw error
    }
  }

  /// A file and its versions. What hasn't changed stays as it was, and as another request has found it meanwhile.
  private func resource(
    _ path: String, _ place: FilePath, _ relative: FilePath, _ real: FilePath, _ status: FileStatus,
    below root: FilePath
  ) async throws(UVError) -> Resource {
    var versions: [(path: FilePath, status: FileStatus, coding: String?)] = [(real, status, nil)]
    for coding in options.contentCodings {
      guard let end = Self.ends[coding],
        let (real, other) = try await lookIfThere(place.appendingToName(end), below: root),
        other.type == .regular,
        HTTPDate(since1970: other.modificationTime) >= HTTPDate(since1970: status.modificationTime)
      else { continue }
      versions.append((real, other, coding))
    }
    let kind = Page.Kind(
      type: relative.extension.flatMap { options.mediaTypes[$0.lowercased()] } ?? MediaTypes.unknown,
      cacheControl: options.cacheControl(relative), varies: versions.count > 1,
      tagsAreWeak: options.tagsAreWeak,
      largestInMemory: memory.hasRoom(for: options.largestInMemory)
        ? options.largestInMemory : options.memory / 2)
    let pages = versions.map { version in
      memory[path]?.pages.first {
        $0.isOf(version.path, version.status) && $0.coding == version.coding && $0.kind == kind
      } ?? Page(version.path, version.status, coding: version.coding, kind)
    }
    return Resource(pages[0], Array(pages.dropFirst()), at: loop.now)
  }

  // MARK: Bytes

  /// Opens the contents of a page.
  ///
  /// - Returns: The page, or another one of the same name if the file has just changed.
  func open(_ page: Page, of resource: Resource, _ path: String) async throws(Failure) -> (
    page: Page, body: Body
  ) {
    if let bytes = page.bytes { return (page, .bytes(bytes)) }
    do throws(UVError) {
      let (file, status) = try await opened(page)
      var current = page
      if !page.isOf(status) {
        memory.forget(path)
        current = Page(page.path, status, coding: page.coding, page.kind)
      }
      guard current.isSmall else {
        // Another answer may have opened it meanwhile.
        let shared = current.file ?? file
        current.file = shared
        return (current, .file(shared))
      }
      let bytes = try await contents(of: file, current.size)
      current.keep(bytes)
      if current === page, memory[path] === resource { memory.remember(path, resource) }
      return (current, .bytes(bytes))
    } catch {
      memory.forget(path)
      throw Failure(error)
    }
  }

  private func opened(_ page: Page) async throws(UVError) -> (file: File, status: FileStatus) {
    if let file = page.file {
      let status = try await file.stat().value
      if page.isOf(status) { return (file, status) }
    }
    // A link may have taken the file's place, and a pipe: to open one would wait for a writer.
    let file = try await loop.files.open(page.path, options: [.noFollow, .nonBlocking]).value
    let status = try await file.stat().value
    if status.type != .regular { throw UVError(.noSuchFile, operation: "open", subject: "\(page.path)") }
    return (file, status)
  }

  /// The bytes of a file. A read may give less than it could.
  private func contents(of file: File, _ count: Int) async throws(UVError) -> Bytes {
    var parts: [Bytes] = []
    var rest = count
    while rest > 0 {
      let part = try await file.read(rest, at: Int64(count - rest)).value
      // The file has become shorter.
      if part.isEmpty { throw UVError(.endOfFile, operation: "read", subject: "\(file.path)") }
      parts.append(part)
      rest -= part.count
    }
    if parts.count == 1 { return parts[0] }
    var contents = BytesBuilder(capacity: count)
    for part in parts { contents.append(part) }
    return contents.takeBytes()
  }
}

extension FilePath {
  /// The path with more characters at its end, byte for byte.
  fileprivate func appendingToName(_ end: String) -> FilePath {
    withPlatformString { name in
      var bytes: [CChar] = []
      while name[bytes.count] != 0 { bytes.append(name[bytes.count]) }
      return FilePath(platformString: bytes + end.utf8.map { CChar($0) } + [0])
    }
  }
}
#endif
