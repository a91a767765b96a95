import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// How many calls of the system datagrams cost, counted.
@Suite struct BatchCountTests {
  @Test(arguments: [false, true])
  func `Datagrams that wait are received by one call if the program says so, and otherwise one by one`(
    inBatches: Bool
  ) async throws {
    guard test_faults_reach(FaultLayer.system) != 0 else { return }
    try await withLoop { loop in
      let socket = try loop.udp.bind(host: "127.0.0.1", port: 0, options: inBatches ? .receiveInBatches : [])
      let sender = try loop.udp.connect(to: socket.localAddress())
      for round in 0..<3 {
        for number in 0..<20 { try await sender.send(Bytes("\(round) \(number)")).value }
        // None fires, but they are counted.
        test_faults_arm(ENOMEM, FaultLayer.system, .max, 1, "recvmmsg")
        for number in 0..<20 { #expect(try await socket.next().value?.bytes == Bytes("\(round) \(number)")) }
        let (batches, single) = (test_faults_calls("recvmmsg"), test_faults_calls("recvmsg"))
        _ = test_faults_disarm()
        if inBatches {
          #expect(1...2 ~= batches && single == 0, "\(batches) calls for a batch, and \(single)")
        } else {
          #expect(batches == 0 && single >= 20, "\(batches) calls for a batch, and \(single)")
        }
      }
      for socket in [socket, sender] { socket.close() }
    }
  }
}
