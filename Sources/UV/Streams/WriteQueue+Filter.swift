import CUV

/// Writes that pass through the stream's filter. They are sealed right before the system is offered them, in
/// order.
extension WriteQueue {
  /// How many bytes the filter has that were sealed, or that it has to say itself, and that libuv hasn't got.
  var outputCount: Int { filter?.output.count ?? 0 }

  /// Seals a task's bytes and offers them to the system, if nothing is before them. A task that awaits each
  /// write has nothing to gather.
  ///
  /// The system takes all or none of them.
  func startWrite(filtered bytes: Bytes) -> ByteStream.WriteStart {
    guard isEmpty, bytes.count <= PendingWrites.bytesPerOffer, let filter else {
      return bytes.isEmpty && !isEmpty ? .waits : .taken(0)
    }
    _ = loop.spend(TurnBudget.systemCall &+ bytes.count >> 10)
    if !bytes.isEmpty, let error = bytes.withUnsafeBytes({ filter.seal($0) }) {
      failLater(error.code.rawValue)
      return .failed(UVError(error.code, operation: "write", message: error.message))
    }
    let output = filter.output
    let taken = offer(output)
    if taken < 0 { return .failed(failure(Int32(taken), "write")) }
    if taken == output.count {
      filter.dropOutput()
      return .taken(bytes.count)
    }
    waitForSealed(by: filter, after: taken)
    return .waits
  }

  /// Seals the writes that wait, and hands the result to the system, as much as the turn's budget allows.
  func flush(through filter: any StreamFilter) {
    keepOwnerAlive()
    repeat {
      if let error = pending.send(sealedBy: filter) {
        // The filter's output is an alert now, which the peer shall get.
        _ = offer(filter.output)
        failLater(error.code.rawValue)
        return fail(error.code.rawValue)
      }
      let output = filter.output
      let taken = offer(output)
      if taken < 0 { return fail(Int32(taken)) }
      if taken < output.count { return wait(for: filter, after: taken) }
      filter.dropOutput()
      pending.endInFlight { notifyTaken($0) }
      // A fast reader doesn't keep the loop from its other streams.
      if !mayGoOn(after: taken), !pending.queued.isEmpty { return schedule() }
    } while !pending.queued.isEmpty
    letFilterRead()
    becameEmptyAtOnce()
  }

  /// Pays for a call of the system that has taken bytes.
  ///
  /// - Returns: Whether something is left of the turn's budget.
  func mayGoOn(after byteCount: Int) -> Bool {
    _ = loop.spend(TurnBudget.systemCall &+ byteCount >> 10)
    return !loop.hasUsedUpTurn
  }

  /// Notifies a writer in a microtask that the system has taken its bytes.
  private func notifyTaken(_ waiter: PendingWrite.Waiter) {
    switch waiter {
    case .none: break
    case .callback(let done): loop.enqueue(.completion(done, .write, 0))
    case .task: loop.queueMicrotask { waiter.resume(0) }
    }
  }

  /// Lets libuv send the rest of what is sealed, although no write waits.
  private func waitForSealed(by filter: any StreamFilter, after taken: Int) {
    keepOwnerAlive()
    pending.standForSealedBytes()
    wait(for: filter, after: taken)
  }

  /// Lets libuv send the rest of what is sealed.
  private func wait(for filter: any StreamFilter, after taken: Int) {
    let rest = Bytes(copying: UnsafeRawBufferPointer(rebasing: filter.output[taken...]))
    filter.dropOutput()
    pending.keepSealed(rest)
    let request = self.request ?? .allocate(capacity: 1)
    self.request = request
    let code = PendingWrites.withBuffers(pending.inFlight[..<1]) { buffers, count in
      cuv_write(request, owner.stream, buffers, count, nil, didWrite)
    }
    if code < 0 {
      failLater(code)
      fail(code)
    } else {
      noteWait()
    }
  }

  /// Sends what the filter itself has to say. If no write waits and the system has room, nothing is queued.
  func sendOutput(of filter: any StreamFilter) {
    guard isEmpty, !block.isClosing else { return flushOutput() }
    let output = filter.output
    // No byte of the program's: a peer that asks for answers of the filter's would otherwise count as active.
    let taken = offer(output, isProgramsOwn: false)
    if taken < 0 || taken == output.count { return filter.dropOutput() }
    waitForSealed(by: filter, after: taken)
  }

  /// Sends what the filter itself has to say, before the writes that wait. These take it along; if there are
  /// none, an empty one does.
  func flushOutput() {
    if !pending.queued.isEmpty { return }
    pending.beginWrite()
    pending.append(Bytes(), .none)
    if pending.inFlight.isEmpty { flush() }
  }

  /// The most bytes that the filter itself may have to say while the stream goes on reading.
  ///
  /// A peer can ask for answers, such as new keys, without end. If it doesn't read them, nothing of what it
  /// sends is read. The program's own writes don't count here: two programs that both write much and read
  /// would wait for each other.
  static let mostOutput = 65536

  /// Whether the peer has to read before the stream reads more.
  var hasTooMuchOutput: Bool { outputCount > Self.mostOutput }

  /// Goes on reading, if that rested because of the filter's output and the system has taken enough of it.
  /// After a failure it has one more chance: an alert may be in it.
  func letFilterRead() {
    if failureCode != nil, let filter {
      if !block.isClosing { _ = offer(filter.output) }
      filter.dropOutput()
    }
    if block.header.pointee.activity.contains(.filterResting), !hasTooMuchOutput { owner.goOnForFilter() }
  }

  /// Offers the system bytes, without waiting. Returns how many it has taken, or a code.
  func offer(_ output: UnsafeRawBufferPointer, isProgramsOwn: Bool = true) -> Int {
    if output.isEmpty { return 0 }
    let result = cuv_try_write(cuv_stream(block.raw), output.baseAddress!, output.count)
    if isProgramsOwn || result < 0 { return owner.taken(result) }
    loop.microtasks.state.pointee.counts.bytesWritten &+= Int(result)
    return Int(result)
  }

  /// All later writes fail with a code.
  func failLater(_ code: Int32) { _ = noteRefusal(code) }

  /// Writes one record, if nothing waits. The stream keeps what the system doesn't take of it: half a record
  /// can't be taken back.
  func tryWrite(filtered buffers: [Bytes]) throws(UVError) -> Int {
    guard isEmpty, let filter, !buffers.isEmpty else { return 0 }
    var room = PendingWrites.bytesPerRecord
    for bytes in buffers where room > 0 {
      let count = min(room, bytes.count)
      room -= count
      if let error = bytes.withUnsafeBytes({ filter.seal(UnsafeRawBufferPointer(rebasing: $0[..<count])) }) {
        failLater(error.code.rawValue)
        throw UVError(error.code, operation: "try_write", message: error.message)
      }
    }
    flushOutput()
    if let failureCode { throw failure(failureCode, "try_write") }
    return PendingWrites.bytesPerRecord - room
  }

  /// Offers the system everything that waits, and the filter's end. The stream closes next.
  func handOver(through filter: any StreamFilter) -> Int32 {
    var ended = pending.takeInFlight()
    var code: Int32 = 0
    while code == 0, !pending.queued.isEmpty || !filter.output.isEmpty {
      code = pending.send(sealedBy: filter)?.code.rawValue ?? 0
      // After a failure this is an alert.
      let output = filter.output
      let taken = offer(output)
      if taken < output.count, code == 0 { code = taken < 0 ? Int32(taken) : UV_EAGAIN.rawValue }
      filter.dropOutput()
      ended += pending.takeInFlight().map { entry in
        var entry = entry
        // A request of libuv's that has ended with success isn't theirs.
        entry.outcome = code == UV_EAGAIN.rawValue ? UV_ECANCELED.rawValue : code
        return entry
      }
    }
    if code == 0, filter.end() {
      _ = offer(filter.output)
      filter.dropOutput()
    }
    pending.inFlight = ended
    return code
  }
}
