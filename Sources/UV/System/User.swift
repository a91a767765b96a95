import CUV

/// An entry of the system's list of users; see ``SystemInfo/user()``.
///
/// The corresponding libuv type is `uv_passwd_t`.
public struct User: Hashable, Sendable {
  /// The name that the user logs in with.
  public var name: String
  /// The user's number.
  public var id: UInt32
  /// The number of the user's primary group.
  public var group: UInt32
  /// The path of the user's shell; nil if there is none.
  public var shell: FilePath?
  /// The user's home directory.
  public var homeDirectory: FilePath

  init(_ entry: uv_passwd_t) {
    name = String(cString: entry.username)
    id = UInt32(truncatingIfNeeded: entry.uid)
    group = UInt32(truncatingIfNeeded: entry.gid)
    shell = entry.shell.map { FilePath(platformString: $0) }
    homeDirectory = FilePath(platformString: entry.homedir)
  }
}
