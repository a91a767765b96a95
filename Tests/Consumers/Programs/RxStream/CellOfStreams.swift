// A cell keeps a future, a stream, and how they ended; a task waits for a request and for a source's stream.
import UV
import UVRxStream

private struct Cell {
  var future: Future<Int, Never>
  var stream: Hot<Int, Never>
  var state: StreamState<Never>
  var end: Termination<Never>?
}

private func keep<F: StreamFuture<Int, Never>>(_ future: F) -> Future<Int, Never> {
  future.asFuture
}

private func asStream(_ future: some StreamFuture<Int, Never>) -> Hot<Int, Never> { future.asHot }

enum CellOfStreams: Program {
  static func main() throws {
    let input = FutureInput<Int, Never>()
    let stream = HotInput<Int, Never>()
    var cell = Cell(future: keep(input), stream: stream, state: input.state)
    input.complete(.success(5))
    cell.state = input.state
    stream.terminate()
    cell.end = stream.termination
    print(
      cell.future === input, cell.state == .terminated(reason: .completed), cell.end == .completed)
    let done = FutureInput<Void, UVError>()
    done.complete()
    let failed = FutureInput<Int, UVError>()
    failed.complete(UVError(.busy, operation: "own"))
    print(
      done.isActive, failed.state == .terminated(reason: .error(UVError(.busy, operation: "own"))))
    try EventLoop.run { loop in
      let size = loop.files.stat("/").streamFuture().map { $0.type == .directory ? "a directory" : nil }
      print(try await size.value)
      let ticks = loop.ticks(every: .milliseconds(1))
      let third = FutureInput<Int, UVError>()
      ticks.hot().count().filter { $0 == 3 }.on { third.complete(Int($0)) }
      print(try await third.value)
      ticks.stop()
      asStream(Future { settle in settle(.success(6)) }).on { print("as a stream", $0) }
      let either: any AnyStream<Int, UVError> = third
      either.asHot.on { print("again", $0) }
    }
  }
}

// Prints:
// true true true
// false true
// a directory
// 3
// as a stream 6
// again 3
