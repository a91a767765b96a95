// Actors, the main one included, and protocols whose requirements are asynchronous.
import UV

private actor OnTheLoop {
  private let executor: LoopExecutor
  private var count = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: LoopExecutor) { self.executor = executor }

  func increment() -> (Int, Bool) {
    count += 1
    return (count, executor.isOnLoop)
  }
}

private actor Elsewhere {
  private var names: [String] = []
  func add(_ name: String) -> Int {
    names.append(name)
    return names.count
  }
}

@MainActor
private final class Model {
  let title: String
  private(set) var lines: [String] = []
  var count: Int { lines.count }
  init(_ title: String) { self.title = title }
  func append(_ line: String) { lines.append(line) }
}

private protocol Store<Key> {
  associatedtype Key: Hashable
  nonisolated(nonsending) func load(_ key: Key) async throws -> Bytes
  nonisolated(nonsending) func save(_ bytes: Bytes, for key: Key) async throws
}

private struct Memory<Key: Hashable>: Store {
  final class Box { var contents: [Key: Bytes] = [:] }
  let box = Box()
  func load(_ key: Key) async throws -> Bytes {
    guard let bytes = box.contents[key] else {
      throw UVError(.noSuchFile, operation: "load", subject: "\(key)")
    }
    return bytes
  }
  func save(_ bytes: Bytes, for key: Key) async throws { box.contents[key] = bytes }
}

private struct Disk: Store {
  let files: FileSystem
  let directory: FilePath
  func load(_ key: String) async throws -> Bytes { try await files.readFile(directory.appending(key)).value }
  func save(_ bytes: Bytes, for key: String) async throws {
    try await files.writeFile(directory.appending(key), bytes, atomically: true).value
  }
}

private func roundTrip<S: Store>(_ store: S, _ key: S.Key) async throws -> Int {
  try await store.save("contents", for: key)
  return try await store.load(key).count
}

enum ActorsAndProtocols: Program {
  static func main() throws {
    try actorOnTheLoop()
    try mainActorModel()
    try protocolWithAssociatedType()
  }

  /// An actor that lives on the loop's executor, and one that does not, are awaited from a task of the loop.
  private static func actorOnTheLoop() throws {
    try EventLoop.run { loop in
      let counter = OnTheLoop(loop.executor)
      let elsewhere = Elsewhere()
      for _ in 0..<2 {
        let (count, isOnLoop) = await counter.increment()
        print(count, isOnLoop)
        print(await elsewhere.add("name"), loop.executor.isOnLoop)
      }
      let executor = loop.executor
      let result = await Task(executorPreference: executor) { executor.isOnLoop }.value
      print(result)
      try await loop.sleep(for: .milliseconds(1)).value
    }
  }

  /// A `@MainActor` class is updated from a loop on the main thread.
  private static func mainActorModel() throws {
    try EventLoop.run { loop in
      let model = await Model("lines")
      for number in 1...3 {
        try await loop.sleep(for: .milliseconds(1)).value
        await model.append("line \(number)")
      }
      await MainActor.run { print(model.lines) }
      let task = Task { @MainActor in model.count }
      print(await task.value, loop.executor.isOnLoop)
    }
  }

  /// A protocol with an associated type, whose requirements are asynchronous and throw.
  private static func protocolWithAssociatedType() throws {
    try EventLoop.run { loop in
      let directory = try await loop.files.mkdtemp("/tmp/consumers-XXXXXX").value
      let stores: [any Store<String>] = [Memory<String>(), Disk(files: loop.files, directory: directory)]
      for store in stores { print(try await roundTrip(store, "key")) }
      do {
        _ = try await Memory<Int>().load(7)
      } catch {
        print(error)
      }
      try await loop.files.unlink(directory.appending("key")).value
      try await loop.files.rmdir(directory).value
    }
  }
}

// Prints:
// 1 true
// 1 true
// 2 true
// 2 true
// true
// ["line 1", "line 2", "line 3"]
// 3 true
// 8
// 8
// load 7: no such file or directory (ENOENT)
