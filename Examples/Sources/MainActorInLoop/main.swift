// A loop on the main thread serves the main queue too: main actor code can be awaited inside it. The run must
// not be called in a job of the main actor, such as after the first `await` of an asynchronous main.
import Dispatch
import UV

@MainActor
final class Model {
  private(set) var names: [String] = []
  func add(_ name: String) { names.append(name) }
}

let model = Model()

let count = try EventLoop.run { loop in
  for entry in try await loop.files.scandir("/").value.prefix(3) {
    await model.add(entry.name.string)
  }
  // Tasks of the main actor's own make progress as well, and so does plain work of the main queue.
  let task = Task { @MainActor in model.names.count }
  await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
  return await task.value
}
print("the model has \(count) names")
