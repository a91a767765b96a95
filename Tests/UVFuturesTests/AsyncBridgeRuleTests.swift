#if Everything
import Testing
import UV
import UVFutures
import UVTestSupport

/// Between async/await and publishers.
@Suite struct AsyncBridgeRuleTests {
  struct Model: Equatable { var name: String }

  /// Keeps what a test's program does on its loop in order.
  final class Diary { var entries: [String] = [] }

  /// Lets everything that is ready on the loop happen.
  @Test func `A future is made from an asynchronous operation that throws`() async throws {
    let value = try await withLoop { loop in
      let future: Future<Int, any Error> = Future {
        try await loop.sleep(for: .milliseconds(1)).value
        return 1
      }
      return try await future.value
    }
    #expect(value == 1)
  }

  @Test func `A task that awaits settled futures only lets timers have their turn`() async throws {
    try await withLoop { loop in
      let sure = Future<Int, Never> { $0(.success(1)) }
      let unsure = Future<Int, any Error> { $0(.success(1)) }
      for isSure in [true, false] {
        var isOver = false
        loop.sleep(for: .zero) { _ in isOver = true }
        var steps = 0
        while !isOver, steps < 100_000 {
          steps += isSure ? await sure.value : try await unsure.value
        }
        #expect(1...10_000 ~= steps)
      }
    }
  }

  @Test func `The operation starts with the future, without a subscriber`() async throws {
    try await withLoop { loop in
      let diary = Diary()
      let future = Future { () async throws -> Int in
        diary.entries.append("runs")
        return 2
      }
      try await loop.settle()
      #expect(diary.entries == ["runs"])
      #expect(try await future.value == 2)
    }
  }

  @Test func `A throw fails the future`() async throws {
    try await withLoop { loop in
      let future = Future<Int, any Error> { throw Trouble.first }
      do {
        _ = try await future.value
        Issue.record("did not throw")
      } catch { #expect(error as? Trouble == .first) }
    }
  }

  @Test func `A method that returns the future of an asynchronous one`() async throws {
    final class Loader {
      let loop: EventLoop
      init(_ loop: EventLoop) { self.loop = loop }
      func loadModel(from name: String) async throws -> Model {
        try await loop.sleep(for: .zero).value
        return Model(name: name)
      }
      func modelPublisher(for name: String) -> Future<Model, any Error> {
        Future { try await self.loadModel(from: name) }
      }
    }
    try await withLoop { loop in
      let model = try await Loader(loop).modelPublisher(for: "a").value
      #expect(model == Model(name: "a"))
    }
  }

  @Test func `One generic initialiser serves any asynchronous API`() async throws {
    try await withLoop { loop in
      let file = Future { try await loop.files.stat("/").value }
      let sleep = Future { () async throws(UVError) in try await loop.sleep(for: .zero).value }
      let text = Future { "text" }
      #expect(try await file.value.size > 0)
      let _: Future<Void, UVError> = sleep
      try await sleep.value
      #expect(await text.value == "text")
    }
  }

  @Test func `An API has an asynchronous and a publisher form side by side`() async throws {
    struct Library {
      let loop: EventLoop
      func model(_ name: String) async throws(UVError) -> Model {
        try await loop.sleep(for: .zero).value
        return Model(name: name)
      }
      func modelPublisher(_ name: String) -> Future<Model, UVError> {
        Future { () async throws(UVError) in try await model(name) }
      }
    }
    try await withLoop { loop in
      let library = Library(loop: loop)
      let (model, published) = (try await library.model("a"), try await library.modelPublisher("a").value)
      #expect(model == published)
    }
  }

  @Test func `A publisher becomes an asynchronous sequence`() async throws {
    try await withLoop { loop in
      var values: [Int] = []
      for await value in Future(operation: { 7 }).map({ $0 * 2 }).values { values.append(value) }
      #expect(values == [14])
      let failing = Future<Int, Trouble> { $0(.failure(.second)) }.values
      do throws(Trouble) {
        for try await value in failing { values.append(value) }
        Issue.record("did not throw")
      } catch { #expect(error == .second) }
    }
  }

  private func numbers(_ count: Int, then error: Trouble? = nil) -> AsyncThrowingStream<Int, any Error> {
    AsyncThrowingStream { continuation in
      for number in 0..<count { continuation.yield(number) }
      continuation.finish(throwing: error)
    }
  }

  @Test func `A subject is made that emits the elements of a sequence`() async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, any Error>.emittingValues(from: numbers(3))
      var values: [Int] = []
      let cancellable = subject.sink(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
      try await loop.settle()
      #expect(values == [0, 1, 2])
      cancellable.cancel()
    }
  }

  @Test func `It emits as soon as it is made: what comes before a subscription is lost`() async throws {
    try await withLoop { loop in
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      let subject = PassthroughSubject<Int, Never>.emittingValues(from: stream)
      continuation.yield(1)
      try await loop.settle()
      var values: [Int] = []
      let cancellable = subject.sink { values.append($0) }
      continuation.yield(2)
      continuation.finish()
      while values.isEmpty { try await loop.settle() }
      #expect(values == [2])
      cancellable.cancel()
    }
  }

  @Test("The end finishes, a throw fails, and values keep their order", arguments: [nil, Trouble.second])
  func theEndFinishesAThrowFailsAndValuesKeepTheirOrder(error: Trouble?) async throws {
    try await withLoop { loop in
      let subject = PassthroughSubject<Int, any Error>.emittingValues(from: numbers(100, then: error))
      let probe = Probe<Int, Trouble>()
      subject.mapError { $0 as! Trouble }.subscribe(probe)
      while probe.completions.isEmpty { try await loop.settle() }
      #expect(probe.values == Array(0..<100))
      #expect(probe.completions == [error.map { .failure($0) } ?? .finished])
    }
  }

  @Test func `AsyncThrowingStream, and any sequence whose failure is typed, are sources`() async throws {
    try await withLoop { loop in
      let throwing = PassthroughSubject<Int, any Error>.emittingValues(from: numbers(1))
      let ticks = PassthroughSubject<Tick, UVError>.emittingValues(from: loop.ticks(every: .milliseconds(1)))
      let widened = PassthroughSubject<Tick, any Error>.emittingValues(
        from: loop.ticks(every: .milliseconds(1)))
      var count = 0
      let cancellables = [
        throwing.sink(receiveCompletion: { _ in }, receiveValue: { _ in count += 1 }),
        ticks.first().sink(receiveCompletion: { _ in }, receiveValue: { _ in count += 1 }),
        widened.first().sink(receiveCompletion: { _ in }, receiveValue: { _ in count += 1 }),
      ]
      while count < 3 { try await loop.settle() }
      _ = cancellables
    }
  }

  @Test func `Erased, nobody else can send`() async throws {
    try await withLoop { loop in
      let publisher: AnyPublisher<Int, any Error> =
        PassthroughSubject.emittingValues(from: numbers(2)).eraseToAnyPublisher()
      #expect(!(publisher as Any is any Subject))
      var values: [Int] = []
      let cancellable = publisher.sink(receiveCompletion: { _ in }, receiveValue: { values.append($0) })
      while values.count < 2 { try await loop.settle() }
      cancellable.cancel()
    }
  }

  @Test func `An asynchronous method inside a pipeline`() async throws {
    try await withLoop { loop in
      func double(_ number: Int) async throws(UVError) -> Int {
        try await loop.sleep(for: .zero).value
        return number * 2
      }
      var values: [Int] = []
      for try await value in Future(operation: { () async throws(UVError) in 13 })
        .flatMap({ number in Future { () async throws(UVError) in try await double(number) } })
        .values
      {
        values.append(value)
      }
      #expect(values == [26])
    }
  }

  @Test func `Values that are there at once let timers have their turn`() async throws {
    try await withLoop { loop in
      var hasFired = false
      loop.sleep(for: .milliseconds(1)) { _ in hasFired = true }
      for await _ in (0...).publisher.values where hasFired { break }
      #expect(hasFired)
    }
  }

  @Test func `The task is cancelled with its last subscriber`() async throws {
    try await withLoop { loop in
      let diary = Diary()
      let future = Future { () async -> Int in
        try? await loop.sleep(for: .untilCancelled).value
        diary.entries.append(Task.isCancelled ? "cancelled" : "ran on")
        return 1
      }
      let (first, second) = (future.sink { _ in }, future.sink { _ in })
      try await loop.settle()
      first.cancel()
      try await loop.settle()
      #expect(diary.entries == [])
      second.cancel()
      try await loop.settle()
      #expect(diary.entries == ["cancelled"])
    }
  }

  @Test func `The operation runs once for many subscribers`() async throws {
    try await withLoop { loop in
      let diary = Diary()
      let future = Future { () async -> Int in
        diary.entries.append("runs")
        return 15
      }
      var sum = 0
      let cancellables = (0..<3).map { _ in future.sink { sum += $0 } }
      try await loop.settle()
      #expect(diary.entries == ["runs"])
      #expect(sum == 45)
      _ = cancellables
    }
  }

  @Test func `An operation that cannot throw makes a future that cannot fail`() async throws {
    try await withLoop { loop in
      let future = Future { await Task.yield() }
      let _: Future<Void, Never> = future
      await future.value
    }
  }

  @Test("Both bridges compile in Swift 6 mode with captures that are not Sendable, and no annotation")
  func bothBridgesCompileInSwift6ModeWithCapturesThatAreNot() async throws {
    try await withLoop { loop in
      var log: [String] = []
      let future = Future { () async throws -> String in
        try await loop.sleep(for: .zero).value
        log.append("operation")
        return "value"
      }
      #expect(try await future.value == "value")
      let subject = PassthroughSubject<Int, any Error>.emittingValues(from: numbers(1))
      let cancellable = subject.sink(receiveCompletion: { _ in log.append("end") }, receiveValue: { _ in })
      while log.count < 2 { try await loop.settle() }
      #expect(log == ["operation", "end"])
      cancellable.cancel()
    }
  }

  // MARK: Cancellation

  @Test func cancellingTheTaskThatWaitsEndsTheWait() async throws {
    try await withLoop { loop in
      let (anything, resolveAnything) = Future<Int, any Error>.pending(on: loop)
      let (typed, resolveTyped) = Future<Int, UVError>.pending(on: loop)
      let first = loop.spawn { () async throws in try await anything.value }
      let second = loop.spawn { () async throws(UVError) in try await typed.value }
      try await loop.settle()
      first.cancel()
      second.cancel()
      do {
        _ = try await first.value
        Issue.record("not cancelled")
      } catch { #expect(error is CancellationError) }
      do throws(UVError) {
        _ = try await second.value
        Issue.record("not cancelled")
      } catch { #expect(error.code == .cancelled) }
      resolveAnything(.success(1))
      resolveTyped(.success(1))
    }
  }

  @Test func cancellingOneThatWaitsLeavesTheOthers() async throws {
    try await withLoop { loop in
      let (future, resolve) = Future<Int, UVError>.pending(on: loop)
      let first = loop.spawn { () async throws(UVError) in try await future.value }
      let second = loop.spawn { () async throws(UVError) in try await future.value }
      try await loop.settle()
      first.cancel()
      try await loop.settle()
      resolve(.success(1))
      #expect(try await second.value == 1)
      do throws(UVError) {
        _ = try await first.value
        Issue.record("not cancelled")
      } catch { #expect(error.code == .cancelled) }
    }
  }

  @Test func cancellingTheLastCancelsTheWork() async throws {
    try await withLoop { loop in
      let future = loop.sleep(for: .untilCancelled).future()
      let task = loop.spawn { () async throws(UVError) in try await future.value }
      try await loop.settle()
      task.cancel()
      do throws(UVError) { try await task.value } catch { #expect(error.code == .cancelled) }
    }
  }

  @Test func endingAnIterationCancelsTheSubscription() async throws {
    try await withLoop { loop in
      let ticks = loop.ticks(every: .milliseconds(1))
      var count = 0
      for try await _ in ticks.publisher().values {
        count += 1
        if count == 3 { break }
      }
      #expect(count == 3)
    }
  }

  @Test func aSubjectThatIsLetGoCancelsItsTask() async throws {
    try await withLoop { loop in
      var subject: PassthroughSubject<Tick, UVError>? = .emittingValues(
        from: loop.ticks(every: .seconds(100)))
      try await loop.settle()
      weak let observed = subject
      subject = nil
      try await loop.settle()
      #expect(observed == nil)
      #expect(loop.statistics.tasks == 1)
    }
  }
}
#endif
