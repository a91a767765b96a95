// A server and a client that speak in secret, and say what they have agreed on.
import UVTLS

enum SecureEcho: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let directory = try await makeCertificates(loop)
      let identity = try TLSIdentity(
        certificateChain: "\(directory)/server.pem", privateKey: "\(directory)/server.key")
      var refused: [UVError] = []
      let listener = try loop.tls.listen(
        host: "127.0.0.1", port: 0, .server(identity, protocols: ["h2", "echo"]),
        onHandshakeFailure: { refused.append($0) })
      loop.spawn {
        do {
          for try await connection in listener {
            for try await chunk in connection { try await connection.write(chunk).value }
            connection.close()
          }
        } catch { print(error) }
      }
      let context = try TLSContext.client(
        trust: .certificates("\(directory)/server.pem"), protocols: ["echo"])
      let port = Int(try listener.localAddress().port)
      let connection = try await loop.tls.connect(host: "localhost", port: port, context).value
      print(connection.protocolVersion, connection.negotiatedProtocol ?? "-", connection.serverName ?? "-")
      print(connection.isResumed, connection.peerCertificates.count, connection.cipherSuite.isEmpty)
      try connection.setNoDelay()
      try connection.setKeepAlive(.seconds(60))
      try connection.setUserTimeout(.seconds(60))
      print(try connection.tcpInformation().retransmissionCount >= 0)
      print(try connection.localAddress().host, try Int(connection.peerAddress().port) == port)
      try await connection.write("in secret\n").value
      print(try await connection.readLine(limit: 100).value ?? "-")
      try await connection.shutdown().value
      print(try await connection.read().value == nil)
      connection.close()

      // The system doesn't trust this server.
      do throws(UVError) {
        _ = try await loop.tls.connect(host: "localhost", port: port).value
      } catch {
        print(error.code == .tls, error.message)
      }
      // The server learns of it a little later.
      while refused.isEmpty { try await loop.sleep(for: .milliseconds(1)).value }
      print(refused[0])
      listener.close()
      try await removeCertificates(loop, directory)
    }
  }
}

// Prints:
// TLSv1.3 echo localhost
// false 1 false
// true
// 127.0.0.1 true
// in secret
// true
// true self-signed certificate
// accept: the peer has sent the alert unknown CA (TLS)
