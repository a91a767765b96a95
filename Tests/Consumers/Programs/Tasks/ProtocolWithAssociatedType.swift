// A protocol with an associated type, whose requirements are asynchronous and throw.
import UV

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

enum ProtocolWithAssociatedType: Program {
  static func main() throws {
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
// 8
// 8
// load 7: no such file or directory (ENOENT)
