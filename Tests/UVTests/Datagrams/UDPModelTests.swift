import Testing
import UV
import UVTestSupport

/// Readers of a socket that come and go while datagrams come, beside a model: each datagram goes to one reader, in the order in
/// which they were sent, whoever has asked before.
@Suite struct UDPModelTests {
  @Test(
    "Whatever readers came and went, the next datagrams reach those that ask", arguments: 1...8,
    [[], .receiveInBatches] as [UDP.Options])
  func model(seed: UInt64, options: UDP.Options) async throws {
    try await withLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0, options: options)
      let sender = try loop.udp.connect(to: receiver.localAddress())
      let draws = Draws(seed)
      var (received, log): ([String], [String]) = ([], [])
      var (sent, wanted, hasHandler) = (0, 0, false)
      var pending: [PendingRequest] = []
      func note(_ result: Result<Datagram?, UVError>) {
        if case .success(let datagram?) = result { received.append("\(datagram.bytes)") }
      }
      for _ in 0..<60 {
        let step = draws.draw(6)
        log.append("\(step)")
        switch step {
        case 0, 1:
          for _ in 0...draws.draw(4) {
            try await sender.send(Bytes("\(sent)")).value
            sent += 1
          }
        case 2,
          3 where !hasHandler:
          for _ in 0...draws.draw(2) {
            wanted += 1
            pending.append(receiver.next(note))
          }
        case 4 where !hasHandler && wanted <= received.count:
          hasHandler = true
          receiver.start(note)
        case 5 where hasHandler:
          hasHandler = false
          receiver.stop()
          wanted = received.count
        case 5 where wanted > received.count && sent <= received.count:
          // Nothing is on its way to it.
          pending.removeLast().cancel()
          wanted -= 1
        default: break
        }
        let due = hasHandler ? sent : min(sent, wanted)
        try await loop.until { received.count >= due }
        for _ in 0..<2 { try await loop.sleep(for: .zero).value }
        #expect(received == (0..<due).map { "\($0)" }, "\(log)")
      }
      receiver.close()
      sender.close()
    }
  }
}
