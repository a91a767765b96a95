// An object that nothing but handlers have lives until the last of them has run.
import UV
import UVPromises

/// It is written to after its handler has run, so that one which has gone too early is noticed.
private final class Thing {
  let loop: EventLoop
  let name: String
  var uses = 0

  init(_ loop: EventLoop, _ name: String) { (self.loop, self.name) = (loop, name) }

  func use() {
    uses += 1
    loop.queueMicrotask { [loop] in _ = loop.isClosed }
  }

  func later() -> Promise<Int> { loop.sleep(for: .zero).promise().map { 1 } }
  func fails() -> Promise<Int> { later().then { _ in Promise(error: UVError(.timedOut, operation: "wait")) } }

  // Each is called once, and the object isn't used after it.
  func then() -> Promise<Int> { later().then { _ in self.later() }.get { _ in self.use() } }
  func map() -> Promise<Void> { later().map { _ in self.use() } }
  func get() -> Promise<Int> { later().get { _ in self.use() } }
  func done() -> Promise<Void> { later().done { _ in self.use() } }
  func tap() -> Promise<Int> { later().tap { _ in self.use() } }
  func ensure() -> Promise<Void> { later().done { _ in self.use() }.ensure { self.use() } }
  func `catch`() -> PMKFinalizer { fails().catch { _ in self.use() } }
  func recover() -> Promise<Int> { fails().recover { _ in self.later() }.ensure { self.use() } }
  func sure() -> Guarantee<Void> { loop.sleep(for: .zero).promise().recover { _ in }.done { self.use() } }
  func pipe() { later().pipe { _ in self.use() } }
  func value() -> Promise<Thing> { Promise.value(self).get { $0.use() } }
  func guarantee() -> Guarantee<Thing> { Guarantee.value(self).get { $0.use() } }
  func whenBoth() -> Promise<Void> { when(fulfilled: later(), later()).done { _, _ in self.use() } }

  deinit { print(name, uses) }
}

enum ObjectsOfHandlers: Program {
  static func main() throws {
    EventLoop.runCallbacks { _ = Thing($0, "then").then().done { _ in } }
    EventLoop.runCallbacks { _ = Thing($0, "map").map() }
    EventLoop.runCallbacks { _ = Thing($0, "get").get() }
    EventLoop.runCallbacks { _ = Thing($0, "done").done() }
    EventLoop.runCallbacks { _ = Thing($0, "tap").tap() }
    EventLoop.runCallbacks { _ = Thing($0, "ensure").ensure() }
    EventLoop.runCallbacks { _ = Thing($0, "catch").catch() }
    EventLoop.runCallbacks { _ = Thing($0, "recover").recover() }
    EventLoop.runCallbacks { Thing($0, "sure").sure() }
    EventLoop.runCallbacks { Thing($0, "pipe").pipe() }
    EventLoop.runCallbacks { _ = Thing($0, "value").value() }
    EventLoop.runCallbacks { Thing($0, "guarantee").guarantee().done { $0.use() } }
    EventLoop.runCallbacks { _ = Thing($0, "when").whenBoth() }
    // The same with two handlers beside the chain's own, and used once more before the loop goes on.
    EventLoop.runCallbacks { loop in
      let thing = Thing(loop, "finally")
      thing.catch().finally { thing.use() }
      thing.use()
    }
    EventLoop.runCallbacks { loop in
      let thing = Thing(loop, "chain")
      thing.ensure().done { thing.use() }.catch { _ in thing.use() }.finally { thing.use() }
    }
  }
}

// Prints:
// then 1
// map 1
// get 1
// done 1
// tap 1
// ensure 2
// catch 1
// recover 1
// sure 1
// pipe 1
// value 1
// guarantee 2
// when 1
// finally 3
// chain 4
