#if os(Linux)
import Foundation
import Testing
import UV
import UVTestSupport

/// Watching a directory and all below it: rare names, late readers, and early ends.
@Suite struct TreeEdgeTests {
  @Test("A handler that comes late gets all that was kept, what the system still has, and then the end")
  func aHandlerThatIsLate() async throws {
    try await withTree { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      let root = model.root
      try await loop.work {
        for number in 0..<3000 { close(open("\(root)/\(number)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)) }
        rename(root, "\(root)-2")
      }.value
      // The watcher has read as much as it keeps.
      try await loop.sleep(for: .milliseconds(1)).value
      let ending = Request<UVError?>(loop) { done in
        watcher.start { result in
          switch result {
          case .success(let event?): model.take(event)
          case .success(nil): done(.success(nil))
          case .failure(let error): done(.success(error))
          }
        }
        return PendingRequest()
      }
      #expect(try await ending.value?.code == .noSuchFile)
      #expect(model.seen.count == 3001 && model.seen["."] == .rename)
    }
  }

  @Test("A name may be any bytes, and so may the names above it")
  func namesThatAreNoText() async throws {
    try await withTree { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      let (folder, file): ([CChar], [CChar]) = ([0x61, -1, -2, 0], [0x61, -1, -2, 0x2F, -128, 0])
      let root = model.root.utf8CString.dropLast() + [CChar(0x2F)]
      #expect(mkdir(root + folder, 0o755) == 0)
      while try await watcher.next().value?.name != FilePath(platformString: folder) {}
      close(open(root + file, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
      while try await watcher.next().value?.name != FilePath(platformString: file) {}
    }
  }

  @Test("A directory whose path is too long is reported with its error, and those above it are watched")
  func aPathThatIsTooLong() async throws {
    try await withTree { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      let name = String(repeating: "n", count: 250)
      var folders = [open(model.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)]
      defer {
        for folder in folders.dropLast().reversed() { unlinkat(folder, name, AT_REMOVEDIR) }
      }
      for _ in 0..<18 {
        #expect(mkdirat(folders.last!, name, 0o755) == 0)
        folders.append(openat(folders.last!, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
      }
      defer { for folder in folders { close(folder) } }
      var longest: FileEvent?
      while longest == nil {
        let event = try #require(try await watcher.next().value)
        if event.error != nil { longest = event }
      }
      #expect(longest?.kinds.contains(.rename) == true && longest?.error?.code == .nameTooLong)
      #expect(longest?.name?.string.utf8.count ?? 0 > 4095)
      let watched = [String](repeating: name, count: 16).joined(separator: "/")
      close(openat(folders[16], "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
      while try await watcher.next().value?.name?.string != "\(watched)/file" {}
      unlinkat(folders[16], "file", 0)
    }
  }

  @Test("A directory that can't be read is reported with its error, and watched once it can be")
  func anUnreadableDirectory() async throws {
    guard permissionsCount else { return }
    try await withTree { root in
      for name in ["a", "secret"] { mkdir("\(root)/\(name)", 0o755) }
      chmod("\(root)/secret", 0)
    } _: { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      #expect(
        model.errors["secret"]
          == UVError(.permissionDenied, operation: "fs_event", subject: "\(model.root)/secret"))
      chmod("\(model.root)/secret", 0o755)
      try await follow(watcher, model) { model.seen["secret"]?.contains(.rename) == true }
      try await expectEachFolderIsWatched(watcher, model)
    }
  }

  @Test("Directories below one that can't be searched are reported, too, and watched once it can be")
  func belowAnUnreadableDirectory() async throws {
    guard permissionsCount else { return }
    try await withTree { root in
      for name in ["a", "a/b", "a/b/c"] { mkdir("\(root)/\(name)", 0o755) }
      chmod("\(root)/a", 0o400)
    } _: { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      #expect(model.errors["a"] == nil && model.errors["a/b"]?.code == .permissionDenied)
      chmod("\(model.root)/a", 0o755)
      try await follow(watcher, model) { model.seen["a/b/c"]?.contains(.rename) == true }
      try await expectEachFolderIsWatched(watcher, model)
      // One that comes there meanwhile, too.
      let inner = open("\(model.root)/a/b", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(inner) }
      chmod("\(model.root)/a", 0o400)
      mkdirat(inner, "new", 0o755)
      try await follow(watcher, model) { model.errors["a/b/new"]?.code == .permissionDenied }
      chmod("\(model.root)/a", 0o755)
      try await follow(watcher, model) { model.isRight }
      try await expectEachFolderIsWatched(watcher, model)
    }
  }

  @Test("A reader that is cancelled amid the first scan may ask again")
  func aCancelledReader() async throws {
    try await withTree { root in
      for number in 0..<2000 { mkdir("\(root)/\(number)", 0o755) }
    } _: { loop, watcher, model in
      for _ in 0..<3 {
        let reading = loop.spawn { () async throws(UVError) in try await watcher.next().value }
        try await loop.sleep(for: .zero).value
        reading.cancel()
        do throws(UVError) { try await reading.value.map(model.take) } catch {
          #expect(error.code == .cancelled)
        }
      }
      try await follow(watcher, model) { model.completions == 1 }
      try await expectEachFolderIsWatched(watcher, model)
    }
  }

  @Test("A loop that ends closes the descriptors of a watcher that the program still holds")
  func aWatcherThatOutlivesItsLoop() async throws {
    try await withTemporaryDirectory { directory in
      for number in 0..<2000 { mkdir("\(directory)/\(number)", 0o755) }
      try await withThread {
        for closes in [false, true] {
          let loop = try EventLoop()
          let watcher = try loop.runCallbacks { loop in
            let watcher = try loop.files.watch(directory, recursive: true)
            loop.sleep(for: .milliseconds(1)) { _ in
              if closes { watcher.close() }
              loop.stop()
            }
            return watcher
          }
          loop.shutdown()
          #expect(!openDescriptors().values.contains { $0.contains("inotify") })
          #expect(watcher.isClosing)
        }
      }
    }
  }

  @Test("A watcher of a tree is a watcher of files in a list of a loop's handles")
  func theHandlesType() async throws {
    try await withTree { loop, watcher, model in
      try await follow(watcher, model) { model.completions == 1 }
      #expect(loop.handles.contains { $0.type == .fileEvent && $0.isActive && !$0.keepsLoopRunning })
    }
  }
}
#endif
