import Foundation
import Testing
import UV

/// The page about loops, in a real browser.
@Suite(.enabled(if: Browser.isInstalled, "Debian's chromium isn't installed")) struct DashboardTests {
  @Test("A browser shows what loops do, and which function blocks one of them, while it does")
  func page() async throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("swift-uv-browser-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let dashboard = try RunningProgram(example: "Dashboard")
    let url = try #require(try dashboard.line())
    // A program is started outside of the loop's thread, which would keep what Foundation opens for it.
    let (chromium, debugger) = try Browser.start(url, directory)
    try await Self.expect(
      [
        "live, 4 loops", "Dashboard · process", "server 3", "clients", "60 came through a listener",
        "Dashboard/Dashboard.swift:", "uv.eventloop.jobs",
      ], debugger)
    try dashboard.write("block\n")
    try await Self.expect(["does not answer: Dashboard.convertPictures", "goes on"], debugger)
    try dashboard.write("go on\n")
    try await Self.expect(["60 came through a listener"], debugger)
    chromium.terminate()
    #expect(try dashboard.end() == ("", 0))
  }

  /// Waits until the page shows each of some texts.
  private static func expect(_ texts: [String], _ debugger: String) async throws {
    try await withLoop { loop in
      let browser = try await Browser(debugger, loop)
      for text in texts { _ = try await browser.wait(for: text) }
      try await browser.close()
    }
  }
}
