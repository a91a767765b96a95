import UV
import UVFutures

/// A run of a workload over files: the loop, the paths, and the operations dealt out.
///
/// What its rows share in each style is here: the loop, and so many operations under way.
final class FileRun {
  /// One operation under way.
  typealias Operation = LoopOperations.Operation

  /// The loop's file operations.
  let files: FileSystem
  private let operations: LoopOperations
  private let paths: [String]
  private let issue: ((FileRun, Operation) -> Void)?

  private init(_ task: LoopTask, on loop: EventLoop, issue: ((FileRun, Operation) -> Void)? = nil) {
    files = loop.files
    paths = task.paths
    self.issue = issue
    // Last, since it opens the window.
    operations = LoopOperations(task, on: loop)
  }

  /// A row in which `issue` begins an operation; each that ends begins another.
  static func row(_ issue: @escaping @Sendable (FileRun, Operation) -> Void) -> LoopRow {
    { task in
      try EventLoop.runCallbacks { loop in
        let run = FileRun(task, on: loop, issue: issue)
        for _ in 0..<task.inFlight { run.next() }
        return run.operations
      }.report()
    }
  }

  /// A row in which an operation is a publisher that ends it.
  static func row<Ended: Publisher>(
    publisher: @escaping @Sendable (FileRun, Operation) -> Ended
  ) -> LoopRow where Ended.Output == Void, Ended.Failure == UVError {
    { task in
      try EventLoop.runCallbacks { loop in
        let run = FileRun(task, on: loop)
        let operations = run.operations
        operations.subscription = (0..<task.operations).publisher.setFailureType(to: UVError.self)
          .flatMap(maxPublishers: .max(task.inFlight)) { publisher(run, operations.begin($0)) }
          .sink(receiveCompletion: operations.check, receiveValue: {})
        return operations
      }.report()
    }
  }

  /// A row in which an operation is an asynchronous function that ends it.
  static func row(
    task body:
      nonisolated(nonsending) @escaping @Sendable (FileRun, Operation) async throws(UVError) ->
      Void
  ) -> LoopRow {
    { task in
      try EventLoop.run { loop in
        let run = FileRun(task, on: loop)
        for _ in 0..<task.inFlight {
          loop.spawn {
            do throws(UVError) {
              while let operation = run.operations.next() { try await body(run, operation) }
            } catch { run.operations.fail(error) }
          }
        }
        return run.operations
      }.report()
    }
  }

  /// The path of an operation's file.
  func path(_ operation: Operation) -> String { paths[operation.index % paths.count] }

  /// Ends an operation with what it found.
  func end(_ operation: Operation, _ found: UInt64) {
    operations.end(operation, found)
    next()
  }

  /// The value of a result; nil, and the failure noted, where there is none.
  func value<Value>(_ result: Result<Value, UVError>) -> Value? { operations.value(result) }

  /// Notes a failure; nothing more is issued.
  func fail(_ error: any Error) { operations.fail(error) }

  private func next() {
    guard let issue, let operation = operations.next() else { return }
    issue(self, operation)
  }
}
