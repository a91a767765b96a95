// The README's four styles as top-level code, each with its state inside its body.
import UV
import UVFutures
import UVPromises

func size(_ bytes: Bytes, of loop: EventLoop) async throws -> Int { bytes.count }

let path = "/tmp/consumers-top-level-\(SystemInfo.processID)"
// Functions that the loops' closures use stand above this.
guard path.hasPrefix("/tmp") else { fatalError("the path is \(path)") }
EventLoop.main { loop in
  try await loop.files.writeFile(path, "0123456789").value
}

EventLoop.runCallbacks { loop in
  loop.files.readFile(path) { result in
    guard case .success(let bytes) = result else { return print(result) }
    loop.sleep(for: .milliseconds(1)) { _ in
      print("callback: \(bytes.count) bytes")
    }
  }
}

EventLoop.runCallbacks { loop in
  loop.files.readFile(path).promise()
    .then { bytes in loop.sleep(for: .milliseconds(1)).promise().map { bytes } }
    .done { bytes in print("promise: \(bytes.count) bytes") }
    .catch { error in print(error) }
}

EventLoop.runCallbacks { loop in
  loop.files.readFile(path).publisher()
    .delay(for: .milliseconds(1), scheduler: loop)
    .map { bytes in "publisher: \(bytes.count) bytes" }
    .catch { error in Just("\(error)") }
    .sink { text in print(text) }
}

let count = try EventLoop.run { loop in
  var read = 0
  func add(_ name: String) async throws {
    read += try await size(loop.files.readFile(name).value, of: loop)
  }
  try await add(path)
  try await add(path)
  return read
}
print("async/await: \(count) bytes")

EventLoop.main { loop in
  try await loop.files.unlink(path).value
  // The second time is an error, which ends the program.
  try await loop.files.unlink(path).value
}
print("not printed")

// Stops:
// Error: fs_unlink /tmp/consumers-top-level-

// Prints:
// callback: 10 bytes
// promise: 10 bytes
// publisher: 10 bytes
// async/await: 20 bytes
