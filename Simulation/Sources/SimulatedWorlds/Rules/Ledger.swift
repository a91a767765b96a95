import UV

// Sound: one thread of a world runs at a time.
/// What was asked in a world, and how often it was answered.
package final class Ledger: @unchecked Sendable {
  private var questions: [(text: String, answers: Int)] = []
  private var complaints: [String] = []
  private var lastChecks: [() throws -> Void] = []

  /// Notes a question. The completion must be called once.
  func ask<T>(_ text: @autoclosure () -> String, _ done: @escaping Completion<T> = { _ in }) -> Completion<T>
  {
    let number = questions.count
    questions.append((text(), 0))
    return { result in
      self.questions[number].answers += 1
      done(result)
    }
  }

  /// Notes that something isn't as it has to be, where nothing can be thrown.
  func complain(_ text: String) { complaints.append(text) }

  /// Has `check` be called when all hosts have ended.
  func atEnd(_ check: @escaping () throws -> Void) { lastChecks.append(check) }

  /// Throws if a question has another number of answers than one, or if something else isn't as it has to be.
  func check() throws {
    if let complaint = complaints.first { throw Violation(complaint) }
    for check in lastChecks { try check() }
    for (text, answers) in questions where answers != 1 {
      throw Violation("\(text): answered \(answers) times")
    }
  }
}
