import BenchHarness
import CBenchSupport
import UV

extension Workloads {
  /// One operation: start `/bin/true` and wait for its end, with `heap` MiB of memory in this process. Under way: `in-flight` children.
  /// Checked: how each ended.
  static let spawn = LoopWorkload(
    name: "spawn", summary: "start a child that ends at once, and wait for its end",
    note: "CPU/op is that of the parent alone",
    parameters: [
      inFlight(1, 4),
      Parameter("heap", 0, in: 0...64_000, help: "MiB of memory that the parent has besides"),
    ],
    // Counting its instructions would go on in the child.
    isSingleThreaded: false,
    check: .counted,
    rows: Spawn.rows(beside: "spawn"))
}

/// `spawn`: a child that ends at once.
enum Spawn {
  static func rows(beside c: String) -> [(style: Style, run: LoopRow)] {
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
