import Foundation
import Testing
import UV
import UVTestSupport

/// Sending a file that can't begin: it fails, and the stream is as before.
@Suite(.serialized) struct RefusedSendfileTests {
  enum Refusal: CaseIterable {
    case noDescriptor, closedFile, writeOnlyFile, negativeCount, negativeOffset, busyStream, shutDownStream

    var code: UVError.Code {
      switch self {
      case .noDescriptor: .tooManyOpenFiles
      case .closedFile, .writeOnlyFile: .badDescriptor
      case .negativeCount, .negativeOffset: .invalidArgument
      case .busyStream: .busy
      case .shutDownStream: .brokenPipe
      }
    }
  }

  @Test("A file that can't be sent holds nothing back", arguments: Refusal.allCases, [false, true])
  func refused(refusal: Refusal, overPipe: Bool) async throws {
    try await withLoopAndDirectory { loop, directory in
      try await loop.files.writeFile("\(directory)/a", "0123456789").value
      let file = try await loop.files.open("\(directory)/a").value
      let other = try await loop.files.open("\(directory)/a", .writeOnly).value
      let closed = try await loop.files.open("\(directory)/a").value
      try await closed.close().value
      let (client, server): (ByteStream, ByteStream)
      if overPipe {
        let (near, far) = try loop.pipes.socketPair()
        (client, server) = (near, far)
      } else {
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        client = try await loop.tcp.connect(to: listener.localAddress()).value
        server = try await listener.accept().value
        listener.close()
      }
      let much = Bytes(repeating: 1, count: 16 << 20)
      for _ in 0..<2 {
        var log: [String] = []
        let sent = refusal == .closedFile ? closed : refusal == .writeOnlyFile ? other : file
        if refusal == .busyStream { server.write(much) { log.append("much \($0.error?.name ?? "ok")") } }
        if refusal == .shutDownStream, server.isWritable { try await server.shutdown().value }
        let limit = refusal == .noDescriptor ? DescriptorLimit() : nil
        server.sendfile(
          sent, from: refusal == .negativeOffset ? -1 : 0, count: refusal == .negativeCount ? -1 : 10
        ) { log.append($0.error.map { "\($0.code)" } ?? "sent \($0.value!)") }
        // Not on the caller's stack.
        #expect(log == [])
        limit?.lift()
        try await loop.until { log.contains("\(refusal.code)") }
        if refusal == .shutDownStream { continue }
        // Writes leave, all can be awaited, and another file can be sent.
        var isDrained = false
        if refusal == .busyStream {
          #expect(try await client.read(exactly: much.count).value == much)
          try await loop.until { log.contains("much ok") }
        }
        server.write("sorry, ") { log.append("write \($0.error?.name ?? "ok")") }
        server.drain { isDrained = $0.error == nil }
        #expect(try await client.read(exactly: 7).value == "sorry, ")
        try await loop.until { isDrained && log.contains("write ok") }
        #expect(server.writeQueueSize == 0 && !server.isAboveHighWaterMark)
        #expect(try await server.sendfile(file, from: 2, count: 5).value == 5)
        #expect(try await client.read(exactly: 5).value == "23456")
      }
      if refusal != .shutDownStream { try await server.shutdown().value }
      #expect(try await client.next().value == nil)
      for stream in [client, server] { stream.close() }
      try await file.close().value
      try await other.close().value
    }
  }
}
