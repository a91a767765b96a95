// Steps that throw different errors stand in an array of closures, and one failure stops them.
import UV

private struct Stop: Error {}

enum StepsInAnArrayOfClosures: Program {
  typealias Step = nonisolated(nonsending) () async throws -> Void

  static func perform(_ steps: [(String, Step)]) async -> String {
    for (name, step) in steps {
      do { try await step() } catch let error as UVError {
        return "\(name): \(error.name)"
      } catch {
        return "\(name): \(type(of: error))"
      }
    }
    return "all"
  }

  static func main() throws {
    try EventLoop.run { loop in
      let file = try await loop.files.mkstemp("/tmp/steps-XXXXXX").value
      let path = "\(file.path)"
      let write: Step = { try await file.write("x").value }
      let wait: Step = { try await loop.sleep(for: .milliseconds(1)).value }
      let missing: Step = { _ = try await loop.files.stat("/no/such/file").value }
      let stop: Step = {
        try await loop.sleep(for: .zero).value
        throw Stop()
      }
      print(await perform([("write", write), ("wait", wait)]))
      print(await perform([("write", write), ("missing", missing), ("stop", stop)]))
      print(await perform([("wait", wait), ("stop", stop), ("missing", missing)]))
      try await file.close().value
      try await loop.files.unlink(path).value
    }
  }
}

// Prints:
// all
// missing: ENOENT
// stop: Stop
