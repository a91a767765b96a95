import CTestHooks
import UV

/// What was asked for, and how often each was answered.
final class Ledger {
  private var names: [String] = []
  private var answers: [Int] = []
  /// Whether the loop has ended. What a completion asks for then is let go of.
  var hasEnded: () -> Bool = { false }
  private var late: Set<Int> = []
  /// Whether a completion is being called.
  private var isAnswering = false
  /// Errors of operations that were to succeed.
  private(set) var unexpectedErrors: [String] = []

  /// A completion that is to be called once.
  func once<T>(_ name: String, _ body: @escaping (Result<T, UVError>) -> Void = { _ in }) -> Completion<T> {
    let index = names.count
    names.append(name)
    answers.append(0)
    if hasEnded(), isAnswering { late.insert(index) }
    return { [self] result in
      answers[index] += 1
      if case .failure(let error) = result, !name.hasSuffix("cancelled"), !name.hasSuffix("meant") {
        unexpectedErrors.append("\(name): \(error)")
      }
      let isInner = isAnswering
      isAnswering = true
      body(result)
      isAnswering = isInner
    }
  }

  private var children: [Int32] = []

  /// Notes a child process.
  func started(_ child: ChildProcess) { children.append(child.processID) }

  /// Waits for the children whose end a loop that was shut down did not live to see, after which they would
  /// stay in the system's table for as long as this process; exit tests wait for any child of it.
  func reapChildren() { for child in children { test_reap(child) } }

  private var wrong: [String] = []

  /// Notes what must hold.
  func expect(_ holds: Bool, _ what: @autoclosure () -> String) { if !holds { wrong.append(what()) } }

  /// What did not hold, and what was not answered exactly once.
  var problems: [String] {
    wrong
      + names.indices.filter { answers[$0] != 1 && !(late.contains($0) && answers[$0] == 0) }
      .map { "\(names[$0]) was answered \(answers[$0]) times" }
  }
}
