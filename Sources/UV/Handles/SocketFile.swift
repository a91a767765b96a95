import CUV
import Synchronization

/// The file of a listening Unix domain socket. The processes that have the socket own the file together: the
/// last one removes it. See Design/0067-owners.md.
struct SocketFile: Sendable {
  let path: FilePath
  /// Whether another process has the socket, or has had it.
  var isShared = false

  /// The files that stayed because another process had their sockets, while this process had a successor.
  private static let left = Mutex<[SocketFile]>([])

  /// Called when a descriptor of the socket has been closed. The file goes unless another process has the
  /// socket, or another socket has taken the file's place.
  ///
  /// - Parameter isTriedAgain: Whether to look again once the successor of this process has ended.
  func removeIfUnused(isTriedAgain: Bool = false) {
    let code = path.withPlatformString { cuv_remove_stale_socket($0) }
    // A process that has given up its privileges may not ask. A file that was never shared is its own.
    if code == UV_EACCES.rawValue, !isShared { _ = path.withPlatformString { CUV.unlink($0) } }
    if code != 0, isShared, isTriedAgain { Self.left.withLock { $0.append(self) } }
  }

  /// A successor has ended, which may have been the last process with a socket.
  static func removeLeft() {
    let files = left.withLock { left in
      defer { left = [] }
      return left
    }
    for file in files { file.removeIfUnused() }
  }
}
