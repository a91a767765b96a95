import UV
import UVSimulation

/// Bodies that run on other loops, which stop at some time. Each caller is notified once: the value of a
/// body that has run to its end, or that its loop has ended, or that he has cancelled.
func runs(_ world: World, _ ledger: Ledger) throws {
  world.node("a") { loop in
    let group = try EventLoopGroup(count: 2)
    let (begun, ended) = (Shared<[Int: Int]>([:]), Shared<Set<Int>>([]))
    let isStopped = Shared(false)
    let open = Shared(0)

    func judge(_ number: Int, _ result: Result<Int, any Error>) {
      open.value -= 1
      switch result {
      case .success(let value):
        if value != number { ledger.complain("run \(number) is \(value)") }
        if !ended.value.contains(number) { ledger.complain("run \(number) is reported before its end") }
      case .failure(let error as UVError):
        if error.code == .loopClosed, !isStopped.value { ledger.complain("run \(number): \(error)") }
        if error.code != .loopClosed, !error.isCancelled { ledger.complain("run \(number): \(error)") }
      case .failure(let error):
        if !(error is CancellationError) { ledger.complain("run \(number): \(error)") }
      }
    }

    for number in 0..<30 {
      let executor = group.next()
      let kind = loop.draw(4)
      let length = Duration.microseconds(Int64(loop.draw([1, 3000, 400_000][loop.draw(3)])))
      let isPatient = loop.isDrawn(oneIn: 4)
      open.value += 1
      let body: nonisolated(nonsending) @Sendable (EventLoop) async throws(UVError) -> Int = {
        (other: EventLoop) async throws(UVError) -> Int in
        begun.value[number, default: 0] += 1
        if begun.value[number]! > 1 { ledger.complain("run \(number) begins twice") }
        switch kind {
        case 0: break
        case 1: try await other.sleep(for: length).value
        case 2: _ = try await other.work { number }.value
        default:
          if isPatient { do { try await other.sleep(for: .seconds(1000)).value } catch {} }
          try await other.sleep(for: length).value
        }
        ended.value.insert(number)
        return number
      }
      if loop.isDrawn(oneIn: 2) {
        let done: Completion<Int> = ledger.ask("run \(number)") { result in
          judge(number, result.mapError { $0 as any Error })
        }
        let pending = executor.run(on: loop, body).start(done)
        if isPatient && kind == 3 || loop.isDrawn(oneIn: 4) { loop.cancel(pending) }
      } else {
        let done: Completion<Int> = ledger.ask("run \(number)")
        let task = loop.spawn {
          do {
            let value = try await executor.run(body)
            judge(number, .success(value))
          } catch { judge(number, .failure(error)) }
          done(.success(number))
        }
        if isPatient && kind == 3 || loop.isDrawn(oneIn: 4) { loop.cancel(PendingRequest { task.cancel() }) }
      }
      if loop.isDrawn(oneIn: 20) {
        isStopped.value = true
        executor.stop()
      }
      if loop.isDrawn(oneIn: 4) { try await loop.dawdle() }
    }
    if loop.isDrawn(oneIn: 2) {
      isStopped.value = true
      _ = await group.shutdownGracefully(within: .milliseconds(Int64(loop.draw(500))))
    }
    while open.value > 0 { try await loop.sleep(for: .milliseconds(10)).timeout(after: .seconds(9)).value }
    _ = await group.shutdownGracefully(within: .seconds(1))
    // Its loops have ended.
    for executor in group.executors {
      do throws(UVError) {
        _ = try await executor.run { _ async throws(UVError) in 1 }
        throw UVError(.invalidArgument, operation: "a loop that has ended runs a body")
      } catch { try expect(error.code == .loopClosed, "\(error)") }
    }
  }
}
