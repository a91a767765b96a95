#if os(Linux) || os(Android)
import CUV

/// Looks at folders: which are due, and how the tree of folders follows from the findings.
extension WatchedTree {
  func enqueue(_ folder: WatchedFolder, _ look: WatchedFolder.Look) {
    if folder.look == .none { queue.append(folder) }
    folder.look = max(folder.look, look)
  }

  func startLooking() -> Bool {
    var orders: [FolderOrder] = []
    while orders.count < Self.folders, let folder = queue.popFirst() {
      guard let path = tree.path(of: folder) else {
        // A folder below one that moves has no path at the moment.
        if tree.isInTree(folder) { postponed.append(folder) } else { folder.look = .none }
        continue
      }
      looked.append((folder, path, folder.look))
      orders.append(order(path, folder.look))
      folder.look = .none
    }
    let goesOn = listing.map { order([0], $0.look) }
    if orders.isEmpty, goesOn == nil, !tree.hasUnwanted { return false }
    let watches = tree.watchesToEnd(limit: Self.watches)
    isLooking = true
    let descriptors = descriptors
    watcher.loop.work({ [orders] in descriptors.look(at: orders, ending: watches, goesOn: goesOn) }) {
      [weak watcher] result in
      if case .success(let found) = result { watcher?.didLook(found) }
    }
    return true
  }

  func order(_ path: [CChar], _ look: WatchedFolder.Look) -> FolderOrder {
    FolderOrder(path: path, look: look, since: look == .changes ? lossTime ?? .max : .max)
  }

  /// The thread pool has looked.
  func didLook(_ found: TreeLook) {
    isLooking = false
    if !isEnded { take(found) }
    readEvents()
  }

  func take(_ found: TreeLook) {
    if found.code == UV_ENOENT.rawValue || found.code == UV_ENOTDIR.rawValue {
      return watcher.rootHasChanged(isGone: true)
    }
    if found.code < 0 { return watcher.end(watchError(found.code, nil)) }
    var looks = found.folders[...]
    if let (folder, look) = listing, let rest = looks.popFirst() {
      listing = nil
      if tree.isInTree(folder) { list(rest, folder, look) }
    }
    let folders = looked
    looked = []
    for (folder, path, look) in folders {
      if isEnded { return }
      guard let found = looks.popFirst() else {
        // The pool had enough.
        enqueue(folder, look)
        continue
      }
      if tree.path(of: folder) == path {
        take(found, folder, path, look)
      } else {
        // Another one of these looks has moved it.
        if found.code >= 0 { tree.end(watch: found.code) }
        if tree.isInTree(folder) { enqueue(folder, look) }
      }
    }
  }

  private func take(
    _ found: FolderLook, _ folder: WatchedFolder, _ path: [CChar], _ look: WatchedFolder.Look
  ) {
    switch UVError.Code(rawValue: found.code) {
    case .noSuchFile, .notDirectory, .init(rawValue: UV_ELOOP.rawValue):
      unproven[ObjectIdentifier(folder)] = Finding(
        folder: folder, path: path, isAbsent: true, moveCount: tree.moveCount)
    default:
      if found.code < 0 {
        // No other event reports that a folder has come which can't be watched.
        return leaveOut(folder, found.code, look == .everything ? .rename : [])
      }
      guard let (place, isNew) = place(folder, watch: found.code) else { return }
      // Not all names were listed: another folder was expected, which the program knows. Or a look that was to list
      // all came when the folder had just moved away.
      let isUnreported = isNew || unproven[ObjectIdentifier(place)]?.isAbsent == true
      if isUnreported, look != .everything { return enqueue(place, .everything) }
      unproven[ObjectIdentifier(place)] = Finding(
        folder: place, path: path, isAbsent: false, moveCount: tree.moveCount)
      if look == .everything, place !== tree.root { report(.rename, path) }
      if found.hasChanged { report(.overflow, path) }
      for child in place.children.values { child.isSeen = false }
      list(found, place, look)
    }
  }

  /// Says that a folder can't be watched or listed. If it is the root, or if the system has no room for more, that is
  /// the end.
  private func leaveOut(_ folder: WatchedFolder, _ code: Int32, _ kinds: FileEvent.Kinds) {
    let path = tree.path(of: folder)
    let error = watchError(code, path)
    let isEnd = [.noSpace, .outOfMemory, .tooManyOpenFiles, .init(rawValue: UV_ENFILE.rawValue)].contains(
      error.code)
    if isEnd || folder === tree.root { return watcher.end(error) }
    report(kinds, path, error)
    tree.leaveOut(folder)
  }

  private static var isMountedTwice: Int32 { -2 }

  /// Notes which folder stands in a place: the watch says it.
  ///
  /// - Returns: The folder, and whether the place is found to have another one than before; nil if the place is
  ///   given up.
  private func place(_ folder: WatchedFolder, watch: Int32) -> (WatchedFolder, isNew: Bool)? {
    if folder.watch == watch { return (folder, false) }
    guard let parent = folder.parent else {
      // Another folder can't be at the root: that is open.
      tree.setWatch(watch, of: folder)
      return (folder, false)
    }
    let name = folder.name
    var isNew = false
    if let other = tree.folder(ofWatch: watch) {
      // Amid a move of it, or of a folder above it, nobody can look whether it is there, too.
      let canBeLookedAt = tree.path(of: other) != nil
      if watch == folder.predecessor, other !== tree.root, canBeLookedAt {
        // Is it there, too, or has it come back? A look at the other place shows it. Then this one follows.
        folder.predecessor = Self.isMountedTwice
        enqueue(other, .silent)
        enqueue(folder, .everything)
        return nil
      }
      if other === tree.root || folder.predecessor == Self.isMountedTwice && canBeLookedAt {
        // The same folder is mounted in two places. One of them is watched.
        tree.remove(folder)
        return nil
      }
      // The folder has moved, and the tree below it may be old. It begins anew, and so does its old place.
      let (oldParent, oldName) = (other.parent, other.name)
      moves[other.cookie] = nil
      let isAbove = tree.isBelow(folder, other)
      tree.remove(other)
      tree.dropWatch(of: other)
      if let oldParent, tree.isInTree(oldParent), oldParent.children[oldName] == nil {
        let successor = tree.add(oldName, to: oldParent)
        successor.predecessor = watch
        enqueue(successor, .everything)
      }
      if isAbove {
        tree.end(watch: watch)
        return nil
      }
      isNew = true
    }
    if folder.watch < 0 {
      tree.setWatch(watch, of: folder)
      return (folder, isNew)
    }
    tree.remove(folder)
    let new = tree.add(name, to: parent)
    new.mayBeExchanged = folder.mayBeExchanged
    tree.setWatch(watch, of: new)
    return (new, true)
  }

  /// Compares a listing with the tree, or a part of it.
  private func list(_ found: FolderLook, _ folder: WatchedFolder, _ look: WatchedFolder.Look) {
    if found.code < 0 { return leaveOut(folder, found.code, []) }
    for entry in found.entries.split(separator: 0) where !isEnded {
      let flags = Int(entry.first!)
      let name = [CChar](entry.dropFirst())
      if flags & Int(CUV_ENTRY_FOLDER) != 0 {
        let known = folder.children[name]
        let child = known ?? tree.add(name, to: folder)
        child.isSeen = true
        if known == nil { enqueue(child, look == .silent ? .silent : .everything) }
        if known != nil, look == .changes { enqueue(child, child.watch < 0 ? .everything : .changes) }
      } else if look == .everything {
        report(.rename, tree.path(of: folder, name))
      } else if flags & Int(CUV_ENTRY_CHANGED) != 0 {
        report([.rename, .change], tree.path(of: folder, name))
      }
    }
    if isEnded { return }
    if !found.isEnd { return listing = (folder, look) }
    for child in folder.children.values where !child.isSeen {
      report(.rename, tree.path(of: child))
      tree.remove(child)
    }
  }
}
#endif
