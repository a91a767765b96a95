import BenchHarness
import Synchronization

/// A row on several loops, each on a thread of its own with a port of its own: connections go to them in
/// turn.
final class ServerLoops: Sendable {
  private struct State {
    var ports: [UInt16]
    var reports: [ServerReport] = []
  }

  private let row: ServerRow
  private let task: ServerTask
  private let begin: @Sendable (_ ports: [UInt16]) -> Void
  private let abort: @Sendable (any Error) -> Never
  private let count: Int
  private let state: Mutex<State>

  /// `count` loops that serve the connections of `task` together; `begin` is called when all of them listen.
  /// When one of them fails the process ends: the load generator would wait for it.
  init(
    _ row: @escaping ServerRow, _ task: ServerTask, count: Int,
    abort: @escaping @Sendable (any Error) -> Never, begin: @escaping @Sendable (_ ports: [UInt16]) -> Void
  ) {
    (self.row, self.task, self.count) = (row, task, count)
    (self.abort, self.begin) = (abort, begin)
    state = Mutex(State(ports: [UInt16](repeating: 0, count: count)))
  }

  /// Serves until the last connection has closed; the sum of what the loops served.
  func serve() -> ServerReport {
    let threads = (0..<count).map { index in BlockingThread { [self] in serve(index) } }
    for thread in threads { thread.join() }
    return state.withLock { state in
      state.reports.reduce(into: ServerReport(bytesRead: 0, bytesWritten: 0)) { sum, report in
        sum.bytesRead += report.bytesRead
        sum.bytesWritten += report.bytesWritten
        sum.jobs.add(report.jobs)
      }
    }
  }

  private func serve(_ index: Int) {
    var share = task
    share.connections = (task.connections + count - 1 - index) / count
    share.listening = { [self] in didListen(index, on: $0) }
    do {
      let report = try row(share)
      state.withLock { $0.reports.append(report) }
    } catch { abort(error) }
  }

  private func didListen(_ index: Int, on port: UInt16) {
    let ports = state.withLock { state in
      state.ports[index] = port
      return state.ports
    }
    // The last one sees them all.
    if !ports.contains(0) { begin(ports) }
  }
}
