// A request is tried again after its own errors, and not after others.
import UV

private struct TooOften: Error { let tries: Int }

private func contents(
  _ loop: EventLoop, _ path: String, tries limit: Int, before attempt: (Int) throws -> Void
) async throws -> String {
  var tries = 0
  while true {
    do {
      try attempt(tries)
      let bytes = try await loop.files.readFile(path).value
      return String(decoding: bytes, as: UTF8.self)
    } catch let error as UVError where error.code == .noSuchFile {
      tries += 1
      if tries == limit { throw TooOften(tries: tries) }
      try await loop.sleep(for: .milliseconds(1)).value
    }
  }
}

enum RetriesUntilItWorks: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let folder = try await loop.files.mkdtemp("/tmp/retry-XXXXXX").value
      let path = "\(folder)/late"
      do { print(try await contents(loop, path, tries: 3) { print("try", $0) }) } catch let error as TooOften
      {
        print("gave up after", error.tries)
      }
      loop.spawn {
        do { try await loop.files.writeFile(path, "here").value } catch { print(error) }
      }
      print(try await contents(loop, path, tries: 1000) { _ in })
      do { _ = try await contents(loop, path, tries: 3) { _ in throw CancellationError() } } catch {
        print(error is CancellationError)
      }
      try await loop.files.unlink(path).value
      try await loop.files.rmdir(folder).value
    }
  }
}

// Prints:
// try 0
// try 1
// try 2
// gave up after 3
// here
// true
