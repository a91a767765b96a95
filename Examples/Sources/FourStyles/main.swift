// The same program in four styles: read a file, wait a little, and say how long it is.
import UV
import UVFutures
import UVPromises

let path = CommandLine.arguments.dropFirst().first ?? "/etc/hostname"

func callbacks() {
  // README: callback
  EventLoop.runCallbacks { loop in
    loop.files.readFile(path) { result in
      guard case .success(let bytes) = result else { return print(result) }
      loop.sleep(for: .milliseconds(10)) { _ in
        print("callback: \(bytes.count) bytes")
      }
    }
  }
  // README: end
}

func promises() {
  // README: promise
  EventLoop.runCallbacks { loop in
    loop.files.readFile(path).promise()
      .then { bytes in loop.sleep(for: .milliseconds(10)).promise().map { bytes } }
      .done { bytes in print("promise: \(bytes.count) bytes") }
      .catch { error in print(error) }
  }
  // README: end
}

func publishers() {
  // README: publisher
  EventLoop.runCallbacks { loop in
    loop.files.readFile(path).publisher()
      .delay(for: .milliseconds(10), scheduler: loop)
      .map { bytes in "publisher: \(bytes.count) bytes" }
      .catch { error in Just("\(error)") }
      .sink { text in print(text) }
  }
  // README: end
}

func tasks() {
  // README: async/await
  EventLoop.main { loop in
    let bytes = try await loop.files.readFile(path).value
    try await loop.sleep(for: .milliseconds(10)).value
    print("async/await: \(bytes.count) bytes")
  }
  // README: end
}

callbacks()
promises()
publishers()
tasks()
