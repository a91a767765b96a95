#if Everything
import Foundation
import Testing
import UV
import UVFutures
import UVPromises
import UVTestSupport

/// A source delivers the same in every style, and stays usable when its reader goes.
@Suite struct SourceStyleTests {
  @Test(arguments: Style.allCases) func datagrams(style: Style) async throws {
    try await withLoop { loop in
      let receiver = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let sender = try loop.udp.connect(to: receiver.localAddress())
      let log = Log<String>()
      let cancel = style.observe(receiver, on: loop, log) { $0.bytes.description }
      for word in ["one", "", "three"] as [Bytes] { try await sender.send(word).value }
      try await loop.settle { log.values.count == 3 }
      cancel()
      try await loop.settle()
      try await sender.send("four").value
      // An eager future reads on: what it was asked for is its.
      if style != .future { #expect(try await receiver.next().value?.bytes == "four") }
      receiver.close()
      sender.close()
      try await loop.settle { loop.statistics.handles == 0 }
      #expect(Array(log.values.prefix(3)) == ["one", "", "three"])
    }
  }

  @Test(arguments: Style.allCases) func connectionsThroughAPath(style: Style) async throws {
    try await withLoopAndDirectory { loop, directory in
      let listener = try loop.pipes.listen(path: directory + "/listener")
      let log = Log<String>()
      let cancel = style.observe(listener, on: loop, log) { connection in
        connection.close()
        return "connection"
      }
      for _ in 0..<3 { try await loop.pipes.connect(path: directory + "/listener").value.close() }
      try await loop.settle { log.values.count == 3 }
      cancel()
      listener.close()
      try await loop.settle { loop.statistics.handles == 0 }
      #expect(Array(log.values.prefix(3)) == ["connection", "connection", "connection"])
    }
  }

  @Test(arguments: Style.allCases) func aDescriptorThatIsReady(style: Style) async throws {
    try await withLoop { loop in
      let (ours, theirs) = try loop.pipes.pair()
      let descriptor = try ours.fileDescriptor()
      let watcher = try loop.poll(descriptor, for: .readable)
      try await theirs.write("abc").value
      let log = Log<String>()
      let cancel = style.observe(watcher, on: loop, log) { events in
        var byte: UInt8 = 0
        return events == .readable && read(descriptor, &byte, 1) == 1 ? "\(byte)" : "no"
      }
      try await loop.settle { log.values.count == 3 }
      cancel()
      for handle in [watcher, ours, theirs] as [Handle] { handle.close() }
      try await loop.settle { loop.statistics.handles == 0 }
      #expect(Array(log.values.prefix(3)) == ["97", "98", "99"])
    }
  }

  @Test(arguments: Style.allCases) func aTerminal(style: Style) async throws {
    try await withLoop { loop in
      let (control, descriptor) = try openPseudoTerminal()
      let (terminal, screen) = (try loop.tty(descriptor), try loop.tty(control))
      let log = Log<String>()
      let cancel = style.observe(terminal, on: loop, log) { $0.description }
      for line in 0..<3 {
        try await screen.write(Bytes("line \(line)\n")).value
        try await loop.settle { log.values.count == line + 1 }
      }
      cancel()
      terminal.close()
      screen.close()
      try await loop.settle { loop.statistics.handles == 0 }
      #expect(Array(log.values.prefix(3)) == ["line 0\n", "line 1\n", "line 2\n"])
      close(descriptor)
      close(control)
    }
  }
}

extension Style {
  /// Observes a source in this style, and writes down what it delivers, and each error by its name.
  ///
  /// - Returns: What ends that, in the style's own way.
  func observe<Source: EventSource>(
    _ source: Source, on loop: EventLoop, _ log: Log<String>, _ describe: @escaping (Source.Element) -> String
  ) -> () -> Void {
    let observer = SourceObserver(source, log, describe)
    switch self {
    case .callback:
      source.start { observer.note($0) }
      return { source.stop() }
    case .promise:
      observer.askWithPromise()
      return { observer.cancel() }
    case .publisher:
      let subscription = source.publisher().sink(
        receiveCompletion: { if case .failure(let error) = $0 { log.append(error.name) } },
        receiveValue: { log.append(describe($0)) })
      return { subscription.cancel() }
    case .future:
      observer.askWithFuture()
      return { observer.cancel() }
    case .async:
      let task = loop.spawn {
        do throws(UVError) {
          for try await element in source { log.append(describe(element)) }
        } catch {
          log.append(error.name)
        }
      }
      return { task.cancel() }
    }
  }
}

/// Asks a source again each time that it has answered.
private final class SourceObserver<Source: EventSource> {
  private let source: Source
  private let log: Log<String>
  private let describe: (Source.Element) -> String
  private var end: () -> Void = {}
  private var isCancelled = false

  init(_ source: Source, _ log: Log<String>, _ describe: @escaping (Source.Element) -> String) {
    self.source = source
    self.log = log
    self.describe = describe
  }

  func note(_ result: Result<Source.Element?, UVError>) {
    switch result {
    case .success(let element?): log.append(describe(element))
    case .success(nil): break
    case .failure(let error): log.append(error.name)
    }
  }

  func cancel() {
    isCancelled = true
    end()
  }

  func askWithPromise() {
    let chain = source.next().promise()
      .done { [self] element in
        note(.success(element))
        if element != nil, !isCancelled { askWithPromise() }
      }
      .catch { [self] error in log.append((error as? UVError)?.name ?? "\(error)") }
    end = { chain.cancel() }
  }

  func askWithFuture() {
    let subscription = source.next().future().sink { [self] completion in
      if case .failure(let error) = completion { log.append(error.name) }
    } receiveValue: { [self] element in
      note(.success(element))
      if element != nil, !isCancelled { askWithFuture() }
    }
    end = { subscription.cancel() }
  }
}
#endif
