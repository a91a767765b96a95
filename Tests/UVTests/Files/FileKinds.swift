import Foundation
import UV

/// What may be at a path. Each is made anew for each operation, in a directory of the test's own.
enum FileKind: String, CaseIterable {
  case missing, regular, empty, sparse, huge, otherBytes, unreadable
  case fifo, socket, null, zero, full, process
  case directory, link, danglingLink, linkToDirectory, linkToFIFO

  /// What a path stands for once links have been followed.
  enum Target { case nothing, file, fifo, socket, device, directory }

  var target: Target {
    switch self {
    case .missing, .danglingLink: .nothing
    case .regular, .empty, .sparse, .huge, .otherBytes, .unreadable, .process, .link: .file
    case .fifo, .linkToFIFO: .fifo
    case .socket: .socket
    case .null, .zero, .full: .device
    case .directory, .linkToDirectory: .directory
    }
  }

  var isLink: Bool { [.link, .danglingLink, .linkToDirectory, .linkToFIFO].contains(self) }

  /// Whether the path belongs to the system, which a test leaves as it is.
  var isTheSystems: Bool { target == .device || self == .process }

  /// Whether it is a device that this process may not write to, as in some containers.
  var isOnlyRootsToWrite: Bool { target == .device && access("/dev/\(rawValue)", W_OK) != 0 }

  /// More bytes than a test reads.
  var isEndless: Bool { [.huge, .zero, .full].contains(self) }

  static let text: Bytes = "text"

  /// Makes it, and returns its path.
  func make(in directory: String) throws -> FilePath {
    let path = directory + "/" + rawValue
    switch self {
    case .missing: break
    case .regular, .unreadable, .link, .empty:
      let file = self == .link ? directory + "/target" : path
      try Data(self == .empty ? [] : Array("text".utf8)).write(to: URL(fileURLWithPath: file))
      if self == .link { Foundation.symlink("target", path) }
      if self == .unreadable { Foundation.chmod(path, 0) }
    case .sparse, .huge:
      close(open(path, O_CREAT | O_WRONLY, 0o600))
      Foundation.truncate(path, self == .huge ? 1 << 40 : 100_000)
    case .otherBytes:
      let name = Array(path.utf8) + [0xFF, 0]
      let found = name.withUnsafeBufferPointer {
        $0.withMemoryRebound(to: CChar.self) {
          close(open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600))
          return FilePath(platformString: $0.baseAddress!)
        }
      }
      return found
    case .fifo: mkfifo(path, 0o600)
    case .linkToFIFO:
      mkfifo(directory + "/pipe", 0o600)
      Foundation.symlink("pipe", path)
    case .socket: Self.bindSocket(path)
    case .null: return "/dev/null"
    case .zero: return "/dev/zero"
    case .full: return "/dev/full"
    case .process: return "/proc/self/status"
    case .directory: mkdir(path, 0o700)
    case .danglingLink: Foundation.symlink("nowhere", path)
    case .linkToDirectory:
      mkdir(directory + "/folder", 0o700)
      Foundation.symlink("folder", path)
    }
    return FilePath(path)
  }

  private static func bindSocket(_ path: String) {
    let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    close(descriptor)
  }
}
