import CUV

/// The arguments of one `cuv_spawn`, in the form in which C takes them.
struct SpawnCall {
  let program: String
  private let file: CStrings
  private let arguments: CStrings
  private let environment: CStrings?
  private let workingDirectory: CStrings?
  private let stdio: [uv_stdio_container_t]
  private let user: UInt32?
  private let group: UInt32?
  private let isDetached: Bool
  private let terminal: cuv_terminal?

  /// Converts the arguments. Throws `invalidArgument` if C can't take one of them.
  ///
  /// - Parameter stdio: What each descriptor of the child is to be, and for a pipe the handle of this end.
  init(
    program: some PathConvertible, arguments: [String], variables: CStrings?,
    workingDirectory: (any PathConvertible)?, user: UInt32?, group: UInt32?, isDetached: Bool,
    terminal: cuv_terminal?,
    stdio: [(ChildProcess.Stdio, PipeConnection?)]
  ) throws(UVError) {
    self.program = program.subject
    let (file, directory) = (CStrings(path: program), workingDirectory.map { CStrings(path: $0) })
    guard let file, workingDirectory == nil || directory! != nil, let others = CStrings(arguments)
    else { throw UVError(.invalidArgument, operation: "spawn", subject: program.subject) }
    self.file = file
    self.arguments = CStrings(joining: file, others)
    environment = variables
    self.workingDirectory = directory ?? nil
    self.user = user
    self.group = group
    self.isDetached = isDetached
    self.terminal = terminal
    self.stdio = stdio.enumerated().map { $1.0.container(of: Int32($0), $1.1) }
  }

  /// The error of a start that has failed. The system says the same of a program and of a working directory that
  /// are missing or must not be used, so the directory is looked at.
  func error(_ code: UVError.Code) -> UVError {
    if let path = workingDirectory?.pointers[0],
      [.noSuchFile, .notDirectory, .permissionDenied].contains(code),
      !cuv_can_enter(path)
    {
      return UVError(code, operation: "spawn", subject: "working directory \(String(cString: path))")
    }
    return UVError(code, operation: "spawn", subject: program)
  }

  /// Starts the program. Returns 0 or a libuv code.
  func run(_ loop: EventLoop, _ child: UnsafeMutablePointer<cuv_child>, _ done: @escaping cuv_child_cb)
    -> Int32
  {
    cuv_unblock_signal(SIGCHLD)
    PassedSockets.claim()
    var stdio = stdio
    return stdio.withUnsafeMutableBufferPointer { stdio in
      var options = uv_process_options_t()
      options.file = UnsafePointer(file.pointers[0])
      options.args = arguments.pointers
      options.env = environment?.pointers
      options.cwd = UnsafePointer(workingDirectory?.pointers[0])
      options.stdio_count = Int32(stdio.count)
      options.stdio = stdio.baseAddress
      if let user {
        options.uid = user
        options.flags |= UV_PROCESS_SETUID.rawValue
      }
      if let group {
        options.gid = group
        options.flags |= UV_PROCESS_SETGID.rawValue
      }
      if isDetached { options.flags |= UV_PROCESS_DETACHED.rawValue }
      guard var terminal else { return cuv_spawn(loop.raw, child, &options, nil, done) }
      return cuv_spawn(loop.raw, child, &options, &terminal, done)
    }
  }
}

extension ChildProcess.Stdio {
  fileprivate func container(of number: Int32, _ pipe: PipeConnection?) -> uv_stdio_container_t {
    var container = uv_stdio_container_t()
    container.flags = UV_IGNORE
    switch self {
    case .ignore: break
    case .inherit: inherit(number, &container)
    // Another number below zero would stand for the terminal.
    case .descriptor(let descriptor): inherit(max(descriptor, -1), &container)
    case .terminal: inherit(Int32(CUV_TERMINAL), &container)
    case .pipe, .channel:
      var flags = UV_CREATE_PIPE.rawValue
      if number != 1 && number != 2 || self == .channel { flags |= UV_READABLE_PIPE.rawValue }
      if number != 0 || self == .channel { flags |= UV_WRITABLE_PIPE.rawValue }
      container.flags = uv_stdio_flags(flags)
      container.data.stream = pipe!.stream
    }
    return container
  }

  private func inherit(_ descriptor: Int32, _ container: inout uv_stdio_container_t) {
    container.flags = UV_INHERIT_FD
    container.data.fd = descriptor
  }
}

/// Strings for C, with a null pointer after the last.
final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  private init(copying strings: [UnsafePointer<CChar>]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { (pointers + index).initialize(to: strdup(string)) }
    (pointers + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }

  /// An environment. Nil if C can't take one of the variables.
  convenience init?(variables: [String: String]) {
    guard variables.keys.allSatisfy({ !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: "=")) }) else {
      return nil
    }
    self.init(variables.map { "\($0)=\($1)" })
  }

  /// Nil if there is a NUL in one of the strings.
  convenience init?(_ strings: [String]) {
    if strings.contains(where: { $0.utf8.contains(0) }) { return nil }
    let copies = strings.map { strdup($0)! }
    defer { for copy in copies { free(copy) } }
    self.init(copying: copies.map { UnsafePointer($0) })
  }

  /// Nil if there is a NUL in the path.
  convenience init?(path: some PathConvertible) {
    let copy = path.withPathBytes { $0.map { strdup($0)! } }
    guard let copy else { return nil }
    defer { free(copy) }
    self.init(copying: [UnsafePointer(copy)])
  }

  convenience init(joining first: CStrings, _ second: CStrings) {
    self.init(
      copying: (0..<first.count).map { UnsafePointer(first.pointers[$0]!) }
        + (0..<second.count).map { UnsafePointer(second.pointers[$0]!) })
  }

  /// The environment of this process with its exact bytes, without some variables and with others.
  ///
  /// - Parameter added: Lines of a name, `=` and a value, without a NUL.
  convenience init(environmentWith added: [String], without isLeftOut: (String) -> Bool) throws(UVError) {
    var items: UnsafeMutablePointer<uv_env_item_t>?
    var count: Int32 = 0
    try check(uv_os_environ(&items, &count), "os_environ")
    defer { uv_os_free_environ(items, count) }
    var lines = added.map { Array($0.utf8CString) }
    for item in UnsafeBufferPointer(start: items, count: Int(count))
    where !isLeftOut(String(cString: item.name)) {
      let (name, value) = (item.name!, item.value!)
      lines.append(
        Array(UnsafeBufferPointer(start: name, count: strlen(name))) + [CChar(UInt8(ascii: "="))]
          + Array(UnsafeBufferPointer(start: value, count: strlen(value) + 1)))
    }
    let copies = lines.map { line in line.withUnsafeBufferPointer { strdup($0.baseAddress!)! } }
    defer { for copy in copies { free(copy) } }
    self.init(copying: copies.map { UnsafePointer($0) })
  }
}
