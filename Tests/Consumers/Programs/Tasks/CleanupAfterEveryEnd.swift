// Work with `defer`, nested `do` and errors of its own ends in every way, and cleans up each time.
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

enum CleanupAfterEveryEnd: Program {
  static func main() throws {
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
}

// Prints:
// 0
// begin, before, end
// 1
// begin, turn 0, turn 1, turn 2, end
// after 2
// begin, ENOENT, end
