import CUV

/// The process's environment variables. Change them only while no other thread reads them, for example before
/// you make the first loop: the system doesn't protect them with a lock.
///
/// Bytes that aren't UTF-8 are replaced when they are read.
public enum Environment {
  /// The value of a variable; nil if there is no such variable.
  ///
  /// The corresponding libuv function is `uv_os_getenv`.
  public static subscript(name: String) -> String? {
    if name.isEmpty || name.utf8.contains(0) { return nil }
    return try? string("os_getenv") { uv_os_getenv(name, $0, $1) }
  }

  /// All variables with their values.
  ///
  /// - Throws: `outOfMemory`.
  ///
  /// The corresponding libuv functions are `uv_os_environ` and `uv_os_free_environ`.
  public static func all() throws(UVError) -> [String: String] {
    var items: UnsafeMutablePointer<uv_env_item_t>?
    var count: Int32 = 0
    try check(uv_os_environ(&items, &count), "os_environ")
    defer { uv_os_free_environ(items, count) }
    let pairs = UnsafeBufferPointer(start: items, count: Int(count)).map {
      (String(cString: $0.name), String(cString: $0.value))
    }
    // A name may occur twice; the system uses the first.
    return Dictionary(pairs) { first, _ in first }
  }

  /// Sets a variable, and creates it if it doesn't exist.
  ///
  /// - Throws: `invalidArgument` if the name is empty or has a `=` in it, or if the name or the value has a
  ///   NUL in it.
  ///
  /// The corresponding libuv function is `uv_os_setenv`.
  public static func set(_ name: String, to value: String) throws(UVError) {
    try checkName(name, "os_setenv")
    if value.utf8.contains(0) {
      throw UVError(.invalidArgument, operation: "os_setenv", subject: "a value with a NUL in it")
    }
    try check(uv_os_setenv(name, value), "os_setenv", name)
  }

  /// Removes a variable if it exists.
  ///
  /// - Throws: `invalidArgument` if the name is empty or has a `=` or a NUL in it.
  ///
  /// The corresponding libuv function is `uv_os_unsetenv`.
  public static func unset(_ name: String) throws(UVError) {
    try checkName(name, "os_unsetenv")
    try check(uv_os_unsetenv(name), "os_unsetenv", name)
  }

  private static func checkName(_ name: String, _ operation: String) throws(UVError) {
    if name.isEmpty || name.utf8.contains(0) || name.contains("=") {
      throw UVError(.invalidArgument, operation: operation, subject: "the name \"\(name)\"")
    }
  }
}
