import Foundation
import Testing
import UV
import UVTestSupport

/// The program's standard streams, in processes of their own that have them in each kind.
@Suite(.serialized, .onTheMachine("processes that end")) struct StandardStreamTests {
  enum Kind: String, CaseIterable {
    case pipe, socket, file, terminal

    /// A descriptor of this kind that nobody else needs.
    fileprivate func open() throws -> Int32 {
      var ends: [Int32] = [-1, -1]
      switch self {
      case .pipe: precondition(Foundation.pipe(&ends) == 0)
      case .socket: precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      case .file: ends[0] = Int32(fileno(tmpfile()))
      case .terminal: ends[0] = try openPseudoTerminal().terminal
      }
      return ends[0]
    }
  }

  /// Checks in a process in which descriptor 0 is of this kind. Its end is the answer.
  fileprivate static func check(_ kind: Kind) throws {
    let descriptor = try kind.open()
    precondition(dup2(descriptor, 0) == 0)
    let loop = try EventLoop()
    try loop.run { loop in
      let first = try loop.standardInput
      guard try loop.standardInput === first else { exit(2) }
      try await first.close().value
      // The descriptor stays the program's, which may open the stream anew.
      let second = try loop.standardInput
      guard second !== first, !second.isClosing, try loop.standardInput === second else { exit(3) }
      guard fcntl(0, F_GETFD) >= 0 else { exit(4) }
    }
    loop.shutdown()
    do throws(UVError) {
      _ = try loop.standardInput
      exit(5)
    } catch {
      guard error == UVError(.loopClosed, operation: "open", subject: "descriptor 0") else { exit(6) }
    }
    exit(0)
  }

  @Test(arguments: Kind.allCases)
  func `A standard stream is one stream until it is closed, and a loop that has ended opens none`(kind: Kind)
    async
  {
    await #expect(processExitsWith: .success) { [name = kind.rawValue as String] in
      try StandardStreamTests.check(Kind(rawValue: name)!)
    }
  }
}
