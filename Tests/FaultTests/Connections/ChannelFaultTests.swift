import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// Channels whose other end closes.
@Suite(.serialized) struct ChannelFaultTests {
  @Test("What a peer wrote before it closed is read to its end, handles and all", arguments: [1, 2, 3, 10])
  func nothingIsLostAtTheEndOfAChannel(count: Int) async throws {
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair(passesHandles: true)
      for number in 0..<count {
        let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
        try await near.write(Bytes("\(number % 10)"), passing: socket).value
        try await socket.close().value
      }
      try await near.write(" and no handle").value
      try await near.close().value
      var text = ""
      var handles = 0
      while let bytes = try await far.next().value {
        text += bytes.description
        while far.pendingHandleCount > 0 {
          try far.acceptUDPSocket().close()
          handles += 1
        }
      }
      #expect(text == (0..<count).map { "\($0 % 10)" }.joined() + " and no handle")
      #expect(handles == count)
      far.close()
    }
  }
}
