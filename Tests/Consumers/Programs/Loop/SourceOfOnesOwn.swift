// A source of one's own counts while somebody listens, in every style.
import UV
import UVFutures
import UVPromises

private final class Counter {
  private var pending = PendingRequest()
  private var number = 0
  private(set) var pauses = 0

  func source(_ loop: EventLoop, upTo limit: Int) -> CustomSource<Int> {
    let pause: CustomSource<Int>.Handler = { [self] _ in
      pauses += 1
      pending.cancel()
    }
    return CustomSource(loop, "count", resume: { [self] in count($0, limit) }, pause: pause)
  }

  private func count(_ source: CustomSource<Int>, _ limit: Int) {
    pending = source.loop.sleep(for: .milliseconds(1)) { [self] result in
      guard case .success = result else { return }
      number += 1
      source.send(number)
      if number == limit { source.finish() } else { count(source, limit) }
    }
  }
}

private func sum<Source: EventSource>(_ source: Source, _ done: @escaping (Int) -> Void)
where Source.Element == Int {
  var sum = 0
  source.start { result in
    if case .success(let number?) = result { sum += number } else { done(sum) }
  }
}

private func first<Source: EventSource>(of source: Source, _ done: @escaping (Source.Element?) -> Void) {
  source.next { result in
    done((try? result.get()) ?? nil)
    source.stop()
  }
}

enum SourceOfOnesOwn: Program {
  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    try EventLoop.run { loop in
      for try await number in Counter().source(loop, upTo: 3) { print(number) }
      let counter = Counter()
      let source = counter.source(loop, upTo: 100)
      print(try await source.next().value ?? 0, source.loop === loop)
      while counter.pauses == 0 { try await loop.sleep(for: .zero).value }
      print(counter.pauses)
      await withCheckedContinuation { answered in
        source.next {
          print((try? $0.get()) == 2)
          answered.resume()
        }
      }
      source.start { _ in source.stop() }
      let failing = CustomSource<Int>(loop, "fail") { $0.finish(UVError(.busy, operation: "fail")) }
      do throws(UVError) {
        for try await number in failing { print(number) }
      } catch {
        print(error.name)
      }
    }
    EventLoop.runCallbacks { loop in
      let counter = Counter()
      sum(counter.source(loop, upTo: 4)) { print("sum", $0) }
    }
    EventLoop.runCallbacks { loop in first(of: Counter().source(loop, upTo: 9)) { print("first", $0 ?? 0) } }
    EventLoop.runCallbacks { loop in
      Counter().source(loop, upTo: 2).each { number in Promise.value(number).done { print("each", $0) } }
        .done { print("end") }.cauterize()
    }
    EventLoop.runCallbacks { loop in
      Counter().source(loop, upTo: 2).publisher().collect()
        .sink(receiveCompletion: { _ in }, receiveValue: { print($0) })
        .store(in: &subscriptions)
    }
  }
}

// Prints:
// 1
// 2
// 3
// 1 true
// 1
// true
// EBUSY
// sum 10
// first 1
// each 1
// each 2
// end
// [1, 2]
