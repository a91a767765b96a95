// Subjects of OpenCombine's feed the operators: merge, zip, combineLatest, scan, debounce.
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

enum SubjectsAndOperators: Program {
  static func main() throws {
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
      typed.debounce(for: .milliseconds(10), scheduler: loop).sink { print("search: \($0)") }
        .store(in: &subscriptions)
      for prefix in ["s", "sw", "swift"] { typed.send(prefix) }
      loop.sleep(for: .milliseconds(50)) { _ in typed.send(completion: .finished) }
    }
  }
}

// Prints:
// count 6
// latest [11, 12, 22, 23, 33]
// merge [1, 11, 13, 33, 36, 66]
// zip [10, 40, 90]
// [" (0)", "Ada (0)", "Ada (36)"]
// search: swift
