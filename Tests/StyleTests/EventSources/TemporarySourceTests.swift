#if Everything
import Foundation
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// A source that a program makes and uses in one expression lives as long as somebody asks it for elements,
/// and no longer. One element is asked for, and after that a second one where the form allows.
enum TemporaryUse: CaseIterable {
  case iterator, value, callback, handler, promise, each, publisher, values, future
}

@Suite("A source that nothing holds but its user stays until its user goes") struct TemporarySourceTests {
  /// Uses what `make` returns, and expects that it stays until two elements have come and goes afterwards;
  /// `cause` has elements come, and is called again and again.
  nonisolated(nonsending) func expectElements<Source: EventSource>(
    _ use: TemporaryUse, _ loop: EventLoop, of make: @escaping () throws -> Source,
    sourceLocation: SourceLocation = #_sourceLocation,
    cause: nonisolated(nonsending) () async throws -> Void = {}
  ) async throws {
    let user = TemporaryUser<Source>(make)
    try user.begin(use, on: loop)
    while !user.isDone {
      user.look()
      try await cause()
      try await loop.sleep(for: .milliseconds(1)).value
    }
    user.end()
    try await loop.settle { user.source == nil }
    #expect(user.elements >= user.wanted, sourceLocation: sourceLocation)
    #expect(user.lost == 0, "gone while it was in use", sourceLocation: sourceLocation)
    #expect(user.errors == [], sourceLocation: sourceLocation)
  }

  @Test(arguments: TemporaryUse.allCases) func ticks(use: TemporaryUse) async throws {
    try await withLoop { loop in
      try await expectElements(use, loop) { loop.ticks(every: .milliseconds(1)) }
    }
  }

  @Test(arguments: TemporaryUse.allCases) func entriesOfADirectory(use: TemporaryUse) async throws {
    try await withLoop { loop in
      // Made in this task, since a directory is opened by the thread pool.
      var opened = [try await loop.files.opendir("/usr", batchSize: 1).value]
      try await expectElements(use, loop) { opened.removeLast() }
    }
  }

  @Test(arguments: TemporaryUse.allCases) func bytesOfAConnection(use: TemporaryUse) async throws {
    try await withLoop { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      var accepted = [try await listener.accept().value]
      try await expectElements(use, loop) {
        accepted.removeLast()
      } cause: {
        // Refused once the other end has gone.
        _ = try? await client.write("x").value
      }
      client.close()
      listener.close()
    }
  }

  @Test(arguments: TemporaryUse.allCases) func bytesOfAPipe(use: TemporaryUse) async throws {
    try await withLoop { loop in
      var writer: PipeConnection?
      try await expectElements(use, loop) {
        let (reading, writing) = try loop.pipes.pair()
        writer = writing
        return reading
      } cause: {
        _ = try? await writer?.write("x").value
      }
      writer?.close()
    }
  }

  @Test(arguments: TemporaryUse.allCases) func connections(use: TemporaryUse) async throws {
    try await withLoop { loop in
      let port = Port()
      try await expectElements(use, loop) {
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        port.address = try listener.localAddress()
        return listener
      } cause: {
        if let address = port.address { _ = try? await loop.tcp.connect(to: address).value }
      }
    }
  }

  @Test(arguments: TemporaryUse.allCases) func datagrams(use: TemporaryUse) async throws {
    try await withLoop { loop in
      let port = Port()
      let sender = try loop.udp.bind(host: "127.0.0.1", port: 0)
      try await expectElements(use, loop) {
        let socket = try loop.udp.bind(host: "127.0.0.1", port: 0)
        port.address = try socket.localAddress()
        return socket
      } cause: {
        if let address = port.address { try await sender.send("x", to: address).value }
      }
      sender.close()
    }
  }

  @Test(arguments: TemporaryUse.allCases) func signals(use: TemporaryUse) async throws {
    try await withLoop { loop in
      // Has the signal do no harm before and after.
      let shield = try loop.signals(.user2)
      try await expectElements(use, loop) {
        try loop.signals(.user2)
      } cause: {
        kill(getpid(), SIGUSR2)
      }
      shield.close()
    }
  }

  @Test(arguments: TemporaryUse.allCases) func aDescriptorThatIsReady(use: TemporaryUse) async throws {
    try await withLoop { loop in
      let (ours, theirs) = try loop.pipes.pair()
      try await theirs.write("x").value
      try await expectElements(use, loop) { try loop.poll(ours.fileDescriptor(), for: .readable) }
      ours.close()
      theirs.close()
    }
  }

  @Test(arguments: TemporaryUse.allCases) func changesInADirectory(use: TemporaryUse) async throws {
    try await withLoopAndDirectory { loop, path in
      try await expectElements(use, loop) {
        try loop.files.watch(path)
      } cause: {
        try await loop.files.writeFile("\(path)/a", "x").value
      }
    }
  }

  @Test(arguments: TemporaryUse.allCases) func changesInATree(use: TemporaryUse) async throws {
    try await withTemporaryDirectory { path in
      try await withLoop { loop in
        try await expectElements(use, loop) {
          try loop.files.watch(path, recursive: true)
        } cause: {
          try await loop.files.writeFile("\(path)/a", "x").value
        }
      }
    }
  }

  @Test(arguments: TemporaryUse.allCases) func changesOfAStatus(use: TemporaryUse) async throws {
    try await withLoopAndDirectory { loop, path in
      var size = 0
      try await expectElements(use, loop) {
        try loop.files.watchStatus("\(path)/a", every: .milliseconds(1))
      } cause: {
        size += 1
        try await loop.files.writeFile("\(path)/a", Bytes(repeating: 1, count: size)).value
      }
    }
  }

  @Test(arguments: TemporaryUse.allCases) func iterations(use: TemporaryUse) async throws {
    try await withLoop { loop in
      try await expectElements(use, loop) { try loop.iterations(.check) }
    }
  }
}

private final class Port {
  var address: SocketAddress?
}

/// Uses a source that it does not hold.
private final class TemporaryUser<Source: EventSource> {
  private let make: () throws -> Source
  private(set) weak var source: Source?
  private var isMade = false
  private(set) var elements = 0
  /// How often an element came, or was asked for, though the source had gone.
  private(set) var lost = 0
  private(set) var errors: [String] = []
  private(set) var wanted = 1
  private var cancel: () -> Void = {}

  init(_ make: @escaping () throws -> Source) { self.make = make }

  var isDone: Bool { elements >= wanted || !errors.isEmpty || lost > 0 }

  /// Makes a source, which the caller alone holds.
  private func temporary() throws -> Source {
    let source = try make()
    self.source = source
    isMade = true
    return source
  }

  /// To be called while elements are waited for.
  func look() { if isMade, !isDone, source == nil { lost += 1 } }

  private func take(_ element: Source.Element?) {
    // The last one may arrive after the source.
    elements += 1
    look()
    (element as? Handle)?.close()
  }

  private func take(_ result: Result<Source.Element?, UVError>) {
    switch result {
    case .success(let element): take(element)
    case .failure(let error): if !isDone { errors.append(error.name) }
    }
  }

  func end() {
    cancel()
    cancel = {}
  }

  func begin(_ use: TemporaryUse, on loop: EventLoop) throws {
    switch use {
    case .iterator:
      wanted = 3
      loop.spawn { [self] in
        do {
          for try await element in try temporary() {
            take(element)
            if isDone { break }
          }
        } catch {
          errors.append("\(error)")
        }
      }
    case .value:
      loop.spawn { [self] in
        do { take(try await temporary().next().value) } catch { errors.append("\(error)") }
      }
    case .callback: try temporary().next { [self] in take($0) }
    case .handler:
      wanted = 3
      try temporary().start { [self] in take($0) }
      cancel = { [self] in source?.stop() }
    case .promise:
      try temporary().next().promise().done { [self] in take($0) }.catch { [self] in errors.append("\($0)") }
    case .each:
      wanted = 3
      let all = try temporary().each { [self] element in
        take(element)
        return loop.sleep(for: .zero).promise()
      }
      cancel = { all.cancel() }
    case .publisher:
      wanted = 3
      let subscription = try temporary().publisher().sink { _ in
      } receiveValue: { [self] in
        take($0)
      }
      cancel = { subscription.cancel() }
    case .values:
      wanted = 3
      loop.spawn { [self] in
        do {
          for try await element in try temporary().publisher().values {
            take(element)
            if isDone { break }
          }
        } catch {
          errors.append("\(error)")
        }
      }
    case .future:
      let subscription = try temporary().next().future().sink { _ in
      } receiveValue: { [self] in
        take($0)
      }
      cancel = { subscription.cancel() }
    }
  }
}
#endif
