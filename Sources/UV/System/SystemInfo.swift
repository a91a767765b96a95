import CUV

/// Facts about this machine and this process. You may ask for each of them on any thread, and are answered at
/// once.
public enum SystemInfo {
  // MARK: The machine

  /// How many threads of this process can run at the same time, 1 or more.
  ///
  /// The corresponding libuv function is `uv_available_parallelism`.
  public static var availableParallelism: Int { Int(uv_available_parallelism()) }

  /// The machine's processors.
  ///
  /// - Throws: The system's error if it doesn't know.
  ///
  /// The corresponding libuv functions are `uv_cpu_info` and `uv_free_cpu_info`.
  public static func processors() throws(UVError) -> [Processor] {
    var list: UnsafeMutablePointer<uv_cpu_info_t>?
    var count: Int32 = 0
    try check(uv_cpu_info(&list, &count), "cpu_info")
    defer { uv_free_cpu_info(list, count) }
    return UnsafeBufferPointer(start: list, count: Int(count)).map(Processor.init)
  }

  /// The machine's load: how many threads wanted to run, on average over the last 1, 5 and 15 minutes.
  ///
  /// The corresponding libuv function is `uv_loadavg`.
  public static var loadAverage: (one: Double, five: Double, fifteen: Double) {
    var averages = (0.0, 0.0, 0.0)
    withUnsafeMutableBytes(of: &averages) { uv_loadavg($0.baseAddress!.assumingMemoryBound(to: Double.self)) }
    return averages
  }

  /// How much memory isn't in use, in bytes.
  ///
  /// The corresponding libuv function is `uv_get_free_memory`.
  public static var freeMemory: UInt64 { uv_get_free_memory() }

  /// How much memory the machine has, in bytes.
  ///
  /// The corresponding libuv function is `uv_get_total_memory`.
  public static var totalMemory: UInt64 { uv_get_total_memory() }

  /// How much memory this process's container may use, in bytes. It is nil if there is no limit, or if the
  /// system doesn't say it.
  ///
  /// The corresponding libuv function is `uv_get_constrained_memory`.
  public static var constrainedMemory: UInt64? {
    let limit = uv_get_constrained_memory()
    return limit == 0 ? nil : limit
  }

  /// The time since the machine was started.
  ///
  /// - Throws: The system's error if it doesn't know.
  ///
  /// The corresponding libuv function is `uv_uptime`.
  public static func uptime() throws(UVError) -> Duration {
    var seconds = 0.0
    try check(uv_uptime(&seconds), "uptime")
    return .seconds(seconds)
  }

  /// The machine's name in its network.
  ///
  /// - Throws: The system's error if it doesn't know.
  ///
  /// The corresponding libuv function is `uv_os_gethostname`.
  public static func hostName() throws(UVError) -> String {
    try string("os_gethostname") { uv_os_gethostname($0, $1) }
  }

  /// The operating system's names and versions.
  ///
  /// - Throws: The system's error if it doesn't know.
  ///
  /// The corresponding libuv function is `uv_os_uname`.
  public static func operatingSystem() throws(UVError) -> OperatingSystem {
    var names = uv_utsname_t()
    try check(uv_os_uname(&names), "os_uname")
    return OperatingSystem(names)
  }

  /// The addresses of the machine's network interfaces that are up.
  ///
  /// - Throws: The system's error if it doesn't know.
  ///
  /// The corresponding libuv functions are `uv_interface_addresses` and `uv_free_interface_addresses`.
  public static func interfaceAddresses() throws(UVError) -> [InterfaceAddress] {
    var list: UnsafeMutablePointer<uv_interface_address_t>?
    var count: Int32 = 0
    try check(uv_interface_addresses(&list, &count), "interface_addresses")
    defer { uv_free_interface_addresses(list, count) }
    return UnsafeBufferPointer(start: list, count: Int(count)).compactMap(InterfaceAddress.init)
  }

  /// The name of a network interface.
  ///
  /// - Parameter index: The interface's number, such as the one in a link-local address.
  /// - Throws: `ENXIO` if there is no such interface.
  ///
  /// The corresponding libuv function is `uv_if_indextoname`.
  public static func interfaceName(index: UInt32) throws(UVError) -> String {
    try string("if_indextoname") { uv_if_indextoname(index, $0, $1) }
  }

  // MARK: libuv

  /// The version of libuv that the program runs with, such as `"1.52.1"`.
  ///
  /// The corresponding libuv function is `uv_version_string`.
  public static var libuvVersion: String { String(cString: uv_version_string()) }
}
