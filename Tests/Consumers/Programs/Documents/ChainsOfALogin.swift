// Chains in place of nested callbacks, as an introduction to promises has them.
import UV
import UVPromises

private struct Credentials: Sendable { var user: String }
private struct Image: Sendable, Equatable { var name: String }
private enum Refused: Error { case user }

private final class Screen {
  let loop: EventLoop
  var image: Image?
  var isSpinning = false { didSet { print(isSpinning ? "spinning" : "still") } }

  init(_ loop: EventLoop) { self.loop = loop }

  func login(_ user: String, _ completion: @escaping (Credentials?, (any Error)?) -> Void) {
    loop.sleep(for: .zero) { _ in
      user.isEmpty ? completion(nil, Refused.user) : completion(Credentials(user: user), nil)
    }
  }

  func fetch(_ user: String, _ completion: @escaping (Image?, (any Error)?) -> Void) {
    loop.sleep(for: .zero) { _ in completion(Image(name: user + ".png"), nil) }
  }

  func login(_ user: String) -> Promise<Credentials> { Promise { login(user, $0.resolve) } }

  func fetch(avatar user: String) -> Promise<Image> {
    Promise { seal in
      fetch(user) { image, error in seal.resolve(image, error) }
    }
  }

  func show(_ user: String) -> Promise<Void> {
    firstly {
      isSpinning = true
      return login(user)
    }.then { credentials in
      self.fetch(avatar: credentials.user)
    }.done { image in
      self.image = image
      print("shows", image.name)
    }.ensure {
      self.isSpinning = false
    }
  }
}

enum ChainsOfALogin: Program {
  static func main() throws {
    for user in ["ada", ""] {
      EventLoop.runCallbacks { loop in
        let screen = Screen(loop)
        screen.show(user).catch { print("refused:", $0) }.finally {
          print("shown:", screen.image?.name ?? "nothing")
        }
      }
    }
    // One after the other, so that a busy machine doesn't change the order.
    for part in [both, oneFails, resolved, first] { EventLoop.runCallbacks { part($0) } }
    EventLoop.runCallbacks { operators($0) }
  }

  private static func later(_ loop: EventLoop, _ value: Int, _ milliseconds: Int) -> Promise<Int> {
    loop.sleep(for: .milliseconds(milliseconds)).promise().map { value }
  }

  private static func both(_ loop: EventLoop) {
    firstly {
      when(fulfilled: later(loop, 1, 2), later(loop, 2, 1))
    }.done { first, second in
      print("both:", first, second)
    }.cauterize()
  }

  /// The others go on.
  private static func oneFails(_ loop: EventLoop) {
    let other = later(loop, 3, 5).get { print("goes on:", $0) }
    when(fulfilled: [Promise(error: Refused.user), other]).catch { print("one of them:", $0) }
  }

  private static func resolved(_ loop: EventLoop) {
    when(resolved: [Promise(error: Refused.user), later(loop, 4, 1)]).done {
      print("resolved:", $0.map(\.isFulfilled))
    }
  }

  private static func first(_ loop: EventLoop) {
    race(later(loop, 5, 300), later(loop, 6, 3)).done { print("first:", $0) }.cauterize()
  }

  private static func operators(_ loop: EventLoop) {
    let sure = Guarantee<String> { seal in loop.sleep(for: .zero) { _ in seal("sure") } }
    let short = Guarantee(resolver: { (seal: @escaping (Int) -> Void) in seal(7) })
    firstly { after(seconds: 0.001) }.then { sure }.then { text in short.map { "\(text) \($0)" } }.done {
      print($0)
    }
    firstly {
      Promise.value("[1, 2]")
    }.compactMap {
      $0.hasPrefix("[") ? $0.split(separator: ",").count : nil
    }.get {
      print("got", $0)
    }.tap {
      print($0)
    }.done {
      print("the same:", $0)
    }.catch { _ in print("never") }
    Promise.value("no list").compactMap { $0.hasPrefix("[") ? 1 : nil }.done { _ in print("never") }.catch {
      error in
      if case PMKError.compactMap = error { print("no list") }
    }
  }
}

// Prints:
// spinning
// shows ada.png
// still
// shown: ada.png
// spinning
// still
// refused: user
// shown: nothing
// both: 1 2
// one of them: user
// goes on: 3
// resolved: [false, true]
// first: 6
// got 2
// fulfilled(2)
// no list
// the same: 2
// sure 7
