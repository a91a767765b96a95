// The README's four styles as top-level code, with a variable beside them.
import UV
import UVFutures
import UVPromises

let path = "/tmp/consumers-top-level-\(SystemInfo.processID)"
try EventLoop.run { loop in
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

var subscriptions: Set<AnyCancellable> = []
EventLoop.runCallbacks { loop in
  loop.files.readFile(path).publisher()
    .delay(for: .milliseconds(1), scheduler: loop)
    .map { bytes in "publisher: \(bytes.count) bytes" }
    .catch { error in Just("\(error)") }
    .sink { text in print(text) }
    .store(in: &subscriptions)
}

let count = try EventLoop.run { loop in
  let bytes = try await loop.files.readFile(path).value
  try await loop.files.unlink(path).value
  return bytes.count
}
print("async/await: \(count) bytes")

// Prints:
// callback: 10 bytes
// promise: 10 bytes
// publisher: 10 bytes
// async/await: 10 bytes
