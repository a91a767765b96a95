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

/// An address of one of the machine's network interfaces; see ``SystemInfo/interfaceAddresses()``.
///
/// The corresponding libuv type is `uv_interface_address_t`.
public struct InterfaceAddress: Hashable, Sendable {
  /// The interface's name, such as `"eth0"`.
  public var name: String
  /// The interface's hardware address: six bytes, which are zeros if it has none.
  public var hardwareAddress: [UInt8]
  /// Whether the interface leads back to this machine only.
  public var isInternal: Bool
  /// The address, with port 0.
  public var address: SocketAddress
  /// A mask of those bits of the address that identify the network.
  public var netmask: SocketAddress

  /// Nil for an address of another family than IPv4 and IPv6.
  init?(_ entry: uv_interface_address_t) {
    name = String(cString: entry.name)
    hardwareAddress = withUnsafeBytes(of: entry.phys_addr) { Array($0) }
    isInternal = entry.is_internal != 0
    switch Int32(entry.address.address4.sin_family) {
    case AF_INET:
      address = SocketAddress(entry.address.address4)
      netmask = SocketAddress(entry.netmask.netmask4)
    case AF_INET6:
      address = SocketAddress(entry.address.address6)
      netmask = SocketAddress(entry.netmask.netmask6)
    default: return nil
    }
  }
}

/// A processor of the machine; see ``SystemInfo/processors()``.
///
/// The corresponding libuv type is `uv_cpu_info_t`.
public struct Processor: Hashable, Sendable {
  /// The processor's name, as its maker gives it.
  public var model: String
  /// The processor's speed in megahertz; 0 if the system doesn't say.
  public var megahertz: Int
  /// The time that the processor has spent on programs.
  public var userTime: Duration
  /// The time that the processor has spent on programs of low priority.
  public var niceTime: Duration
  /// The time that the processor has spent in the system.
  public var systemTime: Duration
  /// The time in which the processor had nothing to do.
  public var idleTime: Duration
  /// The time that the processor has spent on interrupts.
  public var interruptTime: Duration

  init(_ info: uv_cpu_info_t) {
    model = info.model.map { String(cString: $0) } ?? ""
    megahertz = Int(info.speed)
    userTime = .milliseconds(info.cpu_times.user)
    niceTime = .milliseconds(info.cpu_times.nice)
    systemTime = .milliseconds(info.cpu_times.sys)
    idleTime = .milliseconds(info.cpu_times.idle)
    interruptTime = .milliseconds(info.cpu_times.irq)
  }
}

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
