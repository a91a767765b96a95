import Foundation
import Testing

/// What long chains cost the compiler.
@Suite struct CompileTimeTests {
  /// Chains of 30 steps.
  static let vocabularies = [
    """
    import UVPromises
    func promises(_ text: String) -> Promise<Int> {
      firstly { Promise.value(1) }
    \(steps { ".map { $0 + \($0) }" })
    }
    """,
    """
    import UVPromises
    func mixed(_ text: String) -> PMKFinalizer {
      firstly { Promise.value(1) }
    \(steps(28) { [".map { $0 + \($0) }", ".then { Promise.value($0) }", ".get { _ in }", ".ensure { }"][$0 % 4] })
        .done { print($0) }
        .catch { print($0) }
    }
    """,
    """
    import UVPromises
    func guarantees(_ text: String) -> Guarantee<Int> {
      firstly { Guarantee.value(1) }
    \(steps { ".map { $0 + \($0) }" })
    }
    """,
    """
    import UVPromises
    func mixedGuarantees(_ text: String) -> Guarantee<Void> {
      firstly { Guarantee.value(1) }
    \(steps(28) { [".map { $0 + \($0) }", ".then { Guarantee.value($0) }", ".get { _ in }", ".map(on: nil) { $0 }"][$0 % 4] })
        .done { print($0) }
    }
    """,
    """
    import UVPromises
    func inline(_ text: String) -> Promise<Int> {
      firstly { Promise.value(1) }
    \(steps { [".map(on: nil) { $0 + \($0) }", ".map(on: .inline) { $0 + \($0) }"][$0 % 2] })
    }
    """,
    """
    import UVPromises
    func inlineSequences(_ numbers: Promise<[Int]>) -> Promise<[Int]> {
      numbers
    \(steps(10) { [".mapValues(on: nil) { $0 + \($0) }", ".filterValues(on: nil) { $0 > \($0) }", ".sortedValues(on: nil)"][$0 % 3] })
        .flatMapValues(on: nil) { [$0, $0] }.compactMapValues(on: nil) { $0 > 1 ? $0 : nil }
        .thenMap(on: nil) { Promise.value($0) }.thenFlatMap(on: nil) { Promise.value([$0]) }
    }
    """,
    """
    import UVPromises
    func inlineGuarantees(_ numbers: Guarantee<[Int]>) -> Guarantee<[Int]> {
      numbers
    \(steps(10) { [".mapValues(on: nil) { $0 + \($0) }", ".filterValues(on: nil) { $0 > \($0) }", ".sortedValues(on: nil)"][$0 % 3] })
        .flatMapValues(on: nil) { [$0, $0] }.compactMapValues(on: nil) { $0 > 1 ? $0 : nil }
        .thenMap(on: nil) { Guarantee.value($0) }.thenFlatMap(on: nil) { Guarantee.value([$0]) }
    }
    """,
    """
    import Dispatch
    import UVPromises
    func onQueues(_ queue: DispatchQueue) -> Promise<Int> {
      firstly { Promise.value(1) }
    \(steps { [".map(on: queue) { $0 + \($0) }", ".map(on: .global()) { $0 + \($0) }"][$0 % 2] })
    }
    """,
    """
    import UVPromises
    struct Failure: Error {}
    func fallible(_ text: String) -> Promise<Int> {
      firstly { Guarantee.value(1) }
    \(steps(14) { ".map { $0 + \($0) }" })
        .map { if $0 == 3 { throw Failure() } else { return $0 } }
    \(steps(14) { ".map { $0 + \($0) }" })
    }
    """,
  ]

  private static func steps(_ count: Int = 30, _ step: (Int) -> String) -> String {
    (0..<count).map { "    " + step($0) }.joined(separator: "\n")
  }

  @Test(
    "a chain of 30 steps is no long expression for the compiler", .enabled(if: Compiler.isThere),
    arguments: vocabularies.indices)
  func longChains(_ index: Int) throws {
    let problems = try Compiler.problems(
      // How often the compiler tries, as the time that it takes depends on the machine. Where each step
      // doubles that, the chain is far over a million.
      Self.vocabularies[index], ["-Xfrontend", "-solver-scope-threshold=1000"])
    #expect(problems.map(\.message) == [])
  }

  @Test(
    "a guarantee's chain of eleven steps on a queue, with an operator for a handler, compiles",
    .enabled(if: Compiler.isThere))
  func onAQueue() throws {
    let program = """
      import Dispatch
      import UVPromises
      func ordered(_ queue: DispatchQueue) {
        Guarantee.value([3, 1, 2])
          .mapValues(on: queue) { $0 * 2 }.filterValues(on: queue) { $0 > 2 }
          .flatMapValues(on: queue) { [$0, $0 + 1] }.compactMapValues(on: queue) { $0 == 5 ? nil : $0 }
          .thenMap(on: queue) { Guarantee.value($0 + 1) }.sortedValues(on: queue)
          .get(on: queue) { print($0) }.sortedValues(on: queue, >)
          .then(on: queue) { Guarantee.value($0) }.map(on: queue) { $0.map { String($0) } }
          .done(on: queue) { print($0) }
      }
      """
    // A handler on a queue may throw or not, and the compiler tries both for each. It gives up at a million.
    let problems = try Compiler.problems(program, ["-Xfrontend", "-solver-scope-threshold=60000"])
    #expect(problems.map(\.message) == [])
  }

  /// What is a publisher has Combine's `map` beside its own: the compiler tries both at each step, as it does
  /// for those of OpenCombine alone. A third choice is what must not be.
  static let publishers = [
    """
    import UVRxStream
    func stream() -> Hot<Int, Never> {
      HotInput<Int, Never>()
    \(steps(6) { ".map { $0 + \($0) }" })
    }
    """,
    """
    import UVFutures
    func publisher(_ future: Future<Int, Never>) -> AnyCancellable {
      future
    \(steps(6) { ".map { $0 + \($0) }" })
        .sink { print($0) }
    }
    """,
    """
    import UVRxStream
    func future() -> Future<Int, Never> {
      Future.completed(1)
    \(steps(6) { ".map { $0 + \($0) }" })
    }
    """,
  ]

  @Test(
    "a chain of six steps of a stream or a publisher takes no more tries than one of Combine's",
    .enabled(if: Compiler.isThere),
    arguments: publishers.indices)
  func publisherChains(_ index: Int) throws {
    let problems = try Compiler.problems(
      Self.publishers[index], ["-Xfrontend", "-solver-scope-threshold=5000"])
    #expect(problems.map(\.message) == [])
  }

  @Test("a chain of 30 steps of what is no publisher is no long expression", .enabled(if: Compiler.isThere))
  func coldChain() throws {
    let program = """
      import UVRxStream
      func answers(_ cold: Cold<Int, Int, Never>) -> Cold<Int, Int, Never> {
        cold
      \(Self.steps { ".map { $0 + \($0) }" })
      }
      """
    let problems = try Compiler.problems(program, ["-Xfrontend", "-warn-long-expression-type-checking=300"])
    #expect(problems.map(\.message) == [])
  }
}
