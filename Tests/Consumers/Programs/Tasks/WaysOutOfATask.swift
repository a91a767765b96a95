// `defer`, early `return`, errors of every kind: each way out cleans up.
import UV

private enum Fault: Error { case before, after(Int) }

private final class Journal {
  private(set) var lines: [String] = []
  func note(_ line: String) { lines.append(line) }
}

private func work(_ loop: EventLoop, _ n: Int, _ journal: Journal, _ check: (Int) throws -> Void) async throws
  -> Int
{
  journal.note("begin")
  defer { journal.note("end") }
  do {
    try check(n)
    do throws(UVError) {
      try await loop.sleep(for: .zero).value
      if n == 2 { _ = try await loop.files.stat("/no/such/file").value }
    } catch {
      journal.note(error.name)
      try await loop.sleep(for: .zero).value
      throw Fault.after(n)
    }
  } catch Fault.before {
    journal.note("before")
    return 0
  }
  for i in 0..<3 {
    defer { journal.note("turn \(i)") }
    if i == n { continue }
    try await loop.sleep(for: .zero).value
    if i == 1 { break }
  }
  return n
}

enum WaysOutOfATask: Program {
  static func main() throws {
    try cleanupAfterEveryEnd()
    try deferAndEarlyReturn()
    try errorsOfEveryKindThroughRun()
    try helperThatThrowsBeforeItSleeps()
  }

  /// Work with `defer`, nested `do` and errors of its own ends in every way, and cleans up each time.
  private static func cleanupAfterEveryEnd() throws {
    try EventLoop.run { loop in
      for n in 0..<3 {
        let journal = Journal()
        do {
          print(try await work(loop, n, journal) { if $0 == 0 { throw Fault.before } })
        } catch Fault.after(let n) { print("after", n) }
        print(journal.lines.joined(separator: ", "))
      }
    }
  }

  static func firstLine(_ loop: EventLoop, _ name: String, limit: Int) async throws -> String? {
    let file = try await loop.files.open(path(name)).value
    defer {
      print("closing \(name)")
      file.close { _ in }
    }
    let status = try await file.stat().value
    guard status.size > 0 else { return nil }
    let bytes = try await file.read(limit).value
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      throw UVError(.messageTooLong, operation: "firstLine", subject: name)
    }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  static func path(_ name: String) -> String { "/tmp/consumers-defer-\(SystemInfo.processID)-\(name)" }

  /// `defer`, `guard` and early `return` around awaits: what was opened is closed on each way out.
  private static func deferAndEarlyReturn() throws {
    try EventLoop.run { loop in
      let texts = ["a": "first\nsecond\n", "b": "", "c": "no end of a line"]
      for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
        try await loop.files.writeFile(path(name), Bytes(text)).value
        defer { loop.files.unlink(path(name)) { _ in } }
        do {
          print(try await firstLine(loop, name, limit: 64) ?? "empty")
        } catch {
          print(error)
        }
      }
    }
  }

  struct Mine: Error { var number: Int }

  static func typed(_ loop: EventLoop, _ number: Int) async throws(Mine) -> Int {
    guard number < 3 else { throw Mine(number: number) }
    return number
  }

  /// A body that throws: a type of its own, `UVError`, any error, and none; `run` throws the same.
  private static func errorsOfEveryKindThroughRun() throws {
    do throws(Mine) {
      try EventLoop.run { loop async throws(Mine) in
        for number in 0..<10 { _ = try await typed(loop, number) }
      }
    } catch {
      print("mine: \(error.number)")
    }
    do throws(UVError) {
      try EventLoop.run { loop async throws(UVError) in
        _ = try await loop.files.stat("/nowhere").value
      }
    } catch {
      print(error.code.name)
    }
    do {
      try EventLoop.run { loop in
        _ = try await typed(loop, 1)
        _ = try await loop.files.stat("/").value
        _ = try await typed(loop, 5)
      }
    } catch let error as Mine {
      print("any: \(error.number)")
    }
    let value = EventLoop.run { loop in 42 }
    print(value)
    let early = try? EventLoop.runCallbacks { loop throws(Mine) -> Int in throw Mine(number: 7) }
    print(early as Any)
  }

  struct Refused: Error {}

  static func after(_ loop: EventLoop, _ check: () throws -> Void) async throws {
    try check()
    try await loop.sleep(for: .milliseconds(1)).value
  }

  /// A function that calls a closure that throws, and then waits on the loop.
  private static func helperThatThrowsBeforeItSleeps() throws {
    try EventLoop.run { loop in
      try await after(loop) {}
      print("slept")
      do {
        try await after(loop) { throw Refused() }
      } catch is Refused {
        print("refused")
      }
    }
  }
}

// Prints:
// 0
// begin, before, end
// 1
// begin, turn 0, turn 1, turn 2, end
// after 2
// begin, ENOENT, end
// closing a
// first
// closing b
// empty
// closing c
// firstLine c: message too long (EMSGSIZE)
// mine: 3
// ENOENT
// any: 5
// 42
// nil
// slept
// refused
