// Functions that are generic over sources, and over the kind of stream, take any of them.
import UV

private func count<Source: EventSource>(_ source: Source, upTo limit: Int) async throws -> Int {
  var count = 0
  for try await _ in source {
    count += 1
    if count == limit { break }
  }
  return count
}

private func first<Element>(of source: some EventSource<Element>) async throws -> Element? {
  try await source.next().value
}

private func greet<Connection: ByteStream>(_ listener: StreamListener<Connection>) async throws {
  let connection = try await listener.accept().value
  try await connection.write(Bytes("\(type(of: connection))")).value
  connection.close()
}

enum GenericOverStreams: Program {
  static func main() throws {
    try EventLoop.run { loop in
      print(try await count(loop.ticks(every: .milliseconds(1)), upTo: 3))
      print(try await first(of: loop.ticks(every: .milliseconds(1))) != nil)
      let tcp = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let pipe = try loop.pipes.listen(path: "/tmp/consumers-generic-\(SystemInfo.processID)")
      let one = try await loop.tcp.connect(to: tcp.localAddress()).value
      let two = try await loop.pipes.connect(path: pipe.localPath()!).value
      try await greet(tcp)
      try await greet(pipe)
      let clients: [ByteStream] = [one, two]
      for client in clients {
        for try await bytes in client { print(String(decoding: bytes, as: UTF8.self)) }
        client.close()
      }
      let handles: [Handle] = [tcp, pipe]
      handles.forEach { $0.close() }
    }
  }
}

// Prints:
// 3
// true
// TCPConnection
// PipeConnection
