import Dispatch
import Testing
import UV
import UVPromises
import UVTestSupport

/// Each step of a chain below each outcome: whether its handler runs, and what comes of it.
@Suite struct StepTableTests {
  enum Step: CaseIterable, Sendable {
    case then, map, compactMap, done, get, validate, tap, ensure, always, ensureThenGuarantee,
      ensureThenPromise
    case recover, recoverAll, recoverGuarantee, recoverVoid, recoverVoidAll, recoverVoidGuarantee, mapError

    /// Whether the handler is for values, errors, or cancellations.
    var runsFor: (value: Bool, error: Bool, cancellation: Bool) {
      switch self {
      case .then, .map, .compactMap, .done, .get, .validate: (true, false, false)
      case .tap, .ensure, .always, .ensureThenGuarantee, .ensureThenPromise: (true, true, true)
      case .recover, .recoverVoid: (false, true, false)
      case .recoverAll, .recoverGuarantee, .recoverVoidAll, .recoverVoidGuarantee, .mapError:
        (false, true, true)
      }
    }

    /// What comes of a handler that has run: nil is the outcome that it was given.
    var makes: String? {
      switch self {
      case .then, .map, .compactMap, .recover, .recoverAll, .recoverGuarantee: "2"
      case .done, .recoverVoid, .recoverVoidAll, .recoverVoidGuarantee: "()"
      case .get, .validate, .tap, .ensure, .always, .ensureThenGuarantee, .ensureThenPromise: nil
      case .mapError: "Boom(number: 3)"
      }
    }

    var mayThrow: Bool {
      switch self {
      case .then, .map, .compactMap, .done, .get, .validate, .recover, .recoverAll, .recoverVoid,
        .recoverVoidAll:
        true
      default: false
      }
    }

    /// Whether its result has no value.
    var isVoid: Bool { self == .recoverVoid || self == .recoverVoidAll || self == .recoverVoidGuarantee }
  }

  enum Place: CaseIterable, Sendable { case microtask, inline, queue }

  enum Outcome: CaseIterable, Sendable {
    case value, error, cancellation, cancelledValue

    func settle(_ promise: Promise<Int>, _ seal: Resolver<Int>) {
      switch self {
      case .value: seal.fulfill(1)
      case .error: seal.reject(Boom())
      case .cancellation: seal.reject(PMKError.cancelled)
      case .cancelledValue:
        seal.fulfill(1)
        promise.cancel()
      }
    }

    func runs(_ step: Step) -> Bool {
      switch self {
      case .value: step.runsFor.value
      case .error: step.runsFor.error
      case .cancellation, .cancelledValue: step.runsFor.cancellation
      }
    }

    func passed(_ step: Step) -> String {
      switch self {
      case .value: step.isVoid ? "()" : "1"
      case .error: "Boom(number: 0)"
      case .cancellation, .cancelledValue: "the promise was cancelled"
      }
    }
  }

  @Test("A handler runs for the outcomes that it is for, and the others pass", arguments: Step.allCases)
  func table(step: Step) async throws {
    try await withLoop { loop in
      Reports().install()
      for place in Place.allCases {
        for outcome in Outcome.allCases {
          for isSettledBefore in [true, false] {
            // A handler that runs inline has run before the value can be cancelled.
            if !isSettledBefore, outcome == .cancelledValue, place != .microtask || step.isVoid { continue }
            let (promise, seal) = Promise<Int>.pending()
            if isSettledBefore { outcome.settle(promise, seal) }
            let ran = Log<Bool>()
            let end = Self.attach(step, place, to: promise) { ran.append(true) }
            if !isSettledBefore { outcome.settle(promise, seal) }
            let seen = try await Self.words(end, loop)
            let runs = outcome.runs(step)
            let name = "\(step) \(place) \(outcome), settled before: \(isSettledBefore)"
            #expect(ran.values == (runs ? [true] : []), "\(name)")
            #expect(seen == (runs ? step.makes : nil) ?? outcome.passed(step), "\(name)")
          }
        }
      }
    }
  }

  @Test(
    "A handler that throws rejects its step with the error",
    arguments: Step.allCases.filter { $0.mayThrow })
  func thrown(step: Step) async throws {
    try await withLoop { loop in
      Reports().install()
      for place in Place.allCases {
        let source = step.runsFor.value ? Promise.value(1) : Promise(error: Boom())
        let end = Self.attach(step, place, to: source) { throw Boom(number: 9) }
        let seen = try await Self.words(end, loop)
        #expect(seen == "Boom(number: 9)", "\(step) \(place)")
      }
    }
  }

  @Test("A handler that cancels the promise whose value it was given has its result dropped, and no other")
  func cancelling() async throws {
    try await withLoop { loop in
      Reports().install()
      for step in Step.allCases where step.runsFor.value {
        for isInline in [true, false] {
          let source = Promise.value(1)
          let sibling = source.map(on: nil) { $0 }
          let box = Box(source)
          let end = Self.attach(step, isInline ? .inline : .microtask, to: source) {
            box.value?.cancel()
          }
          let seen = try await Self.words(end, loop)
          // What has taken its outcome before may pass it on.
          if step != .tap { #expect(seen == "the promise was cancelled", "\(step), inline: \(isInline)") }
          #expect(sibling.value == 1)
          #expect(source.value == 1)
        }
      }
    }
  }

  @Test(
    "A step whose end is cancelled while it waits doesn't run, but if it is for that",
    arguments: Step.allCases)
  func cancelledEnd(step: Step) async throws {
    try await withLoop { loop in
      Reports().install()
      for place in Place.allCases {
        let source = loop.sleep(for: .untilCancelled).promise().map { 1 }
        let ran = Log<Bool>()
        let end = Self.attach(step, place, to: source) { ran.append(true) }
        end.cancel()
        _ = try await Self.words(end, loop)
        try await loop.until { source.isRejected }
        #expect(source.error?.isCancelled == true, "\(step) \(place)")
        #expect(ran.values.isEmpty || step.runsFor.cancellation, "\(step) \(place)")
        #expect(loop.statistics.timers == 0, "\(step) \(place)")
      }
    }
  }

  /// Waits for the end of a chain, in words.
  private nonisolated(nonsending) static func words(_ promise: Promise<String>, _ loop: EventLoop)
    async throws
    -> String
  {
    let seen = Log<String>()
    promise.pipe {
      switch $0 {
      case .fulfilled(let text): seen.append(text)
      case .rejected(let error): seen.append("\(error)")
      }
    }
    try await loop.until { !seen.values.isEmpty }
    return seen.values[0]
  }
}
