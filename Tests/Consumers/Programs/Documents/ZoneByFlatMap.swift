// A pipeline that branches, as an article about flatMap has it: find a zone, make it if there is none, try again, give up.
import UV
import UVFutures

private struct Zone: Equatable { var name: String }

/// A database that answers by callbacks, and fails a number of times.
private final class Database {
  struct Unreachable: Error {}

  let loop: EventLoop
  var zone: Zone?
  var failures: Int
  private(set) var calls: [String] = []

  init(_ loop: EventLoop, zone: Zone? = nil, failures: Int = 0) {
    (self.loop, self.zone, self.failures) = (loop, zone, failures)
  }

  private func answer(_ name: String, _ zone: Zone?, _ handler: @escaping (Zone?, (any Error)?) -> Void) {
    calls.append(name)
    failures -= 1
    let fails = failures >= 0
    loop.sleep(for: .zero) { _ in fails ? handler(nil, Unreachable()) : handler(zone, nil) }
  }

  func fetch(_ handler: @escaping (Zone?, (any Error)?) -> Void) { answer("fetch", zone, handler) }
  func add(_ zone: Zone, _ handler: @escaping (Zone?, (any Error)?) -> Void) { answer("add", zone, handler) }
}

private final class Model {
  let database: Database
  let isLazy: Bool
  var zone: Zone? { didSet { print("zone:", zone?.name ?? "none", database.calls.joined(separator: " ")) } }
  private var subscription: AnyCancellable?

  init(_ database: Database, isLazy: Bool = true) {
    (self.database, self.isLazy) = (database, isLazy)
    subscription = setUp()
  }

  func setUp() -> AnyCancellable {
    retrieve()
      .retry(3)
      .map { Zone?.init($0) }
      .replaceError(with: nil)
      .receive(on: database.loop)
      .assign(to: \.zone, on: self)
  }

  func retrieve() -> AnyPublisher<Zone, any Error> {
    // A future is begun where it is made: in a `Deferred` it is begun for each attempt, and where it is needed.
    func fetch() -> Future<Zone?, any Error> {
      Future { [unowned self] promise in
        self.database.fetch { zone, error in
          if let error { promise(.failure(error)) } else { promise(.success(zone)) }
        }
      }
    }
    let create = Deferred {
      Future<Zone, any Error> { [unowned self] promise in
        self.database.add(Zone(name: "made")) { zone, error in
          if let error { promise(.failure(error)) } else { promise(.success(zone!)) }
        }
      }
    }
    let branch = { (existing: Zone?) -> AnyPublisher<Zone, any Error> in
      if let existing {
        return Result<Zone, any Error>.Publisher(.success(existing)).eraseToAnyPublisher()
      }
      return create.eraseToAnyPublisher()
    }
    if isLazy { return Deferred { fetch() }.flatMap(branch).eraseToAnyPublisher() }
    return fetch().flatMap(branch).eraseToAnyPublisher()
  }
}

enum ZoneByFlatMap: Program {
  static func main() throws {
    var models: [Model] = []
    for make in [
      { Model(Database($0, zone: Zone(name: "found"))) },
      { Model(Database($0)) },
      { Model(Database($0, failures: 3)) },
      { Model(Database($0, failures: 4)) },
      // Each attempt hears of the one failure.
      { Model(Database($0, failures: 1), isLazy: false) },
    ] as [(EventLoop) -> Model] {
      EventLoop.runCallbacks { loop in models.append(make(loop)) }
    }
    print(models.map { $0.zone?.name ?? "none" })
  }
}

// Prints:
// zone: found fetch
// zone: made fetch add
// zone: made fetch fetch fetch fetch add
// zone: none fetch fetch fetch fetch
// zone: none fetch
// ["found", "made", "made", "none", "none"]
