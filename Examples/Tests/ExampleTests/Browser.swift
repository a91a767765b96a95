import Foundation
import UVHTTP

/// Chromium without a window, by its DevTools protocol.
struct Browser {
  static let isInstalled = Client.isInstalled("chromium")

  private let socket: WebSocket

  /// - Parameter debugger: The line that says where Chromium listens. The page is to be asked for there.
  init(_ debugger: String, _ loop: EventLoop) async throws {
    let host = debugger.replacing(/^.*ws:\/\//, with: "").prefix { $0 != "/" }
    let client = HTTPClient(loop)
    let list = try await client.get("http://\(host)/json/list").value.body.readToEnd(limit: 1 << 20).value
    struct Target: Decodable {
      let type: String
      let webSocketDebuggerUrl: String
    }
    let targets = try JSONDecoder().decode([Target].self, from: Data(list))
    guard let page = targets.first(where: { $0.type == "page" }) else { throw NoPage() }
    socket = try await client.webSocket(page.webSocketDebuggerUrl).value
    try await client.close().value
  }

  struct NoPage: Error {}

  /// Starts Chromium; its line that says where it listens.
  static func start(_ url: String, _ directory: String) throws -> (RunningProgram, debugger: String) {
    let program = try RunningProgram(
      [
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--no-first-run",
        "--remote-debugging-port=0", "--user-data-dir=\(directory)", url,
      ], mergesErrors: true)
    return (program, try program.line(containing: "DevTools listening on"))
  }

  private struct Command<Parameters: Encodable>: Encodable {
    let id = 1
    let method: String
    let params: Parameters
  }

  /// Calls a method, and waits for its answer.
  private func call(_ method: String, _ parameters: some Encodable) async throws -> String {
    let command = try JSONEncoder().encode(Command(method: method, params: parameters))
    try await socket.send(.text(String(decoding: command, as: UTF8.self))).value
    while case .text(let text)? = try await socket.next().value {
      if text.hasPrefix(#"{"id":1,"#) { return text }
    }
    throw NoPage()
  }

  /// Types a line into the field that has the focus.
  func type(_ text: String) async throws {
    _ = try await call("Input.insertText", ["text": text])
    _ = try await call(
      "Input.dispatchKeyEvent", ["type": "keyDown", "key": "Enter", "code": "Enter", "text": "\r"])
  }

  /// Waits until the page shows a text; what the page then shows.
  func wait(for text: String) async throws -> String {
    struct Parameters: Encodable {
      let expression: String
      let awaitPromise = true
      let returnByValue = true
    }
    struct Answer: Decodable {
      struct Outer: Decodable { let result: Inner }
      struct Inner: Decodable { let value: String }
      let result: Outer
    }
    let expression = """
      new Promise(resolve => {
        const look = () => { if (document.body?.innerText.includes(\(text.debugDescription))) resolve(document.body.innerText) }
        new MutationObserver(look).observe(document, { subtree: true, childList: true })
        look()
      })
      """
    // While a page is being loaded, the one before it ends with all that waits there.
    while true {
      let answer = try await call("Runtime.evaluate", Parameters(expression: expression))
      if let answer = try? JSONDecoder().decode(Answer.self, from: Data(answer.utf8)) {
        return answer.result.result.value
      }
    }
  }

  func close() async throws { try await socket.close().value }
}
