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

    @Test("So does a task of the loop, however many others wait for the loop")
    func spawned() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        await Task.yield()
        await MainActor.run {
          EventLoop.run { loop in
            for _ in 0..<100 { loop.spawn { _ = try? await loop.sleep(for: .seconds(1000)).value } }
            loop.spawn { await MainActor.run { print("never") } }
          }
        }
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("MainActorTests.swift"))
      #expect(text.contains("awaits the main actor"))
    }

    @Test("If it isn't certain that the main actor is awaited, the program is told after a while")
    func indirectly() async throws {
      let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
        await Task.yield()
        await MainActor.run {
          DispatchQueue.global().asyncAfter(deadline: .now() + 5) { exit(7) }
          EventLoop.run { _ in await Task { @MainActor in print("never") }.value }
        }
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("If they wait for the main actor or the main queue, they wait for ever."))
    }

    @Test("A run in a job of the main actor that doesn't await the main actor works")
    func notAwaited() async throws {
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

    @Test("In a task that isn't the main actor's, the body awaits the main actor")
    @MainActor func remedy() async {
      let number = await Task.detached {
        EventLoop.run { _ in await MainActor.run { 42 } }
      }.value
      #expect(number == 42)
    }
  }
#endif
