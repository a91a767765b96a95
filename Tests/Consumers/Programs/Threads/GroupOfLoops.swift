// Loops on threads of their own: work is spread over them, and a port is served by all.
import UV

enum GroupOfLoops: Program {
  static func main() throws {
    let group = try EventLoopGroup(count: 3)
    print(group.executors.count, EventLoopGroup.defaultCount >= 1)
    try EventLoop.run { loop in
      var sum = 0
      for number in 1...6 { sum += try await group.next().submit { loop in loop.isClosed ? 0 : number } }
      print(sum)
      let handles = try await group.next().submit(on: loop) { $0.activity.handles }.value
      print(handles >= 0)

      let address = try await group.listen(host: "127.0.0.1", port: 0, balance: .roundRobin) { connection in
        connection.write("served") { _ in connection.close() }
      }
      for _ in 0..<3 {
        let client = try await loop.tcp.connect(to: address).value
        for try await bytes in client { print(String(decoding: bytes, as: UTF8.self)) }
        client.close()
      }
      let second = try await group.serve(host: "127.0.0.1", port: 0, balance: .system, on: loop) {
        connection in
        do { try await connection.write("second").value } catch { print(error) }
      }.value
      let client = try await loop.tcp.connect(to: second).value
      print(try await client.read().value == "second")
      client.close()
      let third = try await group.listen(host: "127.0.0.1", port: 0, on: loop) { $0.close() }.value
      print(third.port > 0)
      let report = try await group.shutdownGracefully(within: .seconds(10), on: loop).value
      print(report == ShutdownReport(count: 0, peers: []))
      do throws(UVError) {
        try await group.serve(port: 0) { _ in }
      } catch {
        print(error.code == .loopClosed)
      }
    }
  }
}

// Prints:
// 3 true
// 21
// true
// served
// served
// served
// true
// true
// true
// true
