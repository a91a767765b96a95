import CUV

/// The operating system's names and versions; see ``SystemInfo/operatingSystem()``.
///
/// The corresponding libuv type is `uv_utsname_t`.
public struct OperatingSystem: Hashable, Sendable {
  /// The system's name, such as `"Linux"`.
  public var name: String
  /// The system's release, such as `"6.1.0-13-amd64"`.
  public var release: String
  /// More about the system's version, as the system gives it.
  public var version: String
  /// The kind of machine, such as `"x86_64"`.
  public var machine: String

  init(_ names: uv_utsname_t) {
    name = Self.string(names.sysname)
    release = Self.string(names.release)
    version = Self.string(names.version)
    machine = Self.string(names.machine)
  }

  /// The text in a C array, which Swift imports as a tuple.
  private static func string<Tuple>(_ tuple: Tuple) -> String {
    withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
