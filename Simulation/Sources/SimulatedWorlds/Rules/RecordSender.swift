import UV

// Sound: one thread of a world runs at a time.
/// Writes records in many styles, and notes how each has fared.
final class RecordSender: @unchecked Sendable {
  typealias Numbers = [Int: Set<Int>]

  /// The records whose completion says that they are written.
  private(set) var written: Numbers = [:]
  /// Those that it has cancelled.
  private(set) var cancelled: Numbers = [:]
  /// All of them.
  private(set) var asked: Numbers = [:]
  /// Whether writes may fail otherwise, because the stream was closed.
  var mayFail = false

  private let ledger: Ledger
  private let name: String
  private var number = 0
  private var laneCount = 1
  private var lastWritten = 0

  init(_ ledger: Ledger, _ name: String) {
    self.ledger = ledger
    self.name = name
  }

  /// Writes some records. It returns once all tasks have ended that write; callbacks may still come.
  nonisolated(nonsending) func send(_ rounds: Int, to stream: ByteStream) async throws {
    let loop = stream.loop
    var tasks: [LoopTask<Void, any Error>] = []
    for _ in 0..<rounds {
      switch loop.draw(12) {
      case 0: stream.write(record(loop), done())
      case 1: stream.write(Records.divide(record(loop), on: loop), done())
      case 2: await wait(for: stream.write(record(loop)), done(isInOrder: false))
      case 3: await wait(for: stream.write(Records.divide(record(loop), on: loop)), done(isInOrder: false))
      case 4:
        for _ in 0..<loop.draw(30) {
          number += 1
          stream.write(Records.make(lane: 0, number, loop.draw(40)), done())
        }
      case 5: loop.cancel(stream.write(record(loop), done()))
      case 6: loop.cancel(stream.write(Records.divide(record(loop), on: loop), done()))
      case 7: tasks.append(cancelledTask(stream))
      case 8:
        let limit = Duration.microseconds(Int64(loop.draw(2000)))
        let parts = Records.divide(record(loop), on: loop)
        stream.write(parts).timeout(after: limit).start(done(isInOrder: false))
      case 9:
        let bytes = record(loop)
        let taken = try stream.tryWrite(Records.divide(bytes, on: loop))
        try expect(taken <= bytes.count, "more was taken than was written")
        if taken == bytes.count {
          // The stream may hold it: an encrypting one seals a whole record.
          asked[0, default: []].insert(number)
        } else {
          stream.write(Bytes(bytes[(bytes.startIndex + taken)...]), done())
        }
      case 10: cancelLarge(stream)
      default: tasks.append(concurrentTask(stream))
      }
      if stream.isAboveHighWaterMark, loop.isDrawn(oneIn: 2) { try await stream.drain().value }
      if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
    }
    for task in tasks { try await task.value }
  }

  /// Compares what was written with what has come.
  func check(_ received: Numbers, all mustHaveCome: Bool) throws {
    for (lane, numbers) in asked {
      let received = received[lane, default: []]
      for number in written[lane, default: []] where !received.contains(number) {
        throw Violation("\(name): record \(number) in lane \(lane) is written and hasn't come")
      }
      if !mustHaveCome { continue }
      for number in numbers where !received.contains(number) && !cancelled[lane, default: []].contains(number)
      {
        throw Violation("\(name): record \(number) in lane \(lane) hasn't come")
      }
    }
    for (lane, numbers) in received where !numbers.isSubset(of: asked[lane, default: []]) {
      throw Violation("\(name): records have come that nobody has written")
    }
  }

  // MARK: Styles

  private func record(_ loop: EventLoop, lane: Int = 0) -> Bytes {
    number += 1
    let size = [10, 10, 2000, 2000, 20_000, 100_000][loop.draw(6)]
    return Records.make(lane: lane, number, loop.draw(size))
  }

  /// The completion of the last record's write.
  ///
  /// - Parameter isInOrder: Whether it is called in the order of the writes, as callbacks of the stream
  ///   are. A task may resume at once.
  private func done(lane: Int = 0, isInOrder: Bool = true) -> Completion<Void> {
    let number = number
    asked[lane, default: []].insert(number)
    return ledger.ask("\(name): record \(number) in lane \(lane)") { [self] result in
      switch result {
      case .success:
        written[lane, default: []].insert(number)
        if lane > 0 || !isInOrder { return }
        if number < lastWritten { ledger.complain("\(name): \(lastWritten) is answered before \(number)") }
        lastWritten = number
      case .failure(let error) where error.code == .cancelled || error.code == .timedOut:
        cancelled[lane, default: []].insert(number)
      case .failure(let error):
        if !mayFail { ledger.complain("\(name): record \(number): \(error)") }
      }
    }
  }

  private nonisolated(nonsending) func wait(for request: Request<Void>, _ done: Completion<Void>) async {
    do throws(UVError) {
      try await request.value
      done(.success(()))
    } catch { done(.failure(error)) }
  }

  /// A large write of several buffers that is cancelled once the small one before it is reported, which may
  /// be when a part of the large one has left.
  private func cancelLarge(_ stream: ByteStream) {
    let loop = stream.loop
    var pending: PendingRequest?
    number += 1
    let small = done()
    stream.write(Records.make(lane: 0, number, 10)) { result in
      small(result)
      pending?.cancel()
    }
    number += 1
    let bytes = Records.make(lane: 0, number, 60_000 + loop.draw(200_000))
    pending = stream.write(Records.divide(bytes, on: loop), done())
  }

  /// A task with a lane of its own that writes a few records, and is cancelled at some time.
  private func cancelledTask(_ stream: ByteStream) -> LoopTask<Void, any Error> {
    let task = concurrentTask(stream)
    stream.loop.cancel(PendingRequest { task.cancel() })
    return task
  }

  private func concurrentTask(_ stream: ByteStream) -> LoopTask<Void, any Error> {
    let loop = stream.loop
    let lane = laneCount
    laneCount += 1
    return loop.spawn { [self] () async throws in
      for _ in 0..<3 {
        let bytes = record(loop, lane: lane)
        let done = done(lane: lane)
        let isDivided = loop.isDrawn(oneIn: 2)
        await wait(for: isDivided ? stream.write(Records.divide(bytes, on: loop)) : stream.write(bytes), done)
      }
    }
  }
}
