// A function explains every code of an error that a program may want to tell apart, in one `switch`.
import UV

enum ExplainingErrors: Program {
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
    case .noSuchProcess: "the process"
    case .loopClosed, .loopRunning, .sourceStarted, .loopAdopted, .loopForked: "the program itself"
    default: "something else"
    }
  }

  static func main() throws {
    try EventLoop.run { loop in
      let requests: [(String, () async throws -> Void)] = [
        ("a file", { _ = try await loop.files.readFile("/nowhere").value }),
        ("a directory", { _ = try await loop.files.readFile("/").value }),
        ("a port", { _ = try await loop.tcp.connect(host: "127.0.0.1", port: 1).value }),
        (
          "a time",
          { _ = try await loop.sleep(for: .seconds(60)).timeout(after: .milliseconds(1)).value }
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
}

// Prints:
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
