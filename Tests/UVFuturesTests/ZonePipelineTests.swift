#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// "Fetch the zone, create it if it is missing, retry, give up to nil, assign", over a TCP service and files.
@Suite struct ZonePipelineTests {
  struct Zone: Equatable { var name: String }

  /// A service that keeps zones in files of a directory, and resets as many connections as it is asked to.
  ///
  /// It answers `fetch NAME` with `zone NAME` or `missing`, and `create NAME` with `zone NAME`.
  final class ZoneService {
    let address: SocketAddress
    var failures: Int
    private(set) var requests: [String] = []
    private let listener: TCPListener
    private let loop: EventLoop
    private let directory: FilePath
    private var cancellables: Set<AnyCancellable> = []

    init(_ loop: EventLoop, directory: FilePath, failures: Int) throws(UVError) {
      self.loop = loop
      self.directory = directory
      self.failures = failures
      listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      address = try listener.localAddress()
      listener.publisher()
        .sink(receiveCompletion: { _ in }, receiveValue: { [unowned self] in serve($0) })
        .store(in: &cancellables)
    }

    private func serve(_ connection: TCPConnection) {
      connection.publisher()
        .first()
        .flatMap { [unowned self] request -> AnyPublisher<Void, UVError> in
          let text = String(decoding: request, as: UTF8.self)
          requests.append(text)
          if failures > 0 {
            failures -= 1
            return connection.closeReset().publisher().eraseToAnyPublisher()
          }
          return answer(text).flatMap { connection.write(Bytes($0)).publisher() }.eraseToAnyPublisher()
        }
        .sink(receiveCompletion: { _ in connection.close() }, receiveValue: { _ in })
        .store(in: &cancellables)
    }

    private func answer(_ request: String) -> AnyPublisher<String, UVError> {
      let words = request.split(separator: " ").map(String.init)
      let file = directory.appending(words[1])
      if words[0] == "create" {
        return loop.files.writeFile(file, "").publisher().map { "zone \(words[1])" }.eraseToAnyPublisher()
      }
      return loop.files.stat(file).publisher()
        .map { _ in "zone \(words[1])" }
        .catch { error in
          error.code == .noSuchFile
            ? Result.Publisher(.success("missing")) : Result.Publisher(.failure(error))
        }
        .eraseToAnyPublisher()
    }

    func close() {
      cancellables = []
      listener.close()
    }
  }

  /// A program that fetches a zone, or creates it.
  final class Screen {
    var zone: Zone? = Zone(name: "none yet")
    private let loop: EventLoop
    private let address: SocketAddress

    init(_ loop: EventLoop, _ address: SocketAddress) {
      self.loop = loop
      self.address = address
    }

    /// Asks the service; cold, so that each subscription is a connection of its own.
    private func ask(_ request: String) -> AnyPublisher<Zone?, UVError> {
      loop.tcp.connect(to: address).publisher()
        .flatMap { connection in
          connection.write(Bytes(request)).publisher()
            .flatMap { connection.next().publisher() }
            .handleEvents(
              receiveCompletion: { _ in connection.close() }, receiveCancel: { connection.close() })
        }
        .tryMap { answer -> Zone? in
          guard let answer else { throw UVError(.connectionReset, operation: "read") }
          let words = String(decoding: answer, as: UTF8.self).split(separator: " ")
          return words.first == "zone" ? Zone(name: String(words[1])) : nil
        }
        .mapError { $0 as! UVError }
        .eraseToAnyPublisher()
    }

    func retrieveZone(_ name: String) -> AnyPublisher<Zone, any Error> {
      ask("fetch \(name)")
        .flatMap { [self] zone -> AnyPublisher<Zone, UVError> in
          if let zone { return Result<Zone, UVError>.Publisher(.success(zone)).eraseToAnyPublisher() }
          return ask("create \(name)").map { $0! }.eraseToAnyPublisher()
        }
        .mapError { $0 as any Error }
        .eraseToAnyPublisher()
    }

    func show(_ name: String) -> AnyCancellable {
      retrieveZone(name)
        .retry(3)
        .map { Optional.init($0) }
        .replaceError(with: nil)
        .receive(on: loop)
        .assign(to: \.zone, on: self)
    }
  }

  /// Runs the program against a service that fails so many times.
  private func run(failures: Int, isThere: Bool = false) async throws -> (zone: Zone?, requests: [String]) {
    try await withLoop { loop in
      let directory = try await loop.files.mkdtemp("/tmp/uv-zones-XXXXXX").value
      if isThere { try await loop.files.writeFile(directory.appending("home"), "").value }
      let service = try ZoneService(loop, directory: directory, failures: failures)
      let screen = Screen(loop, service.address)
      let token = screen.show("home")
      try await loop.until { screen.zone != Zone(name: "none yet") }
      token.cancel()
      service.close()
      try? await loop.files.unlink(directory.appending("home")).value
      try await loop.files.rmdir(directory).value
      return (screen.zone, service.requests)
    }
  }

  @Test func `A zone that is there is fetched, and nothing is created`() async throws {
    let (zone, requests) = try await run(failures: 0, isThere: true)
    #expect(zone == Zone(name: "home"))
    #expect(requests == ["fetch home"])
  }

  @Test func `A zone that is missing is created`() async throws {
    let (zone, requests) = try await run(failures: 0)
    #expect(zone == Zone(name: "home"))
    #expect(requests == ["fetch home", "create home"])
  }

  @Test("Failures of the service are retried three times", arguments: 1...3)
  func retries(failures: Int) async throws {
    let (zone, requests) = try await run(failures: failures)
    #expect(zone == Zone(name: "home"))
    #expect(requests.count == failures + 2)
  }

  @Test func `After that the program gives up, to nil`() async throws {
    let (zone, requests) = try await run(failures: 100)
    #expect(zone == nil)
    #expect(requests == Array(repeating: "fetch home", count: 4))
  }

  @Test func `Without its token the program is cancelled at once, and its connection closed`() async throws {
    try await withLoop { loop in
      let directory = try await loop.files.mkdtemp("/tmp/uv-zones-XXXXXX").value
      let service = try ZoneService(loop, directory: directory, failures: 0)
      let screen = Screen(loop, service.address)
      _ = screen.show("home")
      try await loop.sleep(for: .milliseconds(10)).value
      #expect(screen.zone == Zone(name: "none yet"))
      #expect(service.requests == [])
      service.close()
      try await loop.files.rmdir(directory).value
    }
  }
}
#endif
