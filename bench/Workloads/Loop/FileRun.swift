import UV
import UVFutures

/// A run of a workload over files: the loop, the paths, and the operations dealt out.
///
/// What its rows share in each style is here: the loop, and so many operations under way.
final class FileRun: RowRun {
  /// One operation under way.
  typealias Operation = LoopOperations.Operation

  /// The loop's file operations.
  let files: FileSystem
  private let operations: LoopOperations
  private let paths: [String]
  private var issue: ((FileRun, Operation) -> Void)?

  init(_ task: LoopTask, on loop: EventLoop) {
    files = loop.files
    paths = task.paths
    // Last, since it opens the window.
    operations = LoopOperations(task, on: loop)
  }

  /// A row in which `issue` begins an operation; each that ends begins another.
  static func row(_ issue: @escaping @Sendable (FileRun, Operation) -> Void) -> LoopRow {
    callbacks { run, task, _ in
      run.issue = issue
      for _ in 0..<task.inFlight { run.next() }
    }
  }

  /// A row in which an operation is a publisher that ends it.
  static func row<Ended: Publisher & SendableMetatype>(
    publisher: @escaping @Sendable (FileRun, Operation) -> Ended
  ) -> LoopRow where Ended.Output == Void, Ended.Failure == UVError {
    callbacks { run, task, _ in
      let operations = run.operations
      operations.subscription = (0..<task.operations).publisher.setFailureType(to: UVError.self)
        .flatMap(maxPublishers: .max(task.inFlight)) { publisher(run, operations.begin($0)) }
        .sink(receiveCompletion: operations.check, receiveValue: {})
    }
  }

  /// A row in which an operation is an asynchronous function that ends it.
  static func row(
    task body:
      nonisolated(nonsending) @escaping @Sendable (FileRun, Operation) async throws(UVError) ->
      Void
  ) -> LoopRow {
    task { run, task, loop in
      for _ in 0..<task.inFlight {
        loop.spawn {
          do throws(UVError) {
            while let operation = run.operations.next() { try await body(run, operation) }
          } catch { run.operations.fail(error) }
        }
      }
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

  func report() throws -> LoopReport { try operations.report() }

  private func next() {
    guard let issue, let operation = operations.next() else { return }
    issue(self, operation)
  }
}
