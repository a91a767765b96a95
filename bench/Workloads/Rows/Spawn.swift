import BenchHarness
import CBaseline
import CBenchSupport
import UV

/// `spawn`: a child that ends at once.
enum Spawn {
  static func rows(beside c: @escaping CRow.Row) -> [(style: Style, run: LoopRow)] {
    let all: [(style: Style, run: LoopRow)] = [(.c, CRow.loop(c))] + styles
    return all.map { style, run in
      (
        style,
        { task in
          let heap = task.parameters.value("heap") ?? 0
          let memory = bench_heap_take(heap)
          guard heap == 0 || memory != nil else { throw WrongWork("there are no \(heap) MiB of memory") }
          defer { bench_heap_give_back(memory, heap) }
          return try run(task)
        }
      )
    }
  }

  private static let styles = RequestRows<Request<UInt64>> { _, loop in
    Request(loop) { done in
      do throws(UVError) {
        return try loop.processes.spawn("/bin/true").exit { done($0.map { $0.isSuccess ? 1 : 0 }) }
      } catch {
        loop.queueMicrotask { done(.failure(error)) }
        return PendingRequest()
      }
    }
  } request: { child, _ in
    child
  } end: { _ in
  }.all
}
