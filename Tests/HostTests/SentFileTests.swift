#if Everything
import Foundation
import Testing
import UVTLS
import UVTestSupport

/// Files on their way to a peer that doesn't read, on a loop that leaves its host.
@Suite struct SentFileTests {
  enum Way: CaseIterable {
    case socket, pipe, blockingSocket, blockingPipe, secure

    /// Makes the two ends, of which `near` is written to.
    fileprivate func connect(
      _ loop: EventLoop, _ done: @escaping (_ near: ByteStream, _ far: ByteStream) -> Void
    )
      throws
    {
      switch self {
      case .socket, .blockingSocket:
        let (near, far) = try loop.pipes.socketPair()
        if self == .blockingSocket { try near.setBlocking(true) }
        done(near, far)
      case .pipe, .blockingPipe:
        let (reading, writing) = try loop.pipes.pair()
        if self == .blockingPipe { try writing.setBlocking(true) }
        done(writing, reading)
      case .secure:
        let directory = Certificates.shared.directory
        let identity = try TLSIdentity(
          certificateChain: "\(directory)/server.pem", privateKey: "\(directory)/server.key")
        let context = try TLSContext.client(trust: .certificates("\(directory)/root.pem"))
        let (near, far) = try loop.pipes.socketPair()
        var server: ByteStream?
        loop.tls.secure(near, try .server(identity)) { result in server = try? result.get() }
        loop.tls.secure(far, context, host: "localhost") { result in
          // The server is done with the client's last message.
          loop.eventually(server != nil) { if case .success(let client) = result { done(server!, client) } }
        }
      }
    }
  }

  @Test(
    "A loop leaves its host while a file is sent, and each waiter is notified once", arguments: Way.allCases,
    [false, true])
  func leaving(way: Way, isPoolBusy: Bool) async throws {
    // Made with descriptors that stay.
    _ = Certificates.shared
    let answers = Log<String>()
    try await withTemporaryDirectory { directory in
      try Data(count: 8 << 20).write(to: URL(fileURLWithPath: "\(directory)/a"))
      try await withThread {
        let host = Host()
        let loop = try EventLoop(adopting: host.loop)
        var letGo: (() -> Void)?
        loop.files.open("\(directory)/a") { result in
          guard case .success(let file) = result else { return }
          try? way.connect(loop) { near, far in
            if isPoolBusy { letGo = keepPoolBusy(of: loop) }
            near.sendfile(file, count: 8 << 20) { answers.append("sent \($0.error?.name ?? "ok")") }
            near.write("after") { answers.append("written \($0.error?.name ?? "ok")") }
            let leave = {
              loop.detach { _ in answers.append("left") }
              letGo?()
            }
            if isPoolBusy { leave() } else { far.next { _ in leave() } }
          }
        }
        host.run()
        #expect(host.foreignHandles == 0)
        #expect(host.close() == 0)
      }
    }
    #expect(answers.values.last == "left")
    #expect(answers.values.dropLast().sorted() == ["sent ECANCELED", "written ECANCELED"])
  }
}
#endif
