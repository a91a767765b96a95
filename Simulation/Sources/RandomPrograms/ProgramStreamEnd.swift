import SimulatedWorlds
import UV
import WorldSupport

/// One end of a program's stream, and what the model knows about it.
///
/// Bytes are written as records with growing numbers, so that the peer can say which have come. Reads are answered in the
/// order in which they were asked for, so what has come is what they have got in that order.
final class ProgramStreamEnd {
  let stream: ByteStream
  let transport: ProgramTransport
  var peer: ProgramStreamEnd?

  // What was written.
  private var lastRecord = 0
  private(set) var asked: Set<Int> = []
  private(set) var written: Set<Int> = []
  private(set) var givenUp: Set<Int> = []
  private var lastInOrder = 0
  /// How many wait for the end of the writes.
  var openDrains = 0, openShutdowns = 0
  // What was read, by the order of asking.
  private var reads: [[Bytes]] = []
  private(set) var openReads = 0
  private var needs: [Int: Int?] = [:]
  private var lastEnd: String?
  /// The read that is answered next: its place, and how many bytes it needs if that is known. Nil if nobody reads.
  var firstWait: (place: Int, need: Int?)? { needs.keys.min().map { ($0, needs[$0]!) } }
  var hasHandler = false

  /// Whether a step has shut it down or closed it, or a timeout has.
  var isShut = false, isClosed = false, wasReset = false, hasFinished = false
  private var closesByTimeout = false
  /// Whether it has closed before both sides had ended.
  var wasClosed: Bool { isClosed || stream.isClosing && closesByTimeout && !hasFinished || hasBroken }
  private var hasBroken = false
  /// Whether it has read the end, without an error.
  var sawEnd = false
  /// The error that it has read.
  var readError: UVError?
  private(set) var readTimeout: Duration?, writeTimeout: Duration?, idleTimeout: Duration?
  private(set) var timeoutSet: LoopClock.Instant?
  private(set) var lastBytes: LoopClock.Instant?

  init(_ stream: ByteStream, _ transport: ProgramTransport) {
    (self.stream, self.transport) = (stream, transport)
  }

  // MARK: Writes

  /// The next record, in parts.
  func record(_ count: Int, parts: Int) -> (number: Int, parts: [Bytes]) {
    lastRecord += 1
    asked.insert(lastRecord)
    let bytes = Records.make(lane: 0, lastRecord, count)
    let length = bytes.count / parts + 1
    let pieces = stride(from: 0, to: bytes.count, by: length).map {
      Bytes(bytes[(bytes.startIndex + $0)...].prefix(length))
    }
    return (lastRecord, pieces)
  }

  /// Notes what has come of a write. Returns what is wrong with that; nil if nothing is.
  ///
  /// - Parameter isInOrder: Whether it is answered behind those before it, as callbacks are.
  func wrote(_ number: Int, _ result: Result<Void, UVError>?, isInOrder: Bool) -> String? {
    guard case .success? = result else {
      givenUp.insert(number)
      return nil
    }
    written.insert(number)
    if !isInOrder { return nil }
    defer { lastInOrder = max(lastInOrder, number) }
    return number < lastInOrder ? "record \(lastInOrder) is answered before \(number)" : nil
  }

  /// Whether a write may fail so.
  func mayFailToWrite(_ error: UVError) -> Bool {
    switch error.code {
    case .cancelled: wasClosed || hasFinished
    case .timedOut: writeTimeout != nil || idleTimeout != nil
    case .badDescriptor: wasClosed || hasFinished
    case .brokenPipe, .connectionReset, .connectionAborted, .notConnected:
      isShut || wasClosed || hasFinished || peer!.wasClosed || peer!.hasFinished
    default: false
    }
  }

  // MARK: Reads

  /// Notes a read. What it returns takes what the read has got.
  func read(_ need: Int?) -> (_ bytes: Bytes?, _ isOver: Bool) -> Void {
    let place = reads.count
    needs[place] = .some(need)
    reads.append([])
    openReads += 1
    var isOpen = true
    return { [self] bytes, isOver in
      if let bytes {
        reads[place].append(bytes)
        lastBytes = stream.loop.clock.now
      }
      if isOver, isOpen {
        isOpen = false
        openReads -= 1
        needs[place] = nil
      }
    }
  }

  /// Whether a read may fail so.
  func mayFailToRead(_ error: UVError) -> Bool {
    switch error.code {
    case .cancelled: wasClosed || hasFinished
    case .timedOut: readTimeout != nil || idleTimeout != nil || writeTimeout != nil
    case .badDescriptor: wasClosed || hasFinished
    case .endOfFile: peer!.isShut || peer!.wasClosed || peer!.hasFinished
    case .messageTooLong: true
    case .connectionReset, .connectionAborted, .tlsTruncated, .brokenPipe, .notConnected:
      wasClosed || peer!.wasClosed
    default: false
    }
  }

  /// How it has ended for its readers, which stays so. Returns what is wrong with another answer; nil if nothing is.
  ///
  /// - Parameter isInOrder: Whether it is known behind the answers before it, as callbacks are.
  func noteEnd(_ result: Result<Bytes?, UVError>, isInOrder: Bool) -> String? {
    let isBroken: Bool
    switch result {
    case .success(let bytes?):
      return lastEnd == nil || !isInOrder || bytes.isEmpty ? nil : "\(bytes.count) bytes after \(lastEnd!)"
    case .success(nil): isBroken = false
    case .failure(let error):
      guard [.connectionReset, .connectionAborted, .tlsTruncated].contains(error.code) else { return nil }
      isBroken = true
    }
    let end = isBroken ? "an error" : "the end"
    defer { lastEnd = lastEnd ?? end }
    return lastEnd == nil || lastEnd == end ? nil : "\(end) after \(lastEnd!)"
  }

  /// Whether the end may come now.
  var mayEnd: Bool { peer!.isShut || peer!.wasClosed || peer!.hasFinished || wasClosed || hasFinished }

  // MARK: Timeouts

  func setTimeout(_ action: ProgramStep.Action) {
    func time(_ number: Int) -> Duration? { number == 0 ? nil : .microseconds(number) }
    switch action {
    case .readTimeout(_, let number):
      readTimeout = time(number)
      stream.readTimeout = readTimeout
      timeoutSet = stream.loop.clock.now
    case .idleTimeout(_, let number):
      idleTimeout = time(number)
      stream.idleTimeout = idleTimeout
    case .writeTimeout(_, let number):
      writeTimeout = time(number)
      stream.writeTimeout = writeTimeout
    default: return
    }
    if writeTimeout != nil || idleTimeout != nil { closesByTimeout = true }
  }

  func endTimeouts() {
    hasBroken = wasClosed
    (readTimeout, idleTimeout, writeTimeout) = (nil, nil, nil)
    (stream.readTimeout, stream.idleTimeout, stream.writeTimeout) = (nil, nil, nil)
  }

  /// Compares the time of an answer with the stream's `readTimeout`, which counts from the last of three moments.
  ///
  /// The read has been the only one since it was asked for.
  ///
  /// - Parameter isLate: Whether an answer can also be late: where every byte that comes is an answer.
  func judgeTime(
    of question: String, since begin: LoopClock.Instant, _ error: UVError?, isLate: Bool, slack: Duration
  ) -> String? {
    guard let readTimeout, idleTimeout == nil, writeTimeout == nil, !wasClosed else { return nil }
    let start = max(begin, timeoutSet!, lastBytes ?? begin)
    let time = start.duration(to: stream.loop.clock.now)
    // A task hears of a timeout later, when another one may have set another length. The error names its own.
    if error?.code == .timedOut, "\(error!)".contains("readTimeout of \(readTimeout)"), time < readTimeout {
      return "\(question): the readTimeout \(readTimeout) came after \(time)"
    }
    if isLate, time > readTimeout + slack {
      return "\(question): an answer after \(time), and a readTimeout of \(readTimeout)"
    }
    return nil
  }

  // MARK: The end

  /// Compares what has come with what the peer has written.
  func check(_ name: String) throws {
    guard let peer else { return }
    let reader = RecordReader()
    for bytes in reads.joined() { try reader.take(bytes) }
    let received = reader.received[0, default: []]
    try expect(
      reader.received.count <= 1 && received.isSubset(of: peer.asked),
      "\(name): records that nobody has written")
    let isRude = wasClosed || peer.wasClosed
    if !isRude {
      try expect(sawEnd, "\(name): no end has come, but \(readError.map { "\($0)" } ?? "nothing")")
      try expect(reader.isBetweenRecords, "\(name): the end comes within a record")
      for number in peer.asked.subtracting(peer.givenUp).subtracting(received) {
        throw Violation("\(name): record \(number) hasn't come")
      }
    } else if !wasClosed, asked.isEmpty, transport != .tls, sawEnd, !peer.wasReset {
      // Nothing was unread when the peer closed, so what it has written comes.
      for number in peer.written.subtracting(received) {
        throw Violation("\(name): record \(number) was written before the close, and hasn't come")
      }
    }
  }
}
