// A server and clients in callbacks; a connection that is cut says so.
import UVTLS

enum SecureCallbacks: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let directory = try await makeCertificates(loop)
      let identity = try TLSIdentity(
        certificateChain: "\(directory)/server.pem", privateKey: "\(directory)/server.key")
      let context = try TLSContext.client(trust: .certificates("\(directory)/server.pem"))
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, .server(identity), backlog: 10, handshakeTimeout: .seconds(5),
        handshakeLimit: 4, silentLimit: 64)
      let port = Int(try listener.localAddress().port)
      let server = try TLSContext.server(identity)

      // One connection by each way to ask.
      listener.accept { result in if case .success(let connection) = result { greet(connection, "accept") } }
      _ = try await loop.tls.connect(host: "localhost", port: port, context).value.readToEnd(limit: 100).map {
        print($0)
      }.value
      listener.next { result in if case .success(let connection?) = result { greet(connection, "next") } }
      _ = try await loop.tls.connect(host: "localhost", port: port, context).value.readToEnd(limit: 100).map {
        print($0)
      }.value
      listener.start { result in if case .success(let connection?) = result { greet(connection, "start") } }
      _ = try await loop.tls.connect(host: "localhost", port: port, context).value.readToEnd(limit: 100).map {
        print($0)
      }.value
      listener.stop()
      let accepting = loop.spawn { () async throws(UVError) in
        greet(try await listener.accept().value, "task")
      }
      let last = try await loop.tls.connect(host: "localhost", port: port, context).value
      try await accepting.value
      print(try await last.readToEnd(limit: 100).value)
      try await listener.close().value

      // Half-way, and cut by somebody who doesn't know of TLS.
      let (near, far) = try loop.pipes.socketPair()
      let (other, end) = try loop.pipes.socketPair()
      near.start { result in if case .success(let bytes?) = result { other.write(bytes) { _ in } } }
      other.start { result in if case .success(let bytes?) = result { near.write(bytes) { _ in } } }
      // A connection that nobody keeps says goodbye.
      let (ends, ended) = AsyncStream.makeStream(of: Void.self)
      var kept: TLSConnection?
      loop.tls.secure(end, server) { result in
        guard case .success(let connection) = result else { return print(result) }
        connection.write("half of it") { _ in }
        kept = connection
      }
      loop.tls.secure(far, context, host: "localhost") { result in
        guard case .success(let connection) = result else { return print(result) }
        connection.start { result in
          switch result {
          case .success(let bytes?):
            print(bytes)
            near.close()
          case .success(nil): print("a clean end")
          case .failure(let error):
            print(error.code == .tlsTruncated, error.name)
            ended.yield()
          }
        }
      }
      for await _ in ends { break }
      other.close()
      kept?.close()
      loop.tls.connect(host: "localhost", port: port, context) { result in
        if case .failure(let error) = result { print(error.code == .connectionRefused) }
      }
      try await removeCertificates(loop, directory)
    }
  }

  private static func greet(_ connection: TLSConnection, _ how: String) {
    connection.write(Bytes("by " + how)) { _ in }
    connection.close()
  }
}

// Prints:
// by accept
// by next
// by start
// by task
// half of it
// true ETLSTRUNCATED
// true
