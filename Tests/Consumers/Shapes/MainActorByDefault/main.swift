// In a module whose code is the main actor's by default, a loop on the main thread calls the program's own code.
import UV

final class Model {
  var names: [String] = []
  func add(_ name: String) { names.append(name) }
}

let model = Model()
try EventLoop.run { loop in
  for entry in try await loop.files.scandir("/").value.prefix(2) {
    await model.add(entry.name.string)
  }
}
print(model.names.count)

// Prints:
// 2
