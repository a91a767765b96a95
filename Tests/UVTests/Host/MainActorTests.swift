#if os(Linux)
import Dispatch
import Foundation
import Testing
import UV
import UVTestSupport

/// A run that is called in a job of the main actor.
@Suite struct MainActorTests {
  @Test(
    "A body that awaits the main actor in one of the main actor's jobs stops the program with a sentence")
  func awaited() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await Task.yield()
      await MainActor.run {
        EventLoop.run { _ in await MainActor.run { print("never") } }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EventLoop.run: the task of the body of run awaits the main actor"))
    #expect(text.contains("try await Task.detached { try EventLoop.run"))
  }

  @Test func `So does a task of the loop, however many others wait for the loop`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await Task.yield()
      await MainActor.run {
        EventLoop.run { loop in
          for _ in 0..<100 { loop.spawn { _ = try? await loop.sleep(for: .untilCancelled).value } }
          loop.spawn { await MainActor.run { print("never") } }
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("MainActorTests.swift"))
    #expect(text.contains("awaits the main actor"))
  }

  /// How a body waits for the main actor without awaiting it.
  enum Detour: CaseIterable, Sendable, Codable { case task, queue, actor, child, callback }

  private actor Intermediary {
    func ask() async { await MainActor.run { print("never") } }
  }

  private static func wait(by detour: Detour, _ loop: EventLoop) async {
    switch detour {
    case .task: await Task { @MainActor in print("never") }.value
    case .queue:
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { DispatchQueue.main.sync { continuation.resume() } }
      }
    case .actor:
      let intermediary = Intermediary()
      await Task.detached { await intermediary.ask() }.value
    case .child:
      await withTaskGroup(of: Void.self) { $0.addTask { @MainActor in print("never") } }
    case .callback:
      await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
  }

  /// Ends the process with code 7 once it has written to the standard error, which is passed on.
  ///
  /// - Parameter delay: How many seconds to wait for more.
  private static func exitOnceTold(after delay: UInt32) {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    let (input, output) = (ends[0], dup(2))
    dup2(ends[1], 2)
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      func passOn() -> Bool {
        let count = read(input, &buffer, 4096)
        return count > 0 && write(output, buffer, count) == count
      }
      _ = passOn()
      sleep(delay)
      fcntl(input, F_SETFL, O_NONBLOCK)
      while passOn() {}
      exit(7)
    }
  }

  @Test(
    "A body that waits for the main actor by a detour, beside an open handle, is reported after a while",
    arguments: Detour.allCases)
  func indirectly(detour: Detour) async throws {
    let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
      [detour = detour as Detour] in
      await Task.yield()
      await MainActor.run {
        MainActorTests.exitOnceTold(after: detour == .task ? 3 : 0)
        try? EventLoop.run { loop in
          let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
          loop.spawn { for try await _ in listener {} }
          await MainActorTests.wait(by: detour, loop)
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("EventLoop.run: the task of the body of run has waited for a while"))
    #expect(text.contains("try await Task.detached { try EventLoop.run"))
    #expect(text.split(separator: "waits for ever").count == 2, "more than once: \(text)")
  }

  /// Not in a job of the main actor's, whose closures would be the main actor's too.
  private static func spawnBusyTasks(on loop: EventLoop) {
    loop.spawn { while true { try await loop.sleep(for: .milliseconds(10)).value } }
    loop.spawn { await wait(by: .task, loop) }
  }

  @Test func `So is one beside tasks that run all the time, and a task of runCallbacks`() async throws {
    let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
      await Task.yield()
      await MainActor.run {
        MainActorTests.exitOnceTold(after: 0)
        EventLoop.runCallbacks { loop in MainActorTests.spawnBusyTasks(on: loop) }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("MainActorTests.swift"))
    #expect(text.contains("has waited for a while"))
  }

  @Test func `A run in a job of the main actor that doesn't await the main actor works`() async throws {
    await #expect(processExitsWith: .success) {
      await Task.yield()
      try await MainActor.run {
        let size = try EventLoop.run { loop in
          try await loop.sleep(for: .milliseconds(600)).value
          return try await loop.files.stat("/").value.size
        }
        precondition(size >= 0)
      }
    }
  }

  @Test func `The looks at the tasks of such a run end with it`() async throws {
    await #expect(processExitsWith: .success) {
      await Task.yield()
      nonisolated(unsafe) let loop = try EventLoop()
      await MainActor.run { loop.runCallbacks { _ in } }
      // The main actor may take its time, for a run that it doesn't wait for.
      await Task.detached {
        loop.runCallbacks { loop in
          _ = loop.spawn {
            Task { @MainActor in usleep(700_000) }
            await MainActor.run {}
          }
        }
      }.value
      loop.shutdown()
    }
  }

  @Test("In a task that isn't the main actor's, the body awaits the main actor")
  @MainActor func remedy() async {
    let number = await Task.detached {
      EventLoop.run { _ in await MainActor.run { 42 } }
    }.value
    #expect(number == 42)
  }
}
#endif
