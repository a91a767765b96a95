#if os(Linux) || os(Android)
import CUV

/// A folder of a ``FolderTree``.
final class WatchedFolder {
  /// How much of the folder's contents is reported after a look.
  enum Look: UInt8, Comparable, Sendable {
    /// No look is due.
    case none
    /// Nothing: the program hasn't seen the tree yet, or knows the folder.
    case silent
    /// The names that have come or changed since events were lost.
    case changes
    /// Everything: the folder has come.
    case everything

    static func < (a: Look, b: Look) -> Bool { a.rawValue < b.rawValue }
  }

  /// Nil for the root, and for a folder that has left the tree. Sound: a folder that has a parent is one of
  /// its children, or a move that isn't over keeps the parent.
  unowned var parent: WatchedFolder?
  /// The name's bytes, without a NUL.
  var name: [CChar]
  var children: [[CChar]: WatchedFolder] = [:]
  /// The number of its watch; -1 if it has none.
  var watch: Int32 = -1
  /// The cookie of a move whose second half hasn't come; 0 if there is none.
  var cookie: UInt32 = 0
  /// The watch of the folder that was found elsewhere and left this one in its place; -1 for none.
  var predecessor: Int32 = -1
  /// Whether it has come by a move, or onto another folder. If the two have changed places, the other half of that may
  /// not be reported yet, and be reported as a move of this one.
  var mayBeExchanged = false
  /// The number of its last move; see ``FolderTree/moveCount``.
  var lastMove = 0
  var look = Look.none
  /// Whether the listing of its parent that is under way has had it.
  var isSeen = false

  init(_ name: [CChar], of parent: WatchedFolder?) {
    self.name = name
    self.parent = parent
  }
}

/// The folders of a watched tree, each with its name and its watch. Nothing here makes a system call.
///
/// A folder that leaves the tree takes all below it along. There may be many, so that they are taken apart
/// in steps; see ``watchesToEnd(limit:)``.
final class FolderTree {
  let root = WatchedFolder([], of: nil)
  /// How often folders have left a place, or come to one.
  private(set) var moveCount = 0
  private var watched: [Int32: WatchedFolder] = [:]
  /// Folders that have left the tree, and are to be taken apart.
  private var leaving: [WatchedFolder] = []
  /// Watches that belong to no folder, and are to be ended.
  private var unwanted: Set<Int32> = []
  /// Folders that can't be watched or listed at present.
  private var leftOut: [ObjectIdentifier: WatchedFolder] = [:]

  deinit {
    // One by one: a deep tree that goes at once would need a deep stack.
    leaving.append(root)
    while let folder = leaving.popLast() {
      leaving += folder.children.values
      folder.children = [:]
    }
  }

  var count: Int { watched.count }

  /// Whether watches are to be ended.
  var hasUnwanted: Bool { !leaving.isEmpty || !unwanted.isEmpty }

  func folder(ofWatch watch: Int32) -> WatchedFolder? { watched[watch] }

  /// The path below the root, with a NUL; nil if the folder isn't in the tree, and amid a move of it or of a folder
  /// above it.
  func path(of folder: WatchedFolder, _ name: [CChar] = []) -> [CChar]? {
    var names = [name]
    var top = folder
    while let parent = top.parent {
      if top.cookie != 0 { return nil }
      names.append(top.name)
      top = parent
    }
    if top !== root { return nil }
    var path: [CChar] = []
    path.reserveCapacity(names.reduce(1) { $0 + $1.count + 1 })
    for name in names.reversed() where !name.isEmpty {
      if !path.isEmpty { path.append(CChar(UInt8(ascii: "/"))) }
      path += name
    }
    path.append(0)
    return path
  }

  func isInTree(_ folder: WatchedFolder) -> Bool { isBelow(folder, root) }

  /// Whether a folder is another one, or below it.
  func isBelow(_ folder: WatchedFolder, _ other: WatchedFolder) -> Bool {
    var top = folder
    while top !== other {
      guard let parent = top.parent else { return false }
      top = parent
    }
    return true
  }

  /// Whether a folder, or one above it, has moved since there were so many moves. It may have come back since.
  func hasMoved(_ folder: WatchedFolder, since count: Int) -> Bool {
    var next: WatchedFolder? = folder
    while let top = next {
      if top.lastMove > count { return true }
      next = top.parent
    }
    return false
  }

  func add(_ name: [CChar], to parent: WatchedFolder) -> WatchedFolder {
    let folder = WatchedFolder(name, of: parent)
    parent.children[name] = folder
    return folder
  }

  /// Takes a folder out, with all below it.
  func remove(_ folder: WatchedFolder) {
    if let parent = folder.parent, parent.children[folder.name] === folder {
      parent.children[folder.name] = nil
    }
    folder.parent = nil
    folder.cookie = 0
    leaving.append(folder)
  }

  /// A folder has left its place. Where it goes is reported later.
  func leave(_ folder: WatchedFolder, from parent: WatchedFolder, cookie: UInt32) {
    parent.children[folder.name] = nil
    folder.cookie = cookie
    countMove(of: folder)
  }

  private func countMove(of folder: WatchedFolder) {
    moveCount += 1
    folder.lastMove = moveCount
  }

  /// Moves a folder to another place, with all below it. A folder that was there leaves the tree.
  func move(_ folder: WatchedFolder, to parent: WatchedFolder, as name: [CChar]) {
    if let old = folder.parent, old.children[folder.name] === folder { old.children[folder.name] = nil }
    if let other = parent.children[name] { remove(other) }
    folder.parent = parent
    folder.name = name
    (folder.cookie, folder.predecessor) = (0, -1)
    countMove(of: folder)
    parent.children[name] = folder
  }

  /// Keeps a folder that can't be watched or listed, without what was known below it.
  func leaveOut(_ folder: WatchedFolder) {
    for child in folder.children.values { remove(child) }
    leftOut[ObjectIdentifier(folder)] = folder
  }

  /// The folders that were left out, among a folder and all below it. They are tried again.
  func takeLeftOut(from top: WatchedFolder) -> [WatchedFolder] {
    let folders = leftOut.values.filter { isBelow($0, top) }
    for folder in folders { leftOut[ObjectIdentifier(folder)] = nil }
    return folders
  }

  func setWatch(_ watch: Int32, of folder: WatchedFolder) {
    unwanted.remove(watch)
    watched[watch] = folder
    folder.watch = watch
  }

  /// The system has ended a watch, or another folder takes it over.
  func dropWatch(of folder: WatchedFolder) {
    if watched[folder.watch] === folder { watched[folder.watch] = nil }
    unwanted.remove(folder.watch)
    folder.watch = -1
  }

  /// A watch turns out to be of no use.
  func end(watch: Int32) {
    if watched[watch] == nil { unwanted.insert(watch) }
  }

  /// Takes apart some of the folders that have left the tree.
  ///
  /// - Returns: The watches to end now, at most `limit`.
  func watchesToEnd(limit: Int) -> [Int32] {
    var steps = 0
    while steps < limit, unwanted.count < limit, let folder = leaving.popLast() {
      steps += 1
      leftOut[ObjectIdentifier(folder)] = nil
      for child in folder.children.values {
        child.parent = nil
        leaving.append(child)
      }
      folder.children = [:]
      if folder.watch < 0 { continue }
      let watch = folder.watch
      assert(watched[watch] === folder, "a watch belongs to one folder")
      dropWatch(of: folder)
      unwanted.insert(watch)
    }
    let watches = Array(unwanted.prefix(limit))
    unwanted.subtract(watches)
    return watches
  }
}
#endif
