import COpenSSL
import Foundation
import Testing
import UVTLS
import UVTestSupport

/// Peers that want the stream to hold much, or the loop to do much at a stretch.
@Suite struct GreedyPeerTests {
  /// A client of OpenSSL's own on a socket that doesn't block.
  private final class Client {
    let ssl: OpaquePointer
    private let context: OpaquePointer
    private let descriptor: Int32
    /// Whether a byte has been given to OpenSSL that the system hasn't taken.
    private var hasByteLeft = false

    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      context = SSL_CTX_new(TLS_client_method())
      ssl = SSL_new(context)
      SSL_set_connect_state(ssl)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      SSL_set_fd(ssl, descriptor)
    }

    deinit {
      SSL_free(ssl)
      SSL_CTX_free(context)
    }

    /// Goes on with the handshake; whether it is done.
    func connect() -> Bool {
      ERR_clear_error()
      return SSL_do_handshake(ssl) == 1
    }

    /// Asks for new keys, and sends a byte that makes the question look useful; false if the system has no
    /// room.
    func ask() -> Bool {
      ERR_clear_error()
      if !hasByteLeft, SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) != 1 { return false }
      hasByteLeft = SSL_write(ssl, "x", 1) != 1
      return !hasByteLeft
    }

    /// Takes what has come from the system, as it is, and returns how much that was. OpenSSL would read
    /// nothing before its own question has left.
    func read() -> Int {
      var buffer = [UInt8](repeating: 0, count: 4096)
      var count = 0
      while true {
        let read = recv(descriptor, &buffer, buffer.count, 0)
        if read <= 0 { return count }
        count += read
      }
    }
  }

  @Test(
    "A peer that asks for new keys for ever, with useful bytes between, and never reads costs a bounded amount of memory"
  )
  func keyUpdates() async throws {
    let context = try Certificates.shared.server()
    let sockets = Sockets.pipe()
    try await withLoop { loop in
      let client = Client(sockets.far)
      let pending = loop.spawn { () async throws(UVError) in
        try await loop.tls.secure(try loop.pipes.open(fileDescriptor: sockets.near), context).value
      }
      try await loop.until { client.connect() }
      let server = try await pending.value
      let received = Log<Int>()
      server.start { if case .success(let bytes?) = $0 { received.append(bytes.count) } }
      let before = Hooks.heapInUse ?? 0
      // Until the system has had no room for long, although the stream has had its turns.
      var (sent, refused) = (0, 0)
      while refused < 100, sent < 400_000 {
        if client.ask() {
          sent += 1
          refused = 0
        } else {
          refused += 1
          try await loop.sleep(for: .zero).value
        }
      }
      let held = (Hooks.heapInUse ?? 0) - before
      print(
        "asked for new keys \(sent) times; the stream holds \(server.writeQueueSize) bytes, the heap \(held) more"
      )
      #expect(refused == 100, "the stream reads on")
      #expect(server.isAboveHighWaterMark)
      #expect(65_536...262_144 ~= server.writeQueueSize)
      #expect(held < 1 << 20)
      // A peer that reads after all is served to the end.
      while received.values.reduce(0, +) < sent {
        _ = client.read()
        try await loop.sleep(for: .zero).value
      }
      while server.writeQueueSize > 0 {
        _ = client.read()
        try await loop.sleep(for: .zero).value
      }
      #expect(!server.isAboveHighWaterMark)
      try await server.write("thanks").value
      while client.read() == 0 { try await loop.sleep(for: .zero).value }
      server.close()
    }
    close(sockets.far)
  }

  @Test("A large write to a peer that reads fast leaves each turn of the loop to the others, too")
  func largeWrite() async throws {
    let context = try Certificates.shared.server()
    let sockets = Sockets.tcp()
    let peer = Peer(sockets.far, .tls)
    peer.start()
    try await withLoop { loop in
      let server = try await loop.tls.secure(try loop.tcp.open(fileDescriptor: sockets.near), context).value
      try server.setSendBufferSize(4 << 20)
      let size = 64 << 20
      var (isWritten, left, most) = (false, size, 0)
      peer.read()
      server.write(Bytes(repeating: 1, count: size)) { _ in isWritten = true }
      while !isWritten {
        try await loop.sleep(for: .zero).value
        most = max(most, left - server.writeQueueSize)
        left = server.writeQueueSize
      }
      print("at most \(most) bytes of a large write left in a turn")
      // What its budget allows, and what one call of the system takes beside it.
      #expect(most <= 8 << 20)
      try await server.shutdown().value
      server.close()
    }
    #expect(peer.end().bytes.count == 64 << 20)
  }
}
