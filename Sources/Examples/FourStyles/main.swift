// The same program in four styles: read a file, wait a little, and tell how long it is.
import UV
import UVFutures
import UVPromises

let path = CommandLine.arguments.dropFirst().first ?? "/etc/hostname"

func callbacks() throws {
  // README: callback
  try EventLoop.runCallbacks { loop in
    loop.files.readFile(path) { result in
      guard case .success(let bytes) = result else { return print(result) }
      loop.sleep(for: .milliseconds(10)) { _ in
        print("callback: \(bytes.count) bytes")
      }
    }
  }
  // README: end
}

func promises() throws {
  // README: promise
  try EventLoop.runCallbacks { loop in
    loop.files.readFile(path).promise()
      .then { bytes in loop.sleep(for: .milliseconds(10)).promise().map { bytes } }
      .done { bytes in print("promise: \(bytes.count) bytes") }
      .catch { error in print(error) }
  }
  // README: end
}

func publishers() throws {
  // README: publisher
  try EventLoop.runCallbacks { loop in
    let subscription = loop.files.readFile(path).publisher()
      .delay(for: .milliseconds(10), scheduler: loop)
      .map { bytes in "publisher: \(bytes.count) bytes" }
      .catch { error in Just("\(error)") }
      .sink { text in print(text) }
    loop.sleep(for: .seconds(1)) { _ in subscription.cancel() }
  }
  // README: end
}

func tasks() throws {
  // README: async/await
  try EventLoop.run { loop in
    let bytes = try await loop.files.readFile(path).value
    try await loop.sleep(for: .milliseconds(10)).value
    print("async/await: \(bytes.count) bytes")
  }
  // README: end
}

try callbacks()
try promises()
try publishers()
try tasks()
