#if os(Linux) || os(Android)
import CUV
import Synchronization

/// A folder to look at: to watch, and then to list.
struct FolderOrder: Sendable {
  /// The path below the root, with a NUL.
  let path: [CChar]
  let look: WatchedFolder.Look
  /// From when on changes are of interest.
  let since: Int64
}

/// The finding of one look at a folder: its watch, and names in it.
struct FolderLook: Sendable {
  /// The number of the folder's watch, or a negative error code.
  var code: Int32
  var hasChanged = false
  /// For each name a byte of flags, and the name with a NUL.
  var entries: [CChar] = []
  /// Whether these are all entries. Otherwise the next look goes on.
  var isEnd = true
}

/// The findings of one job of the thread pool.
struct TreeLook: Sendable {
  /// The error of opening the directory at the top; `noSuchFile` also if another one is there. 0 for none.
  var code: Int32 = 0
  /// The listing that went on comes first. Folders for which the job had no time are left out at the end.
  var folders: [FolderLook] = []
}

/// The descriptors of a watched tree. The thread pool looks at folders with them, also while the watcher closes.
final class TreeDescriptors: Sendable {
  private struct State {
    /// The folder whose listing isn't at its end; -1 for none.
    var listed: Int32 = -1
    var isClosed = false
  }

  /// How many bytes of names one job brings to the loop, more or less.
  private static let room = 32 << 10

  let events: Int32
  /// The path of the directory at the top, from the file system's root on.
  private let path: FilePath
  private let device, inode: UInt64
  private let state = Mutex(State())

  /// Nil if there is no directory at the path.
  init?(_ path: some PathConvertible) throws(UVError) {
    var (device, inode) = (UInt64(0), UInt64(0))
    let subject = path.withPathBytes { $0.map { String(cString: $0) } ?? "a path with a NUL in it" }
    let root = path.withPathBytes {
      $0.map { cuv_folder_open($0, &device, &inode) } ?? UV_EINVAL.rawValue
    }
    (self.device, self.inode) = (device, inode)
    if root == UV_ENOTDIR.rawValue { return nil }
    try check(root, "fs_event_start", subject)
    _ = CUV.close(root)
    // The program may change its working directory later.
    let given = path.withPathBytes { FilePath(platformString: $0!) }
    self.path = (try? UV.path("cwd") { uv_cwd($0, $1) })?.pushing(given) ?? given
    events = cuv_inotify_open()
    if events < 0 { throw failure(events, "fs_event_init", subject) }
  }

  deinit { close() }

  /// Ends all watches. With many of them this takes a while, so that it is work for the pool.
  func close() {
    state.withLock { state in
      if state.isClosed { return }
      state.isClosed = true
      for descriptor in [events, state.listed] where descriptor >= 0 { _ = CUV.close(descriptor) }
    }
  }

  /// Opens the directory at the top for a while; a negative number if it isn't at its path any more.
  private func openRoot() -> Int32 {
    var (device, inode) = (UInt64(0), UInt64(0))
    let root = path.withPathBytes { cuv_folder_open($0, &device, &inode) }
    if root < 0 || (device, inode) == (self.device, self.inode) { return root }
    _ = CUV.close(root)
    return UV_ENOENT.rawValue
  }

  /// Ends watches, goes on with a listing, and looks at folders: at all, or at as many as bring enough.
  func look(at orders: [FolderOrder], ending watches: [Int32], goesOn: FolderOrder?) -> TreeLook {
    state.withLock { state in
      var found = TreeLook()
      if state.isClosed { return found }
      for watch in watches { cuv_folder_forget(events, watch) }
      let root = openRoot()
      if root < 0 { return TreeLook(code: root) }
      defer { _ = CUV.close(root) }
      var room = Self.room
      if let goesOn {
        found.folders.append(list(FolderLook(code: 0), goesOn, &state, &room))
      } else if state.listed >= 0 {
        _ = CUV.close(state.listed)
        state.listed = -1
      }
      for order in orders where room > 0 {
        var folder = cuv_folder()
        let code = cuv_folder_watch(events, root, order.path, order.since, &folder)
        var look = FolderLook(code: code < 0 ? code : folder.watch, hasChanged: folder.has_changed)
        if code == 0 {
          state.listed = folder.descriptor
          look = list(look, order, &state, &room)
        }
        found.folders.append(look)
      }
      return found
    }
  }

  private func list(
    _ look: FolderLook, _ order: FolderOrder, _ state: inout State, _ room: inout Int
  ) -> FolderLook {
    var look = look
    let size = Self.room
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { memory in
      let buffer = memory.bindMemory(to: CChar.self)
      var count = 0
      repeat {
        count = cuv_folder_list(
          state.listed, order.since, order.look == .everything, buffer.baseAddress!, size)
        if count > 0 {
          look.entries += buffer[..<count]
          room -= count
        }
      } while count > 0 && room > 0
      look.isEnd = count <= 0
      // A folder that is removed while it is listed has no names any more.
      if count < 0, count != Int(UV_ENOENT.rawValue) { look.code = Int32(count) }
    }
    room -= 64  // The look itself.
    if look.isEnd {
      _ = CUV.close(state.listed)
      state.listed = -1
    }
    return look
  }
}

/// Keeps the descriptors of a tree until libuv has forgotten them.
final class TreeKeeper: IdleOwner {
  private let descriptors: TreeDescriptors
  private unowned let loop: EventLoop

  init(_ watcher: FileWatcher, _ descriptors: TreeDescriptors) {
    self.descriptors = descriptors
    loop = watcher.loop
    super.init(watcher)
  }

  override func closeBegan() {
    if loop.isClosed { return descriptors.close() }
    // The end of many watches takes a while. The loop may end before the pool has time.
    loop.work({ [descriptors] in descriptors.close() }) { [descriptors] _ in descriptors.close() }
  }
}
#endif
