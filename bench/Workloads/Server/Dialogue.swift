import BenchHarness
import Synchronization

/// The conversation with the load generator, on a thread of its own, while the row
/// serves on the main thread. Nothing of it runs in the loop that is measured.
final class Dialogue: Sendable {
  private struct State {
    var thread: BlockingThread?
    var outcome: RunOutcome?
  }

  /// Where the load generator looks for the server.
  let host: String
  /// Whether the load comes from another machine, or may.
  let isFromElsewhere: Bool

  private let generator: Mutex<LoadGenerator>
  private let state = Mutex(State())
  private let abort: @Sendable (any Error) -> Never

  /// A conversation with a generator that is started now, from this thread: the
  /// kernel ends it with the thread that started it.
  init(context: WorkloadContext) throws {
    let generator = try LoadGenerator(context.loadGenerator)
    (host, isFromElsewhere) = (generator.host, context.loadGenerator.isElsewhere)
    self.generator = Mutex(generator)
    abort = context.abort
  }

  /// Puts a load on the server that listens on `ports`, in turn. `moment` is called when the window opens,
  /// and when there is no load any more and the connections are still open. When that fails the process ends:
  /// the row would wait for connections that never come.
  func begin(
    ports: [UInt16], load: [(String, String)], meter: Meter,
    moment: @escaping @Sendable (_ isOver: Bool) -> Void
  ) {
    state.withLock { state in
      state.outcome = nil
      state.thread = BlockingThread { [self] in
        do {
          let outcome = try generator.withLock {
            try $0.run(
              [("port", ports.map(String.init).joined(separator: ","))] + load, meter: meter, moment: moment)
          }
          self.state.withLock { $0.outcome = outcome }
        } catch {
          abort(error)
        }
      }
    }
  }

  /// Waits for the end of the conversation.
  func end() throws -> RunOutcome {
    guard let thread = state.withLock({ $0.thread }) else { throw WrongWork("the row never listened") }
    thread.join()
    state.withLock { $0.thread = nil }
    guard let outcome = state.withLock({ $0.outcome }) else {
      throw WrongWork("the load generator said nothing")
    }
    return outcome
  }
}
