// Names, certificates of clients, versions, and a server that chooses its identity late.
import UVTLS

enum SecureOptions: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let directory = try await makeCertificates(loop)
      let pem = try await loop.files.readFile("\(directory)/server.pem").value
      let key = try await loop.files.readFile("\(directory)/server.key").value
      let identity = try TLSIdentity(pemCertificateChain: pem, pemPrivateKey: key)

      var options = TLSOptions()
      options.minimumVersion = .tls12
      options.maximumVersion = .tls12
      options.cipherList = "ECDHE+AESGCM"
      options.cipherSuites = "TLS_AES_128_GCM_SHA256"
      let keys = try TLSTicketKeys()
      try keys.add(Bytes(repeating: 7, count: TLSTicketKeys.keySize))
      try keys.rotate(keeping: TLSTicketKeys.limit)
      options.ticketKeys = keys
      options.smallFirstRecords = true
      options.handshakesOnThreadPool = true
      options.keyLog = { line in if line.isEmpty { print("empty") } }
      print(TLSOptions.Version.tls12 < .tls13)

      let servers = [
        try TLSContext.server(
          identity, names: ["*.example.org": identity],
          clientCertificates: .optional(.certificates(pem: pem)),
          options: options),
        try TLSContext.server(identity, clientCertificates: .required(.everyoneWithoutVerification)),
        try TLSContext.server(
          choosing: { loop, name in
            Request(loop) { done in loop.sleep(for: .zero) { _ in done(.success(identity)) } }
          }, clientCertificates: .none),
      ]
      let clients = [
        try TLSContext.client(trust: .certificates(pem: pem)),
        try TLSContext.client(trust: .everyoneWithoutVerification, identity: identity),
        try TLSContext.client(trust: .certificates("\(directory)/server.pem")),
      ]
      for (server, client) in zip(servers, clients) {
        let (near, far) = try loop.pipes.socketPair()
        let accepting = loop.spawn { () async throws(UVError) in try await loop.tls.secure(near, server).value
        }
        let connection = try await loop.tls.secure(far, client, host: "localhost").value
        let accepted = try await accepting.value
        print(accepted.protocolVersion, accepted.peerCertificates.count)
        connection.close()
        accepted.close()
      }
      do {
        _ = try TLSContext.client(trust: .system, protocols: [""])
      } catch {
        print(error)
      }
      do {
        _ = try TLSIdentity(certificateChain: "/nowhere", privateKey: "/nowhere", passphrase: "secret")
      } catch {
        print(error)
      }
      try await removeCertificates(loop, directory)
    }
  }
}

// Prints:
// true
// TLSv1.2 0
// TLSv1.3 1
// TLSv1.3 0
// tls_context protocol "": invalid argument (EINVAL)
// read /nowhere: no such file or directory (ENOENT)
