import Glibc
import UV
import UVSimulation

/// A tree of folders that changes, by the loop's own operations and by those of threads, while watchers look it through and
/// follow it. Soon after the last change each follower knows what is there, by the reports alone.
func trees(_ world: World, _ ledger: Ledger) throws {
  world.node("a", mayBeBusy: false) { loop in
    let root = "/tmp/tree"
    for folder in [root, "/tmp/outside"] { try await loop.files.mkdir(folder).value }
    let paths = TreePaths()
    for _ in 0..<loop.draw(40) { paths.change(loop.draw) }
    var followers: [TreeFollower] = []
    for number in 0..<(1 + loop.draw(3)) {
      followers.append(try TreeFollower(loop, root, number))
      if loop.isDrawn(oneIn: 2) { try await loop.dawdle() }
    }
    let watcherThatIsClosed = try loop.files.watch(root, recursive: true)
    for round in 0..<(1 + loop.draw(12)) {
      switch loop.draw(3) {
      case 0:
        // A burst.
        for _ in 0..<loop.draw(60) { paths.change(loop.draw) }
      case 1:
        // A thread, which goes on between the looks of the pool.
        let seed = loop.draw(1 << 30)
        let changes = Shared(paths)
        try await loop.work {
          var state = UInt64(seed)
          for _ in 0..<30 {
            changes.value.change { bound in
              state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
              return Int((state >> 33) % UInt64(bound))
            }
            if state % 5 == 0 { usleep(UInt32(state >> 50)) }
          }
        }.value
      default:
        try? await loop.files.mkdir("\(root)/made\(round)").value
        try? await loop.files.writeFile("\(root)/made\(round)/file", Bytes("x")).value
      }
      try await loop.dawdle()
      if round == 3 { watcherThatIsClosed.close() }
    }
    watcherThatIsClosed.close()
    for follower in followers { try await follower.end() }
  }
}

/// Changes of a tree. The names are few, so that many changes meet.
private final class TreePaths {
  func change(_ draw: (Int) -> Int) {
    func path() -> String {
      var path = draw(8) == 0 ? "/tmp/outside" : "/tmp/tree"
      for _ in 0...draw(3) { path += "/" + ["a", "b", "c", "d"][draw(4)] }
      return path
    }
    let (first, second) = (path(), path())
    switch draw(10) {
    case 0...3: mkdir(first, 0o755)
    case 4: close(open(first, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
    case 5: rmdir(first)
    case 6: unlink(first)
    case 7: symlink("/tmp/outside", first)
    default: rename(first, second)
    }
  }
}

/// What somebody knows of a tree who has read it once, when the watcher said that it was complete, and looks since then only
/// where a report says so.
private final class TreeFollower {
  private let loop: EventLoop
  private let root: String
  private let number: Int
  private let watcher: FileWatcher
  private var paths: Set<String> = []
  private var isComplete = false
  private var following: LoopTask<Void, any Error>!
  /// By then all reports have come, and so has a look at a place that is reported twice.
  private static let patience = Duration.seconds(5)

  init(_ loop: EventLoop, _ root: String, _ number: Int) throws(UVError) {
    (self.loop, self.root, self.number) = (loop, root, number)
    watcher = try loop.files.watch(root, recursive: true)
    let isSlow = loop.isDrawn(oneIn: 3)
    following = loop.spawn { [self] () async throws in
      for try await event in watcher {
        take(event)
        if isSlow, loop.isDrawn(oneIn: 10) { try await loop.sleep(for: .milliseconds(30)).value }
      }
    }
  }

  nonisolated(nonsending) func end() async throws {
    let begin = loop.clock.now
    while !isComplete || paths != all("") {
      if begin.duration(to: loop.clock.now) > Self.patience {
        let there = all("")
        throw Violation(
          """
          follower \(number), complete: \(isComplete), doesn't know \(there.subtracting(paths).sorted()), \
          and knows \(paths.subtracting(there).sorted())
          """)
      }
      try await loop.sleep(for: .milliseconds(10)).value
    }
    watcher.close()
    try await following.value
  }

  private func take(_ event: FileEvent) {
    if event.kinds.contains(.complete), !isComplete {
      isComplete = true
      paths = all("")
    }
    guard isComplete, let name = event.name?.string else { return }
    if event.kinds.contains(.overflow) {
      let prefix = name == "." ? "" : name + "/"
      let (old, new) = (paths.filter { $0.hasPrefix(prefix) }, all(name == "." ? "" : name))
      for path in old where !new.contains(path) { paths.remove(path) }
      paths.formUnion(new)
    }
    guard event.kinds.contains(.rename), name != "." else { return }
    paths = paths.filter { $0 != name && !$0.hasPrefix(name + "/") }
    // A folder above it may be a link by now.
    let isInTree = name.indices.allSatisfy { name[$0] != "/" || isFolder("\(root)/\(name[..<$0])") }
    guard isInTree, kind("\(root)/\(name)") != nil else { return }
    add(name)
    if isFolder("\(root)/\(name)") { for path in all(name) { add(path) } }
  }

  /// What is at a path shows that the folders above it are there, too.
  private func add(_ path: String) {
    var path = path[...]
    while true {
      paths.insert(String(path))
      guard let slash = path.lastIndex(of: "/") else { return }
      path = path[..<slash]
    }
  }

  /// All paths below one.
  private func all(_ start: String) -> Set<String> {
    var (found, rest): (Set<String>, [String]) = ([], [start])
    while let folder = rest.popLast() {
      let path = folder.isEmpty ? root : "\(root)/\(folder)"
      guard isFolder(path), let stream = opendir(path) else { continue }
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        }
        if name == "." || name == ".." { continue }
        let below = folder.isEmpty ? name : "\(folder)/\(name)"
        found.insert(below)
        if isFolder("\(root)/\(below)") { rest.append(below) }
      }
    }
    return found
  }

  private func kind(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private func isFolder(_ path: String) -> Bool { kind(path) == S_IFDIR }
}
