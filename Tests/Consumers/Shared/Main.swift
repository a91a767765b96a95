/// One small program of the corpus. `Tests/run consumers` writes the table of all that there are.
protocol Program {
  static func main() throws
}

@main struct Main {
  static func main() {
    guard let name = CommandLine.arguments.dropFirst().first, let program = programs[name] else {
      fatalError("usage: \(CommandLine.arguments[0]) PROGRAM")
    }
    do { try program() } catch {
      print("main threw: \(error)")
    }
  }
}
