import Testing
import UVTestSupport

@testable import UV

/// The line of those who wait for elements, beside a model: callbacks, objects and tasks that ask and leave, a handler that
/// comes and goes, elements, errors and the end, in drawn order.
@Suite struct WaiterQueueModelTests {
  private final class Driver: SourceDriver {
    let loop: EventLoop
    let operation = "drawn"
    var isProducing = false
    var gone: [UInt] = []
    init(_ loop: EventLoop) { self.loop = loop }
    func resume() { isProducing = true }
    func pause() { isProducing = false }
    func left(_ number: UInt) { gone.append(number) }
  }

  private final class Program {
    let draws: Draws
    let driver: Driver
    let queue = WaiterQueue<Int>()
    /// What each was given, as it came, and as the model says.
    let log = Log<String>()
    var expected: [String] = []
    /// Those who wait, the first one first, and what takes them out; nil for tasks' own.
    var line: [(name: String, cancel: () -> Void)] = []
    var handler: (name: String, isCallback: Bool)?
    var ending: String?
    private var count = 0

    init(_ loop: EventLoop, _ seed: Int) {
      (draws, driver) = (Draws(UInt64(seed)), Driver(loop))
      queue.driver = driver
    }

    private func note(_ name: String, _ result: Result<Int?, UVError>) {
      switch result {
      case .success(let element): log.append("\(name) \(element.map(String.init) ?? "end")")
      case .failure(let error): log.append("\(name) \(error.name)")
      }
    }

    private func waiter(_ name: String) -> WaiterQueue<Int>.Waiter {
      if draws.draw(2) == 0 { return .callback { self.note(name, $0) } }
      return .receiver(
        _ElementReceiver { [log] _, result in
          switch result {
          case .success(let element): log.append("\(name) \(element.map(String.init) ?? "end")")
          case .failure(let error): log.append("\(name) \(error.name)")
          }
        })
    }

    func step() async throws {
      count += 1
      let name = "\(count)"
      switch draws.draw(12) {
      case 0...2:
        let pending = queue.next(waiter(name), from: driver)
        if handler == nil, ending == nil {
          let (number, loop) = (pending.generation, driver.loop)
          #expect(pending.awaited?.operation == "drawn")
          line.append(
            (
              name,
              {
                pending.cancel(); #expect(pending.awaited == nil && number > 0 && loop === self.driver.loop)
              }
            ))
        } else {
          expected.append("\(name) \(handler == nil ? ending! : "ESOURCESTARTED")")
        }
      case 3, 4:
        let task = driver.loop.spawn {
          self.note(name, await self.queue.next(from: self.driver, task: self.driver.loop.currentTask))
        }
        try await driver.loop.sleep(for: .zero).value
        if handler == nil, ending == nil {
          line.append((name, { task.cancel() }))
        } else {
          expected.append("\(name) \(handler == nil ? ending! : "ESOURCESTARTED")")
        }
      case 5 where !line.isEmpty:
        let place = draws.draw(line.count)
        let left = line.remove(at: place)
        left.cancel()
        expected.append("\(left.name) ECANCELED")
        #expect(driver.gone.count == 1)
        driver.gone = []
      case 6:
        let waiter = waiter(name)
        queue.start(waiter, from: driver)
        if let ending, handler == nil {
          expected.append("\(name) \(ending)")
        } else if handler != nil || !line.isEmpty {
          expected.append("\(name) ESOURCESTARTED")
        } else if case .callback = waiter {
          handler = (name, true)
        } else {
          handler = (name, false)
        }
      case 7:
        queue.stop()
        handler = nil
      case 8 where queue.hasDemand:
        let error = UVError(.connectionRefused, operation: "drawn")
        let isEach = draws.draw(2) == 0
        if isEach { queue.failEach(error) } else { queue.failAll(error) }
        for waiter in line { expected.append("\(waiter.name) ECONNREFUSED") }
        line = []
        if let handler { expected.append("\(handler.name) ECONNREFUSED") }
        if !isEach || handler?.isCallback == false { handler = nil }
        queue.pauseIfUnwanted()
      case 9 where count > 30:
        let error = draws.draw(2) == 0 ? nil : UVError(.brokenPipe, operation: "drawn")
        queue.finish(error)
        if ending != nil { return }
        ending = error?.name ?? "end"
        driver.isProducing = false
        for waiter in line { expected.append("\(waiter.name) \(ending!)") }
        if let handler { expected.append("\(handler.name) \(ending!)") }
        (line, handler) = ([], nil)
      default:
        guard queue.hasDemand else { return }
        queue.deliver(count)
        if let handler {
          expected.append("\(handler.name) \(count)")
        } else {
          expected.append("\(line.removeFirst().name) \(count)")
        }
        queue.pauseIfUnwanted()
      }
    }

    func end() {
      for waiter in line { waiter.cancel() }
      if ending == nil { queue.stop() }
    }
  }

  @Test(arguments: 0..<5)
  func `Each who asks is answered once and in turn, whatever happens to the others`(part: Int) async throws {
    try await withLoop { loop in
      for seed in part * 10..<part * 10 + 10 {
        let program = Program(loop, seed)
        for number in 0..<60 {
          try await program.step()
          // The answers of tasks, and those that come in a microtask.
          for _ in 0..<2 { try await loop.sleep(for: .zero).value }
          let (log, expected) = (program.log.values, program.expected)
          let isRight =
            log.sorted() == expected.sorted()
            && program.queue.hasDemand == (!program.line.isEmpty || program.handler != nil)
            && program.queue.isProducing == program.driver.isProducing
            && (program.ending != nil || program.driver.isProducing == program.queue.hasDemand)
            && program.queue.hasEnded == (program.ending != nil)
            && program.queue.hasHandler == (program.handler != nil)
          #expect(isRight, "seed \(seed), step \(number): \(log.suffix(4)), not \(expected.suffix(4))")
          if !isRight { break }
        }
        program.end()
        try await loop.settle()
      }
    }
  }
}
