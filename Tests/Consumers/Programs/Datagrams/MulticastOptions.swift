// A socket is given the options that multicast and broadcast take, and joins a group on the loopback interface.
import UV

enum MulticastOptions: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let socket = try loop.udp.bind(to: SocketAddress("127.0.0.1", port: 0), options: [.receiveInBatches])
      print(socket.receivesInBatches)
      try socket.setBroadcast(true)
      try socket.setTTL(4)
      try socket.setMulticastLoop(true)
      try socket.setMulticastTTL(2)
      try socket.setMulticastInterface("127.0.0.1")
      try socket.join(group: "239.255.0.1", interface: "127.0.0.1")
      try socket.leave(group: "239.255.0.1", interface: "127.0.0.1")
      do throws(UVError) {
        try socket.setTTL(0)
      } catch {
        print(error.code == .invalidArgument)
      }
      do throws(UVError) {
        try socket.join(group: "not an address")
      } catch {
        print(error.code == .invalidArgument)
      }
      socket.close()
      print(UDP.Options.ipv6Only.rawValue > 0)
    }
  }
}

// Prints:
// true
// true
// true
// true
