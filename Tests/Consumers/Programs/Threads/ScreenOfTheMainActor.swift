// A `@MainActor` class of an application loads what it shows by promises, and every handler on `.main` is its own code.
import UV
import UVPromises

@MainActor
private final class Screen {
  private(set) var lines: [String] = []
  private var isBusy: Bool

  init(isBusy: Bool) { self.isBusy = isBusy }

  func load(_ name: Promise<String>, on queue: MainQueue = .main) {
    isBusy = true
    name
      .map(on: queue) { "\(self.lines.count): \($0)" }
      .compactMap(on: queue) { self.isBusy ? $0 : nil }
      .get(on: queue) { self.lines.append($0) }
      .tap(on: queue) { self.lines.append("ok: \($0.isFulfilled)") }
      .ensure(on: queue) { self.isBusy = false }
      .done(on: queue) { self.lines.append("shown: \($0)") }
      .catch(on: queue) { self.lines.append("failed: \($0)") }
      .finally(on: queue) { self.lines.append("busy: \(self.isBusy)") }
  }

  func show(_ name: Promise<Void>) {
    name.recover(on: .main) { self.lines.append("recovered: \($0)") }.done(on: .main) {
      print(self.lines.last ?? "none")
    }
  }

  func count(_ number: Guarantee<Int>, on queue: MainQueue = .main) {
    number
      .map(on: queue) { $0 + self.lines.count }
      .get(on: queue) { self.lines.append("count: \($0)") }
      .done(on: queue) { _ in print(self.lines) }
  }
}

enum ScreenOfTheMainActor: Program {
  struct NoName: Error {}

  static func main() throws {
    try EventLoop.run { loop in
      let screen = await Screen(isBusy: false)
      await MainActor.run { screen.load(.value("one")) }
      while await screen.lines.count < 4 { try await loop.sleep(for: .milliseconds(1)).value }
      await MainActor.run { screen.load(Promise(error: NoName())) }
      while await screen.lines.count < 7 { try await loop.sleep(for: .milliseconds(1)).value }
      await MainActor.run { screen.count(.value(1)) }
      while await screen.lines.count < 8 { try await loop.sleep(for: .milliseconds(1)).value }
      await MainActor.run { screen.show(Promise(error: NoName())) }
    }
  }
}

// Prints:
// ["0: one", "ok: true", "shown: 0: one", "busy: false", "ok: false", "failed: NoName()", "busy: false", "count: 8"]
// recovered: NoName()
