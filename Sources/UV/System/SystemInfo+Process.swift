import CUV

extension SystemInfo {
  // MARK: The process

  /// The process's number.
  ///
  /// The corresponding libuv function is `uv_os_getpid`.
  public static var processID: Int32 { uv_os_getpid() }

  /// The number of the process that started this one.
  ///
  /// The corresponding libuv function is `uv_os_getppid`.
  public static var parentProcessID: Int32 { uv_os_getppid() }

  /// The path of the running program.
  ///
  /// - Throws: The system's error if it doesn't know.
  ///
  /// The corresponding libuv function is `uv_exepath`.
  public static func executablePath() throws(UVError) -> FilePath {
    try path("exepath") { buffer, size in
      let capacity = size.pointee
      let code = uv_exepath(buffer, size)
      // libuv silently cuts off a path that doesn't fit.
      return code == 0 && size.pointee >= capacity - 1 ? UV_ENOBUFS.rawValue : code
    }
  }

  /// The process's working directory.
  ///
  /// - Throws: `noSuchFile` if it has been removed.
  ///
  /// The corresponding libuv function is `uv_cwd`.
  public static func workingDirectory() throws(UVError) -> FilePath {
    try path("cwd") { uv_cwd($0, $1) }
  }

  /// Changes the process's working directory, for all of its threads.
  ///
  /// - Parameter path: The new working directory.
  /// - Throws: `noSuchFile`, `notDirectory`, `permissionDenied`, and `invalidArgument` for a path with a NUL
  ///   in it.
  ///
  /// The corresponding libuv function is `uv_chdir`.
  public static func changeWorkingDirectory(to path: some PathConvertible) throws(UVError) {
    try check(path, "chdir") { uv_chdir($0) }
  }

  /// How much memory the process occupies, in bytes.
  ///
  /// - Throws: The system's error if it doesn't know.
  ///
  /// The corresponding libuv function is `uv_resident_set_memory`.
  public static func residentMemory() throws(UVError) -> Int {
    var bytes = 0
    try check(uv_resident_set_memory(&bytes), "resident_set_memory")
    return bytes
  }

  /// The time, memory and operations that the process has used so far.
  ///
  /// - Throws: The system's error if it doesn't know.
  ///
  /// The corresponding libuv function is `uv_getrusage`.
  public static func resourceUsage() throws(UVError) -> ResourceUsage {
    var usage = uv_rusage_t()
    try check(uv_getrusage(&usage), "getrusage")
    return ResourceUsage(usage)
  }

  /// The scheduling priority of a process, from -20 (the highest) to 19 (the lowest).
  ///
  /// - Parameter processID: A process; 0, the default, is this one.
  /// - Throws: `noSuchProcess`.
  ///
  /// The corresponding libuv function is `uv_os_getpriority`.
  public static func priority(of processID: Int32 = 0) throws(UVError) -> Int {
    var priority: Int32 = 0
    try check(uv_os_getpriority(process(processID), &priority), "os_getpriority", "process \(processID)")
    return Int(priority)
  }

  /// Sets the scheduling priority of a process.
  ///
  /// - Parameters:
  ///   - priority: From -20 (the highest) to 19 (the lowest). Raising it needs a privilege.
  ///   - processID: A process; 0, the default, is this one.
  /// - Throws: `invalidArgument` for a number out of range, `permissionDenied`, `noSuchProcess`.
  ///
  /// The corresponding libuv function is `uv_os_setpriority`.
  public static func setPriority(_ priority: Int, of processID: Int32 = 0) throws(UVError) {
    guard let priority = Int32(exactly: priority) else {
      throw UVError(.invalidArgument, operation: "os_setpriority", subject: "priority \(priority)")
    }
    try check(uv_os_setpriority(process(processID), priority), "os_setpriority", "priority \(priority)")
  }

  /// On Linux, 0 would mean the calling thread.
  private static func process(_ processID: Int32) -> Int32 { processID == 0 ? uv_os_getpid() : processID }

  // MARK: The user

  /// The user that the process runs as, from the system's list of users.
  ///
  /// - Throws: `noSuchFile` if the user isn't on the list.
  ///
  /// The corresponding libuv functions are `uv_os_get_passwd` and `uv_os_free_passwd`.
  public static func user() throws(UVError) -> User {
    var entry = uv_passwd_t()
    try check(uv_os_get_passwd(&entry), "os_get_passwd")
    defer { uv_os_free_passwd(&entry) }
    return User(entry)
  }

  /// The user's home directory: the value of `HOME`, or else what the list of users says.
  ///
  /// - Throws: `noSuchFile` if neither has it.
  ///
  /// The corresponding libuv function is `uv_os_homedir`.
  public static func homeDirectory() throws(UVError) -> FilePath {
    try path("os_homedir") { uv_os_homedir($0, $1) }
  }

  /// The directory for temporary files: the value of `TMPDIR`, `TMP`, `TEMP` or `TEMPDIR`, or else `/tmp`.
  ///
  /// - Throws: The system's error if it doesn't know.
  ///
  /// The corresponding libuv function is `uv_os_tmpdir`.
  public static func temporaryDirectory() throws(UVError) -> FilePath {
    try path("os_tmpdir") { uv_os_tmpdir($0, $1) }
  }
}

/// The time, memory and operations that a process has used; see ``SystemInfo/resourceUsage()``.
///
/// The corresponding libuv type is `uv_rusage_t`.
public struct ResourceUsage: Hashable, Sendable {
  /// The processor time that the program itself has used.
  public var userTime: Duration
  /// The processor time that the system has used on the program's behalf.
  public var systemTime: Duration
  /// The most memory that the process has occupied at one time, in kibibytes (on macOS in bytes).
  public var maximumResidentMemory: UInt64
  /// How many pages weren't mapped but were found in memory.
  public var minorPageFaults: UInt64
  /// How many pages weren't in memory and had to be read.
  public var majorPageFaults: UInt64
  /// How many times the process has read from a device.
  public var inputOperations: UInt64
  /// How many times the process has written to a device.
  public var outputOperations: UInt64
  /// How many times the process has given up the processor to wait for something.
  public var voluntaryContextSwitches: UInt64
  /// How many times the system has taken the processor from the process.
  public var involuntaryContextSwitches: UInt64

  init(_ usage: uv_rusage_t) {
    userTime = Duration(usage.ru_utime)
    systemTime = Duration(usage.ru_stime)
    maximumResidentMemory = usage.ru_maxrss
    minorPageFaults = usage.ru_minflt
    majorPageFaults = usage.ru_majflt
    inputOperations = usage.ru_inblock
    outputOperations = usage.ru_oublock
    voluntaryContextSwitches = usage.ru_nvcsw
    involuntaryContextSwitches = usage.ru_nivcsw
  }
}

extension Duration {
  fileprivate init(_ time: uv_timeval_t) {
    self = .seconds(time.tv_sec) + .microseconds(time.tv_usec)
  }
}
