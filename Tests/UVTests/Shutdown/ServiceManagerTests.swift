import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// What a service manager gets, by a socket such as systemd's.
@Suite(.serialized, .onTheMachine("datagrams between processes")) struct ServiceManagerTests {
  /// Calls `body` with a function that returns what the service manager has got last.
  private static func withManager(_ body: (_ received: () -> String?) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("uv-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { _ = CUV.close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = directory + "/notify"
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(code == 0)
    try Environment.set("NOTIFY_SOCKET", to: path)
    defer { try? Environment.unset("NOTIFY_SOCKET") }
    try body {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  @Test func `The service manager gets each message, and several by one datagram`() throws {
    try Self.withManager { received in
      #expect(ServiceManager.isPresent)
      try ServiceManager.notify(.ready)
      #expect(received() == "READY=1")
      try ServiceManager.notify(.mainProcess(42), .status("two\nlines"), .stopping)
      #expect(received() == "MAINPID=42\nSTATUS=two lines\nSTOPPING=1")
      try ServiceManager.notify(.reloading)
      let text = try #require(received())
      #expect(text.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
      try ServiceManager.notify(.watchdog)
      #expect(received() == "WATCHDOG=1")
      #expect(received() == nil)
    }
  }

  /// What Unicode takes for an end of a line.
  private static let lineEnds = ["\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"]

  @Test func `A status is one line, and a text, whichever ends of lines are in it`() throws {
    try Self.withManager { received in
      for end in Self.lineEnds {
        let places = [
          ("\(end)", " "), ("a\(end)", "a "), ("\(end)a", " a"), ("a\(end)READY=1", "a READY=1"),
          ("é\(end)\u{301}a", "é \u{301}a"),
        ]
        for (text, expected) in places {
          try ServiceManager.notify(.status(text), .stopping)
          #expect(
            received().map { Array($0.utf8) } == Array("STATUS=\(expected)\nSTOPPING=1".utf8),
            "\(text.debugDescription)")
        }
        for other in Self.lineEnds where end + other != "\r\n" {
          try ServiceManager.notify(.status("a\(end)\(other)b"))
          #expect(received() == "STATUS=a  b", "\(end.debugDescription), \(other.debugDescription)")
        }
      }
      // Nothing else changes.
      let kept = "tab\t, \"quotes\", = and \\ \u{1F468}\u{200D}\u{1F469} \u{A0}|\u{1C}|\u{2027}"
      try ServiceManager.notify(.status(kept))
      #expect(received() == "STATUS=\(kept)")
    }
  }

  @Test func `Without a service manager nothing happens, and a wrong one is an error`() throws {
    #expect(!ServiceManager.isPresent)
    try ServiceManager.notify(.ready)
    defer { try? Environment.unset("NOTIFY_SOCKET") }
    for (path, code) in [
      ("nonsense", UVError.Code.invalidArgument), ("/no/such/socket", .noSuchFile),
      ("@no-such-name", .connectionRefused),
      ("/" + String(repeating: "x", count: 200), .nameTooLong),
    ] {
      try Environment.set("NOTIFY_SOCKET", to: path)
      #expect(throws: UVError(code, operation: "notify", subject: path)) {
        try ServiceManager.notify(.watchdog)
      }
    }
  }

  @Test func `A service manager that doesn't read is an error, and nobody waits for it`() throws {
    try Self.withManager { _ in
      #expect(throws: UVError.self) { while true { try ServiceManager.notify(.status("busy")) } }
      #expect(throws: UVError.self) { try ServiceManager.notify(.init("a\0b")) }
    }
  }

  @Test func `The watchdog's interval is this process's own`() throws {
    defer {
      try? Environment.unset("WATCHDOG_USEC")
      try? Environment.unset("WATCHDOG_PID")
    }
    #expect(ServiceManager.watchdogInterval == nil)
    for (text, interval) in [("3000000", Duration.seconds(3)), ("0", nil), ("-1", nil), ("x", nil)] {
      try Environment.set("WATCHDOG_USEC", to: text)
      #expect(ServiceManager.watchdogInterval == interval)
    }
    try Environment.set("WATCHDOG_USEC", to: "10")
    try Environment.set("WATCHDOG_PID", to: "1")
    #expect(ServiceManager.watchdogInterval == nil)
    try Environment.set("WATCHDOG_PID", to: "\(SystemInfo.processID)")
    #expect(ServiceManager.watchdogInterval == .microseconds(10))
  }
}
