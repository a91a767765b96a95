#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// A flow of permissions over a real resource: may this program use a file?
@Suite struct PermissionPipelineTests {
  enum Status { case denied, notDetermined, authorized }

  /// Stands for the system's permission centre: a file whose contents are the answer, and which is missing
  /// until somebody has been asked.
  final class PermissionCentre {
    private let loop: EventLoop
    private let file: FilePath
    private(set) var requests = 0

    init(_ loop: EventLoop, file: FilePath) {
      self.loop = loop
      self.file = file
    }

    /// The API with completion handlers that is to be wrapped.
    func getStatus(completionHandler: @escaping (Status) -> Void) {
      loop.files.readFile(file) { result in
        switch result {
        case .success(let bytes): completionHandler(bytes == "yes" ? .authorized : .denied)
        case .failure: completionHandler(.notDetermined)
        }
      }
    }

    func requestAuthorization(completionHandler: @escaping (Bool, (any Error)?) -> Void) {
      requests += 1
      loop.files.writeFile(file, "yes") { result in
        switch result {
        case .success: completionHandler(true, nil)
        case .failure(let error): completionHandler(false, error)
        }
      }
    }

    func status() -> Future<Status, Never> {
      Future { promise in self.getStatus { promise(.success($0)) } }
    }

    func authorization() -> Future<Bool, any Error> {
      Future { promise in
        self.requestAuthorization { isGranted, error in
          if let error { promise(.failure(error)) } else { promise(.success(isGranted)) }
        }
      }
    }

    func requestIfNeeded() -> AnyPublisher<Bool, Never> {
      status()
        .flatMap { status -> AnyPublisher<Bool, Never> in
          switch status {
          case .denied: Just(false).eraseToAnyPublisher()
          case .notDetermined: self.authorization().replaceError(with: false).eraseToAnyPublisher()
          default: Just(true).eraseToAnyPublisher()
          }
        }
        .eraseToAnyPublisher()
    }
  }

  private func run(contents: Bytes?, mayWrite: Bool = true) async throws -> (answers: [Bool], requests: Int) {
    try await withLoop { loop in
      let directory = try await loop.files.mkdtemp("/tmp/uv-permission-XXXXXX").value
      let file = mayWrite ? directory.appending("answer") : directory.appending("missing/answer")
      if let contents { try await loop.files.writeFile(file, contents).value }
      let centre = PermissionCentre(loop, file: file)
      var answers: [Bool] = []
      var hasEnded = false
      let token = centre.requestIfNeeded()
        .receive(on: loop)
        .sink(receiveCompletion: { _ in hasEnded = true }, receiveValue: { answers.append($0) })
      try await loop.until { hasEnded }
      token.cancel()
      try? await loop.files.unlink(file).value
      try await loop.files.rmdir(directory).value
      return (answers, centre.requests)
    }
  }

  @Test func `A permission that was given is not asked for again`() async throws {
    #expect(try await run(contents: "yes") == (answers: [true], requests: 0))
  }

  @Test func `A permission that was refused is not asked for again`() async throws {
    #expect(try await run(contents: "no") == (answers: [false], requests: 0))
  }

  @Test func `A permission that nobody decided about is asked for`() async throws {
    #expect(try await run(contents: nil) == (answers: [true], requests: 1))
  }

  @Test func `An error of the request is a refusal`() async throws {
    #expect(try await run(contents: nil, mayWrite: false) == (answers: [false], requests: 1))
  }
}
#endif
