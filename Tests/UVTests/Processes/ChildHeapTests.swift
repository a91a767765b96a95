import Foundation
import Testing
import UV
import UVTestSupport

/// The heap after programs have been started with much to read: it has as much as before.
@Suite(.serialized, .onTheMachine("the heap")) struct ChildHeapTests {
  enum Start: CaseIterable {
    case arguments, environment, refused, successor
  }

  @Test(arguments: Start.allCases)
  func `The arguments and the variables of a child are given back`(start: Start) async throws {
    let many = (0..<100).map { "argument \($0) of many" }
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      func make() async throws {
        switch start {
        case .arguments: _ = try await loop.processes.run("/bin/true", many).value
        case .environment:
          let variables = Dictionary(uniqueKeysWithValues: many.map { ($0.replacing(" ", with: "_"), $0) })
          _ = try await loop.processes.run("/bin/true", environment: variables).value
        case .refused:
          await expectError(.noSuchFile, of: try await loop.processes.run("/no/program", many).value)
        // It inherits the variables of this process.
        case .successor:
          await expectError(
            .connectionAborted, of: try await loop.handover("/bin/false", many, within: .seconds(100)).value)
        }
      }
      try await make()
      // Handles that close are given back in the next turn.
      try await loop.sleep(for: .zero).value
      // Each of these texts, and each variable, is some dozens of bytes.
      try await expectHeapGivenBack("\(start)", count: 3, leak: 500) {
        try await make()
        try await loop.sleep(for: .zero).value
      }
      listener.close()
    }
  }
}
