// Errors are told apart by their code, and explained.
import UV

private struct TooOften: Error { let tries: Int }

private func contents(
  _ loop: EventLoop, _ path: String, tries limit: Int, before attempt: (Int) throws -> Void
) async throws -> String {
  var tries = 0
  while true {
    do {
      try attempt(tries)
      let bytes = try await loop.files.readFile(path).value
      return String(decoding: bytes, as: UTF8.self)
    } catch let error as UVError where error.code == .noSuchFile {
      tries += 1
      if tries == limit { throw TooOften(tries: tries) }
      try await loop.sleep(for: .milliseconds(1)).value
    }
  }
}

private struct Stop: Error {}

enum ErrorsOfRequests: Program {
  static func main() throws {
    try errorsAreMatchedByTheirCode()
    try explainingErrors()
    try retriesUntilItWorks()
    try stepsInAnArrayOfClosures()
  }

  static func describe(_ loop: EventLoop, _ path: String) async -> String {
    do throws(UVError) {
      let bytes = try await loop.files.readFile(path).value
      return "\(bytes.count) bytes"
    } catch {
      switch error.code {
      case .noSuchFile: return "no such file"
      case .isDirectory: return "a directory"
      default: return error.message
      }
    }
  }

  /// Errors are told apart by their code, in a typed `do` and in an untyped one.
  private static func errorsAreMatchedByTheirCode() throws {
    EventLoop.run { loop in
      print(await describe(loop, "/nowhere/at/all"))
      print(await describe(loop, "/"))
      do {
        _ = try await loop.files.stat("/nowhere").value
      } catch let error as UVError where error.code == .noSuchFile {
        print(error)
        print(error.operation, error.subject ?? "-", error.name, error.isCancelled)
      } catch {
        print("other: \(error)")
      }
    }
  }

  static func explain(_ code: UVError.Code) -> String {
    switch code {
    case .cancelled: "given up"
    case .timedOut: "took too long"
    case .connectionRefused, .connectionReset, .connectionAborted, .brokenPipe, .notConnected,
      .alreadyConnected:
      "the connection"
    case .addressInUse, .addressNotAvailable, .destinationRequired: "the address"
    case .hostUnreachable, .networkUnreachable: "the network"
    case .unknownHost, .nameServerFailure: "the name"
    case .noSuchFile, .fileExists, .isDirectory, .notDirectory, .directoryNotEmpty, .nameTooLong:
      "the path"
    case .fileTooLarge, .noSpace, .outOfMemory, .noBuffers, .tooManyOpenFiles: "not enough room"
    case .permissionDenied, .notPermitted: "not allowed"
    case .badDescriptor, .notSocket, .notTerminal, .invalidArgument, .notSupported:
      "the wrong thing"
    case .wouldBlock, .busy, .alreadyInProgress: "later"
    case .messageTooLong, .endOfFile: "the data"
    case .abandoned, .unexpectedAnswer: "the other side"
    case .noSuchProcess: "the process"
    case .loopClosed, .loopRunning, .sourceStarted, .loopAdopted, .loopForked: "the program itself"
    default: "something else"
    }
  }

  /// A function explains every code of an error that a program may want to tell apart, in one `switch`.
  private static func explainingErrors() throws {
    try EventLoop.run { loop in
      let requests: [(String, () async throws -> Void)] = [
        ("a file", { _ = try await loop.files.readFile("/nowhere").value }),
        ("a directory", { _ = try await loop.files.readFile("/").value }),
        ("a port", { _ = try await loop.tcp.connect(host: "127.0.0.1", port: 1).value }),
        (
          "a time",
          { _ = try await loop.sleep(for: .untilCancelled).timeout(after: .milliseconds(1)).value }
        ),
        ("a process", { try loop.processes.kill(2_000_000_000, .terminate) }),
        ("a terminal", { _ = try loop.tty(1) }),
        (
          "a long name", { _ = try await loop.files.stat(String(repeating: "x", count: 300)).value }
        ),
      ]
      for (name, request) in requests {
        do {
          try await request()
          print("\(name): no error")
        } catch let error as UVError {
          print("\(name): \(explain(error.code))", error == UVError(error.code, operation: "x"))
        }
      }
    }
    let code = UVError.Code(rawValue: -2)
    print(code == .noSuchFile, code, code.message, code.rawValue)
    print(Set([UVError(.busy, operation: "a"), UVError(.busy, operation: "a")]).count)
    print("\(UVError(.busy, operation: "a", subject: "b").description)")
  }

  /// A request is tried again after its own errors, and not after others.
  private static func retriesUntilItWorks() throws {
    try EventLoop.run { loop in
      let folder = try await loop.files.mkdtemp("/tmp/retry-XXXXXX").value
      let path = "\(folder)/late"
      do { print(try await contents(loop, path, tries: 3) { print("try", $0) }) } catch let error as TooOften
      {
        print("gave up after", error.tries)
      }
      loop.spawn {
        do { try await loop.files.writeFile(path, "here").value } catch { print(error) }
      }
      print(try await contents(loop, path, tries: 1000) { _ in })
      do { _ = try await contents(loop, path, tries: 3) { _ in throw CancellationError() } } catch {
        print(error is CancellationError)
      }
      try await loop.files.unlink(path).value
      try await loop.files.rmdir(folder).value
    }
  }

  typealias Step = nonisolated(nonsending) () async throws -> Void

  static func perform(_ steps: [(String, Step)]) async -> String {
    for (name, step) in steps {
      do { try await step() } catch let error as UVError {
        return "\(name): \(error.name)"
      } catch {
        return "\(name): \(type(of: error))"
      }
    }
    return "all"
  }

  /// Steps that throw different errors stand in an array of closures, and one failure stops them.
  private static func stepsInAnArrayOfClosures() throws {
    try EventLoop.run { loop in
      let file = try await loop.files.mkstemp("/tmp/steps-XXXXXX").value
      let path = "\(file.path)"
      let write: Step = { try await file.write("x").value }
      let wait: Step = { try await loop.sleep(for: .milliseconds(1)).value }
      let missing: Step = { _ = try await loop.files.stat("/no/such/file").value }
      let stop: Step = {
        try await loop.sleep(for: .zero).value
        throw Stop()
      }
      print(await perform([("write", write), ("wait", wait)]))
      print(await perform([("write", write), ("missing", missing), ("stop", stop)]))
      print(await perform([("wait", wait), ("stop", stop), ("missing", missing)]))
      try await file.close().value
      try await loop.files.unlink(path).value
    }
  }
}

// Prints:
// no such file
// a directory
// fs_stat /nowhere: no such file or directory (ENOENT)
// fs_stat /nowhere ENOENT false
// a file: the path false
// a directory: the path false
// a port: the connection false
// a time: took too long false
// a process: the process false
// a terminal: the wrong thing false
// a long name: the path false
// true ENOENT no such file or directory -2
// 1
// a b: resource busy or locked (EBUSY)
// try 0
// try 1
// try 2
// gave up after 3
// here
// true
// all
// missing: ENOENT
// stop: Stop
