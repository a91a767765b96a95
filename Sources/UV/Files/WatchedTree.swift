#if os(Linux) || os(Android)
import CUV

/// The part of a ``FileWatcher`` that watches a directory and all below it, by inotify.
///
/// inotify watches single folders. So the tree of folders is kept here, each with its watch. Two things happen by
/// turns, never at once: events are read, and the thread pool looks at folders, which are watched and then listed.
/// A finding is newer than the events that haven't been read yet. So each finding is proven: when all events have been
/// read that there were, the folder must still be where it was found. See Design/0064.
final class WatchedTree {
  /// How many folders go to the thread pool at once, and how many watches are ended.
  static let folders = 128, watches = 512
  /// How many bytes of events are read before the loop goes on with other work.
  static let readSize = 16 << 10, reads = 8
  /// How long the second half of a move may take. The system writes it right after the first.
  private static let moveTime = Duration.milliseconds(10)
  /// Clocks of file systems may be coarse.
  private static let clockMargin: Int64 = 2_000_000_000

  /// Sound: the watcher owns this, and calls it only while something holds the watcher.
  unowned let watcher: FileWatcher
  let descriptors: TreeDescriptors
  let tree = FolderTree()

  /// Folders to look at. Each of these, and of the postponed ones, has a look that is due.
  var queue = Queue<WatchedFolder>()
  /// Folders to look at as soon as they have a path again.
  var postponed: [WatchedFolder] = []
  /// The folders that the thread pool looks at.
  var looked: [(folder: WatchedFolder, path: [CChar], look: WatchedFolder.Look)] = []
  /// A folder of which a part has been listed.
  var listing: (folder: WatchedFolder, look: WatchedFolder.Look)?
  /// The result of one look at a path, until it is proven.
  struct Finding {
    let folder: WatchedFolder
    let path: [CChar]
    let isAbsent: Bool
    /// How many moves had been reported then.
    let moveCount: Int
  }

  /// The last finding of each folder.
  var unproven: [ObjectIdentifier: Finding] = [:]
  /// Moves whose second half hasn't come, each with its old parent.
  var moves: [UInt32: (folder: WatchedFolder, parent: WatchedFolder)] = [:]
  private var isWaitingForMoves = false
  var isLooking = false
  private var isComplete = false
  /// All that happened before this time has been read.
  private var quietTime = cuv_folder_time()
  /// Since when events may have been lost; nil if none have been, or the tree has been looked through since.
  var lossTime: Int64?

  init(_ watcher: FileWatcher, _ descriptors: TreeDescriptors) throws(UVError) {
    self.watcher = watcher
    self.descriptors = descriptors
    let found = descriptors.look(at: [order([0], .silent)], ending: [], goesOn: nil)
    for code in [found.code, found.folders.first?.code ?? 0] where code < 0 { throw watchError(code, nil) }
    looked = [(tree.root, [0], .silent)]
    take(found)
  }

  var isEnded: Bool { watcher.hasTreeEnded }

  /// Takes the next step: looks at folders, or waits for events.
  func goOn() {
    if isLooking { return }
    if isEnded || watcher.isFull || startLooking() { return watcher.poll(false) }
    if !isComplete, unproven.isEmpty, moves.isEmpty, postponed.isEmpty {
      isComplete = true
      lossTime = nil
      watcher.report(FileEvent(kinds: .complete, name: nil))
    }
    watcher.poll(!isEnded)
  }

  // MARK: Reading events

  /// Reads events, and then goes on. Called when there may be some, and when the thread pool has looked.
  func readEvents() {
    if isEnded || isLooking || watcher.isFull { return goOn() }
    let time = cuv_folder_time()
    var isDrained = false
    withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 8) { buffer in
      for _ in 0..<Self.reads where !isDrained && !isEnded && !watcher.isFull {
        let count = cuv_inotify_read(descriptors.events, buffer.baseAddress!, buffer.count)
        if count < 0 { return watcher.end(watchError(Int32(count), nil)) }
        handle(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        isDrained = count < buffer.count && cuv_readable_bytes(descriptors.events) == 0
      }
    }
    if isDrained, !isEnded {
      quietTime = time
      for folder in postponed { queue.append(folder) }
      postponed = []
      if moves.isEmpty { prove() } else { waitForMoves() }
    }
    goOn()
  }

  /// All events that happened before the last looks have been read.
  private func prove() {
    let findings = unproven.values
    unproven = [:]
    for finding in findings where !isEnded {
      let (folder, path, isAbsent) = (finding.folder, finding.path, finding.isAbsent)
      guard let now = tree.path(of: folder) else { continue }
      // The path may have been another folder's for a while.
      if now != path || tree.hasMoved(folder, since: finding.moveCount) {
        enqueue(folder, isAbsent ? .everything : .silent)
      } else if isAbsent, folder.look == .none, folder.parent != nil {
        // Nothing has come there since.
        report(.rename, path)
        tree.remove(folder)
      }
    }
  }

  private func waitForMoves() {
    if isWaitingForMoves { return }
    isWaitingForMoves = true
    let cookies = Array(moves.keys)
    watcher.loop.sleep(for: Self.moveTime) { [weak watcher] result in
      if case .success = result { watcher?.movesAreOver(cookies) }
    }
  }

  /// Folders whose move has no second half have left the tree.
  func settle(_ cookies: [UInt32]) {
    isWaitingForMoves = false
    // Events are read later, and moves waited for again.
    if isEnded || isLooking || watcher.isFull { return }
    readEvents()
    for cookie in cookies {
      guard let move = moves.removeValue(forKey: cookie) else { continue }
      withExtendedLifetime(move.parent) { tree.remove(move.folder) }
    }
    readEvents()
  }

  /// Events have been lost: the whole tree is looked at.
  func lose() {
    watcher.report(FileEvent(kinds: .overflow, name: nil))
    lossTime = min(lossTime ?? .max, quietTime - Self.clockMargin)
    isComplete = false
    enqueue(tree.root, .changes)
  }

  // MARK: Telling

  func report(_ kinds: FileEvent.Kinds, _ path: [CChar]?, _ error: UVError? = nil) {
    guard let path, !isEnded else { return }
    watcher.report(FileEvent(kinds: kinds, name: path.count == 1 ? "." : filePath(path), error: error))
  }

  private func filePath(_ path: [CChar]) -> FilePath {
    path.withUnsafeBufferPointer { FilePath(platformString: $0.baseAddress!) }
  }

  func watchError(_ code: Int32, _ path: [CChar]?) -> UVError {
    let code = UVError.Code(rawValue: code)
    let root = watcher.treePath ?? ""
    let subject = path.map { $0.count == 1 ? root : root.pushing(filePath($0)) } ?? root
    if code != .noSpace { return UVError(code, operation: "fs_event", subject: subject.string) }
    return UVError(
      code, operation: "fs_event", subject: subject.string,
      message: "no more directories can be watched: raise the limit with sysctl fs.inotify.max_user_watches"
    )
  }
}

/// A watcher of a directory and all below it; see ``WatchedTree``.
extension FileWatcher {
  /// Whether the program has to ask before more is read.
  var isFull: Bool { unasked.count >= Self.limit }

  /// Whether nothing more is to be reported.
  var hasTreeEnded: Bool { ending != nil || isClosing }

  func report(_ event: FileEvent) { report(event, limit: .max) }

  /// The tree can't be watched any more.
  func end(_ error: UVError) {
    if ending == nil { ending = error }
  }

  /// The directory at the top has been moved, removed or unmounted.
  func rootHasChanged(isGone: Bool) {
    tree?.report(.rename, [0])
    if hasTreeEnded { return }
    if isGone { end(UVError(.noSuchFile, operation: operation, subject: treePath?.string)) }
    endUnlessAtPath()
  }

  /// Waits for events of the tree, or doesn't.
  func poll(_ isWanted: Bool) {
    isTreeWaiting = isFull
    if isWanted == isPolling || isClosing { return }
    isPolling = isWanted
    if isWanted {
      // It fails only for a handle that is closing.
      try? check(uv_poll_start(poll, PollEvents.readable.rawValue, treeChanged), "poll_start")
    } else {
      uv_poll_stop(poll)
    }
  }

  fileprivate func treeHasEvents() { produce { tree?.readEvents() } }

  func didLook(_ found: TreeLook) { goOnAfter { tree?.didLook(found) } }

  func movesAreOver(_ cookies: [UInt32]) { goOnAfter { tree?.settle(cookies) } }

  /// Does the work of a request's completion.
  private func goOnAfter(_ body: () -> Void) {
    body()
    finishIfDone()
    source.pauseIfUnwanted()
  }
}

private func treeChanged(_ handle: UnsafeMutablePointer<uv_poll_t>?, _: Int32, _: Int32) {
  idleOwner(of: handle!, as: FileWatcher.self)?.treeHasEvents()
}
#endif
