// What is generic in UV passes on a value of any type: optional, void, a class, an existential, a large structure.
import UV

enum ValuesOfEveryType: Program {
  static func main() throws {
    try each(Check(42 as Int?) { $0 == 42 })
    try each(Check(nil as Int?) { $0 == nil })
    try each(Check(.some(nil) as Int??) { $0 == .some(nil) })
    try each(Check(()) { _ in true })
    try each(Check(Box()) { $0.number == 7 })
    try each(Check(7 as any CustomStringConvertible & Sendable) { $0.description == "7" })
    try each(Check(nil as (any Error)?) { $0 == nil })
    try each(Check(Large()) { $0 == Large() })
  }

  private static func each<T: Sendable>(_ check: Check<T>) throws {
    let value = check.value
    check.see("run", EventLoop.run { _ in value })
    check.see("run that throws", try EventLoop.run { _ throws(UVError) in value })
    check.see("runCallbacks", EventLoop.runCallbacks { _ in value })
    let loop = try EventLoop()
    check.see("loop.run", loop.run { _ in value })
    check.see("loop.runCallbacks", loop.runCallbacks { _ in value })
    let locals = LoopLocal { _ in value }
    check.see("LoopLocal, first", locals[loop])
    check.see("LoopLocal, again", locals[loop])
    loop.runCallbacks { loop in callbacks(loop, check) }
    loop.shutdown()

    let group = try EventLoopGroup(count: 1)
    let results = try EventLoop.run { loop in
      var results = try await tasks(loop, value)
      results.append(("submit", try await group.next().submit { _ in value }))
      results.append(("submit(on:)", try await group.next().submit(on: loop) { _ in value }.value))
      _ = await group.shutdownGracefully(within: .zero)
      return results
    }
    for (way, result) in results { check.see(way, result) }
    check.report()
  }

  private static func request<T>(_ loop: EventLoop, _ value: T) -> Request<T> {
    Request(loop) { done in
      loop.queueMicrotask { done(.success(value)) }
      return PendingRequest()
    }
  }

  private static func callbacks<T>(_ loop: EventLoop, _ check: Check<T>) {
    let value = check.value
    request(loop, value).start { check.see("start", try? $0.get()) }
    request(loop, 1).map { _ in value }.start { check.see("map", try? $0.get()) }
    request(loop, value).timeout(after: .seconds(60)).start { check.see("timeout", try? $0.get()) }
    loop.work { value }.start { check.see("work", try? $0.get()) }
    let source = CustomSource<T>(loop, "values") { $0.send(value) }
    source.next { check.see("CustomSource", try? $0.get()) }
  }

  private static func tasks<T: Sendable>(_ loop: EventLoop, _ value: T) async throws -> [(String, T?)] {
    var results: [(String, T?)] = []
    results.append(("spawn", await loop.spawn { value }.value))
    let throwing = loop.spawn(name: "named") { () async throws(UVError) in value }
    results.append(("spawn that throws", try await throwing.value))
    results.append(("resultIfFinished", try throwing.resultIfFinished?.get()))
    results.append(("withTasks", try await loop.withTasks { _ in value }))
    let ofGroup = try await loop.withTasks { tasks in tasks.spawn { value } }
    results.append(("spawn of a group", await ofGroup.value))
    results.append(("withDeadline", try await loop.withDeadline(.seconds(60)) { value }))
    results.append(("withShield", await loop.withShield { value }))
    results.append(("value", try await request(loop, value).value))
    results.append(("value of a map", try await request(loop, 1).map { _ in value }.value))
    results.append(("value with a limit", try await request(loop, value).timeout(after: .seconds(60)).value))
    results.append(("value of work", try await loop.work { value }.value))
    let source = CustomSource<T>(loop, "values") { source in
      source.send(value)
      source.send(value)
      source.finish()
    }
    results.append(("next of a source", try await source.next().value))
    for try await element in source { results.append(("element of a source", element)) }
    return results
  }
}

// Prints:
// 27 []
// 27 []
// 27 []
// 27 []
// 27 []
// 27 []
// 27 []
// 27 []
