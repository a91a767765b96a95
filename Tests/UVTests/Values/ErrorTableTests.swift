import Testing
import UV

/// Errors beside each other: which are the same, and what they say.
@Suite struct ErrorTableTests {
  private enum Cause: Error { case one, other }

  @Test func `Two errors are the same if all that distinguishes them is, and then have the same hash`() {
    // Each differs from the others in one respect.
    let all: [() -> UVError] = [
      { UVError(.timedOut, operation: "read") }, { UVError(.busy, operation: "read") },
      { UVError(.timedOut, operation: "write") }, { UVError(.timedOut, operation: "read", subject: "it") },
      { UVError(.timedOut, operation: "read", subject: "") },
      { UVError(.timedOut, operation: "read", subject: "other") },
      { UVError(.tls, operation: "read", message: "one") },
      { UVError(.tls, operation: "read", message: "other") },
      { UVError(.connectionAborted, operation: "read") },
      { UVError(.connectionAborted, operation: "read", cause: Cause.one) },
      { UVError(.connectionAborted, operation: "read", cause: Cause.other) },
    ]
    for (place, make) in all.enumerated() {
      for (otherPlace, other) in all.enumerated() {
        #expect((make() == other()) == (place == otherPlace), "\(make()) and \(other())")
      }
      #expect(make().hashValue == make().hashValue)
    }
    #expect(Set(all.map { $0() }).count == all.count)
    // For other codes than TLS's a message of its own doesn't matter.
    let (plain, explained) = (
      UVError(.busy, operation: "x"), UVError(.busy, operation: "x", message: "because")
    )
    #expect(plain == explained && plain.hashValue == explained.hashValue && explained.message == "because")
  }

  @Test func `An error says its operation, its subject, its message and its name`() {
    let error = UVError(.noSuchFile, operation: "fs_open", subject: "/nowhere")
    #expect("\(error)" == "fs_open /nowhere: no such file or directory (ENOENT)")
    #expect(
      (error.code, error.operation, error.subject, error.name) == (
        .noSuchFile, "fs_open", "/nowhere", "ENOENT"
      ))
    let caused = UVError(.connectionAborted, operation: "create", cause: Cause.one)
    #expect(
      "\(caused)" == "create: one (ECONNABORTED)" && caused.cause as? Cause == .one && caused.subject == nil)
    #expect(error.cause == nil && !error.isCancelled && UVError(.cancelled, operation: "x").isCancelled)
    let explained = UVError(.tls, operation: "handshake", subject: "host", message: "certificate has expired")
    #expect("\(explained)" == "handshake host: certificate has expired (TLS)" && explained.cause == nil)
  }

  @Test func `A code is its number, and has the system's name and message`() {
    let codes: [(UVError.Code, Int32, String)] = [
      (.cancelled, -125, "ECANCELED"), (.timedOut, -110, "ETIMEDOUT"),
      (.connectionRefused, -111, "ECONNREFUSED"),
      (.connectionReset, -104, "ECONNRESET"), (.connectionAborted, -103, "ECONNABORTED"),
      (.brokenPipe, -32, "EPIPE"),
      (.notConnected, -107, "ENOTCONN"), (.alreadyConnected, -106, "EISCONN"),
      (.addressInUse, -98, "EADDRINUSE"),
      (.addressNotAvailable, -99, "EADDRNOTAVAIL"), (.hostUnreachable, -113, "EHOSTUNREACH"),
      (.networkUnreachable, -101, "ENETUNREACH"), (.noSuchFile, -2, "ENOENT"), (.fileExists, -17, "EEXIST"),
      (.isDirectory, -21, "EISDIR"), (.notDirectory, -20, "ENOTDIR"), (.directoryNotEmpty, -39, "ENOTEMPTY"),
      (.fileTooLarge, -27, "EFBIG"), (.noSpace, -28, "ENOSPC"), (.permissionDenied, -13, "EACCES"),
      (.notPermitted, -1, "EPERM"), (.badDescriptor, -9, "EBADF"), (.invalidArgument, -22, "EINVAL"),
      (.tooManyOpenFiles, -24, "EMFILE"), (.outOfMemory, -12, "ENOMEM"), (.noBuffers, -105, "ENOBUFS"),
      (.wouldBlock, -11, "EAGAIN"), (.busy, -16, "EBUSY"), (.alreadyInProgress, -114, "EALREADY"),
      (.nameTooLong, -36, "ENAMETOOLONG"), (.notSupported, -95, "ENOTSUP"),
      (.messageTooLong, -90, "EMSGSIZE"),
      (.protocolError, -71, "EPROTO"), (.destinationRequired, -89, "EDESTADDRREQ"),
      (.notSocket, -88, "ENOTSOCK"),
      (.notTerminal, -25, "ENOTTY"), (.noSuchProcess, -3, "ESRCH"), (.endOfFile, -4095, "EOF"),
      (.unknownHost, -3008, "EAI_NONAME"), (.nameServerFailure, -3001, "EAI_AGAIN"),
    ]
    for (code, number, name) in codes {
      #if os(Linux)
      #expect(code.rawValue == number, "\(name)")
      #endif
      #expect(code.name == name && "\(code)" == name && !code.message.isEmpty && code.message != name)
      #expect(UVError.Code(rawValue: code.rawValue) == code)
    }
    #expect(Set(codes.map(\.0)).count == codes.count && Set(codes.map(\.0.message)).count == codes.count)
    #expect(UVError.Code(rawValue: -4999).name.contains("4999"))
  }
}
