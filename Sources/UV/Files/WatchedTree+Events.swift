#if os(Linux) || os(Android)
import CUV

/// Events of inotify's: each changes the tree of folders, and is reported to the program.
extension WatchedTree {
  func handle(_ buffer: UnsafeRawBufferPointer) {
    let header = MemoryLayout<inotify_event>.size
    var rest = buffer
    while rest.count >= header, !watcher.hasTreeEnded {
      let event = rest.loadUnaligned(as: inotify_event.self)
      let end = header + Int(event.len)
      let name = UnsafeRawBufferPointer(rebasing: rest[header..<end]).prefix { $0 != 0 }
      handle(event, name.map { CChar(truncatingIfNeeded: $0) })
      rest = UnsafeRawBufferPointer(rebasing: rest[end...])
    }
  }

  private func handle(_ event: inotify_event, _ name: [CChar]) {
    func has(_ bits: Int) -> Bool { event.mask & UInt32(truncatingIfNeeded: bits) != 0 }
    if has(Int(IN_Q_OVERFLOW)) { return lose() }
    guard let folder = tree.folder(ofWatch: event.wd) else { return }
    if has(Int(IN_IGNORED)) { return watchHasEnded(of: folder) }
    if has(Int(IN_MOVE_SELF) | Int(IN_DELETE_SELF) | Int(IN_UNMOUNT)) {
      if folder === tree.root { watcher.rootHasChanged(isGone: !has(Int(IN_MOVE_SELF))) }
      return
    }
    if name.isEmpty {
      // The parent of another folder reports the same.
      if folder === tree.root {
        report(.change, [0])
        mayBeReadable(folder)
      }
      return
    }
    let isChange = has(Int(IN_ATTRIB) | Int(IN_MODIFY))
    let path = tree.path(of: folder, name)
    guard has(Int(IN_ISDIR)) else { return report(isChange ? .change : .rename, path) }
    if has(Int(IN_CREATE)) {
      hasCome(name, in: folder)
    } else if has(Int(IN_MOVED_TO)) {
      if let move = moves.removeValue(forKey: event.cookie) {
        withExtendedLifetime(move.parent) { hasMoved(move.folder, to: folder, name, path) }
      } else {
        hasCome(name, in: folder, byMove: true)
      }
    } else {
      report(isChange ? .change : .rename, path)
      guard let child = folder.children[name] else { return }
      if isChange {
        mayBeReadable(child)
      } else if has(Int(IN_MOVED_FROM)) {
        leaves(child, event.cookie, folder)
      } else {
        tree.remove(child)
      }
    }
  }

  /// A folder's permissions may have changed, which count for all below it.
  private func mayBeReadable(_ folder: WatchedFolder) {
    for folder in tree.takeLeftOut(from: folder) { enqueue(folder, .everything) }
  }

  /// A folder has been made, or has come from elsewhere. It is reported once it is watched, so that a program that
  /// then looks at it misses nothing.
  private func hasCome(_ name: [CChar], in parent: WatchedFolder, byMove isMove: Bool = false) {
    let known = parent.children[name]
    let child = known ?? tree.add(name, to: parent)
    child.mayBeExchanged = isMove || known != nil
    if parent === listing?.folder { child.isSeen = true }
    child.predecessor = -1
    enqueue(child, .everything)
  }

  /// The first half of a move. It may be another folder that has moved: if a look at this one is due, or if this one came
  /// by a move itself. (Of two equal events in a row, the system drops one, and to it arrivals are equal although their
  /// cookies differ: the other one may have been of a folder that took this one's place.) Then the place is looked at,
  /// too.
  private func leaves(_ folder: WatchedFolder, _ cookie: UInt32, _ parent: WatchedFolder) {
    tree.leave(folder, from: parent, cookie: cookie)
    moves[cookie] = (folder, parent)
    if folder.look != .none || folder.mayBeExchanged { hasCome(folder.name, in: parent) }
  }

  private func hasMoved(
    _ folder: WatchedFolder, to parent: WatchedFolder, _ name: [CChar], _ path: [CChar]?
  ) {
    if !tree.isInTree(folder) || tree.isBelow(parent, folder) {
      // The folder it came from has left the tree, and with it all that was known below. Or a look, which is newer
      // than the event, has found the new parent below it.
      tree.remove(folder)
      return hasCome(name, in: parent, byMove: true)
    }
    // If another folder was there, the two may have changed places, which the system shows as two moves of this one. A
    // look shows which one is there now.
    let isOnto = parent.children[name] != nil
    if folder.watch < 0 {
      enqueue(folder, .everything)
    } else if isOnto || folder.mayBeExchanged {
      enqueue(folder, .silent)
    }
    folder.mayBeExchanged = true
    tree.move(folder, to: parent, as: name)
    if parent === listing?.folder { folder.isSeen = true }
    report(.rename, path)
  }

  private func watchHasEnded(of folder: WatchedFolder) {
    tree.dropWatch(of: folder)
    if folder === tree.root { return watcher.rootHasChanged(isGone: true) }
    // Another file system has been unmounted there.
    if tree.isInTree(folder), folder.cookie == 0 { enqueue(folder, .everything) }
  }
}
#endif
