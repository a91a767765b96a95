// Promises and guarantees that somebody else resolves: by closures that are passed on, on the loop or to a queue.
import Dispatch
import UV
import UVPromises

/// Of no use to another thread.
private final class Draft {
  var text = ""
}

private final class Questions {
  private var answers: [(String) -> Void] = []

  func ask() -> Guarantee<String> {
    let (guarantee, resolve) = Guarantee<String>.pending()
    answers.append(resolve)
    return guarantee
  }

  func answer(_ text: String) { answers.removeFirst()(text) }
}

enum ResolversOfOnesOwn: Program {
  struct Refused: Error {}

  static func main() throws {
    EventLoop.runCallbacks { loop in
      let questions = Questions()
      questions.ask().done { print("answer: \($0)") }
      loop.sleep(for: .milliseconds(1)) { _ in questions.answer("yes") }

      let (draft, finish) = Guarantee<Draft>.pending()
      draft.done { print("draft: \($0.text)") }
      loop.queueMicrotask {
        let written = Draft()
        written.text = "words"
        finish(written)
      }

      Guarantee<Draft> { done in loop.sleep(for: .milliseconds(2)) { _ in done(Draft()) } }
        .map { $0.text.isEmpty }.done { print("empty: \($0)") }
    }

    EventLoop.runCallbacks { loop in
      let (promise, seal) = Promise<Int>.pending()
      print(seal.isPending, seal.fulfill(1), seal.isPending, seal.fulfill(2), seal.reject(Refused()))
      promise.done { print("one: \($0)") }.cauterize()
      let (nothing, end) = Promise<Void>.pending()
      end.onCancel { print("given back") }
      nothing.cancel()
      if !end.fulfill() { print("too late") }
    }

    try EventLoop.run { _ in
      let queue = DispatchQueue(label: "work")
      print(await Guarantee<Int> { done in queue.async { done(42) } }.async())

      let (number, fulfill, _) = Promise<Int>.withResolvers()
      queue.async { fulfill(1) }
      print(try await number.async())

      let (refused, _, reject) = Promise<Int>.withResolvers()
      queue.async { reject(Refused()) }
      do { print(try await refused.async()) } catch { print(error) }

      let (draft, hand, _) = Promise<Draft>.withResolvers()
      hand(Draft())
      print(try await draft.async().text.isEmpty)
    }
  }
}

// Prints:
// draft: words
// answer: yes
// empty: true
// true true false false false
// given back
// too late
// one: 1
// 42
// 1
// Refused()
// true
