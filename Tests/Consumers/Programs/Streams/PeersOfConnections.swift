// Shows what the system tells of peers: their process, and the way to them.
import UV

enum PeersOfConnections: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let path = "/tmp/swift-uv-peers-\(SystemInfo.processID)"
      let pipes = try loop.pipes.listen(path: path)
      let pipe = try await loop.pipes.connect(path: path).value
      let peer = try await pipes.accept().value.peerCredentials()
      print(peer == (try pipe.peerCredentials()))
      print(peer.processID.map { Int($0) == Int(SystemInfo.processID) } ?? true)
      print(peer == PeerCredentials(processID: peer.processID, userID: peer.userID, groupID: peer.groupID))
      pipe.close()
      pipes.close()

      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      try listener.setFastOpen(16)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      try client.setUserTimeout(.seconds(20))
      let way = try client.tcpInformation()
      print(way.roundTripTime < .seconds(1), way.roundTripVariation < .seconds(1))
      print(way.retransmissionCount, way.congestionWindow > 0)
      for handle in loop.snapshot().handles.entries where handle.peerAddress != nil {
        print(handle.roundTripMicroseconds != nil, handle.retransmissionCount ?? -1)
      }
      client.close()
      listener.close()
    }
    let slow = TCPInformation(
      roundTripTime: .seconds(1), roundTripVariation: .zero, retransmissionCount: 3, congestionWindow: 14_480)
    print(slow.roundTripTime)
  }
}

// Prints:
// true
// true
// true
// true true
// 0 true
// true 0
// 1.0 seconds
