// Publishers and subjects are merged, zipped and combined; a sequence becomes a subject.
import UV
import UVFutures

private final class ViewModel {
  let name = CurrentValueSubject<String, Never>("")
  let age = CurrentValueSubject<Int, Never>(0)
  private(set) var lines: [String] = []
  private var subscriptions: Set<AnyCancellable> = []

  init() {
    name.combineLatest(age) { "\($0) (\($1))" }
      .removeDuplicates()
      .sink { [weak self] in self?.lines.append($0) }
      .store(in: &subscriptions)
  }
}

enum ManyPublishersAtOnce: Program {
  static func main() throws {
    try manyPublishersAtOnce()
    try subjectsAndOperators()
    try sequenceToSubject()
  }

  /// Three to eight publishers are merged, and the latest values of up to four combined.
  private static func manyPublishersAtOnce() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let p = (1...8).map { Just($0) }
      func show(_ publisher: some Publisher<Int, Never>) {
        publisher.collect().map { $0.sorted() }.sink { print($0) }.store(in: &subscriptions)
      }
      show(p[0].merge(with: p[1]))
      show(p[0].merge(with: p[1].map { $0 }))
      show(p[0].merge(with: p[1], p[2]))
      show(p[0].merge(with: p[1], p[2], p[3]))
      show(p[0].merge(with: p[1], p[2], p[3], p[4]))
      show(p[0].merge(with: p[1], p[2], p[3], p[4], p[5]))
      show(p[0].merge(with: p[1], p[2], p[3], p[4], p[5], p[6]))
      show(p[0].merge(with: p[1], p[2], p[3], p[4], p[5], p[6], p[7]))
      show(Publishers.MergeMany(p[0], p[1]).merge(with: p[2]))
      show(p[0].combineLatest(p[1]).map { $0 + $1 })
      show(p[0].combineLatest(p[1], p[2]).map { $0 + $1 + $2 })
      show(p[0].combineLatest(p[1], p[2], p[3]).map { $0 + $1 + $2 + $3 })
      show(p[0].combineLatest(p[1], p[2]) { $0 + $1 + $2 })
      show(p[0].combineLatest(p[1], p[2], p[3]) { a, b, c, d in a + b + c + d })
    }
  }

  /// Subjects of OpenCombine's feed the operators: merge, zip, combineLatest, scan, debounce.
  private static func subjectsAndOperators() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let a = PassthroughSubject<Int, Never>()
      let b = PassthroughSubject<Int, Never>()
      var results: [String] = []
      a.merge(with: b).scan(0, +).collect().sink { results.append("merge \($0)") }.store(in: &subscriptions)
      a.zip(b).map { $0 * $1 }.collect().sink { results.append("zip \($0)") }.store(in: &subscriptions)
      [a, b].combineLatest().map { $0.reduce(0, +) }.collect().sink { results.append("latest \($0)") }
        .store(in: &subscriptions)
      Publishers.MergeMany([a, b]).count().sink { results.append("count \($0)") }.store(in: &subscriptions)
      for number in 1...3 {
        a.send(number)
        b.send(number * 10)
      }
      a.send(completion: .finished)
      b.send(completion: .finished)
      results.sorted().forEach { print($0) }

      let model = ViewModel()
      model.name.value = "Ada"
      model.age.send(36)
      print(model.lines)

      let typed = PassthroughSubject<String, Never>()
      typed.debounce(for: .milliseconds(10), scheduler: loop).sink {
        print("search: \($0)")
        typed.send(completion: .finished)
      }
      .store(in: &subscriptions)
      for prefix in ["s", "sw", "swift"] { typed.send(prefix) }
    }
  }

  /// An asynchronous sequence becomes a subject that publishers are made of.
  private static func sequenceToSubject() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      PassthroughSubject<Int, Never>.emittingValues(from: stream)
        .map { $0 * 2 }
        .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
        .store(in: &subscriptions)
      for number in 1...3 { continuation.yield(number) }
      continuation.finish()
    }
    EventLoop.runCallbacks { loop in
      let throwing = AsyncThrowingStream<Int, any Error> { continuation in
        continuation.yield(7)
        continuation.finish(throwing: UVError(.busy, operation: "stream"))
      }
      PassthroughSubject<Int, any Error>.emittingValues(from: throwing)
        .catch { error in Just(-1) }
        .collect()
        .sink { print($0) }
        .store(in: &subscriptions)
    }
  }
}

// Prints:
// [1, 2]
// [1, 2]
// [1, 2, 3]
// [1, 2, 3, 4]
// [1, 2, 3, 4, 5]
// [1, 2, 3, 4, 5, 6]
// [1, 2, 3, 4, 5, 6, 7]
// [1, 2, 3, 4, 5, 6, 7, 8]
// [1, 2, 3]
// [3]
// [6]
// [10]
// [6]
// [10]
// count 6
// latest [11, 12, 22, 23, 33]
// merge [1, 11, 13, 33, 36, 66]
// zip [10, 40, 90]
// [" (0)", "Ada (0)", "Ada (36)"]
// search: swift
// 2
// 4
// 6
// finished
// [7, -1]
