import CTestHooks
import Foundation
import Testing
import UV
import UVTestSupport

/// What the system doesn't say is an error, and never a value that looks like one.
@Suite struct SystemFaultTests {
  /// A function of libuv's, and what needs it.
  enum Call: String, CaseIterable {
    case uv_cpu_info, uv_exepath, uv_cwd, uv_os_homedir, uv_os_tmpdir, uv_os_get_passwd, uv_os_gethostname,
      uv_os_uname
    case uv_resident_set_memory, uv_getrusage, uv_uptime, uv_os_getpriority, uv_os_environ, uv_os_setenv,
      uv_os_unsetenv, uv_interface_addresses

    fileprivate func make() throws(UVError) {
      switch self {
      case .uv_cpu_info: _ = try SystemInfo.processors()
      case .uv_exepath: _ = try SystemInfo.executablePath()
      case .uv_cwd: _ = try SystemInfo.workingDirectory()
      case .uv_os_homedir: _ = try SystemInfo.homeDirectory()
      case .uv_os_tmpdir: _ = try SystemInfo.temporaryDirectory()
      case .uv_os_get_passwd: _ = try SystemInfo.user()
      case .uv_os_gethostname: _ = try SystemInfo.hostName()
      case .uv_os_uname: _ = try SystemInfo.operatingSystem()
      case .uv_resident_set_memory: _ = try SystemInfo.residentMemory()
      case .uv_getrusage: _ = try SystemInfo.resourceUsage()
      case .uv_uptime: _ = try SystemInfo.uptime()
      case .uv_os_getpriority: _ = try SystemInfo.priority()
      case .uv_os_environ: _ = try Environment.all()
      case .uv_os_setenv: try Environment.set("SWIFT_UV_FAULT", to: "value")
      case .uv_os_unsetenv: try Environment.unset("SWIFT_UV_FAULT")
      case .uv_interface_addresses: _ = try SystemInfo.interfaceAddresses()
      }
    }
  }

  @Test(arguments: Call.allCases)
  func `What the system refuses is thrown`(call: Call) async throws {
    guard test_faults_reach(FaultLayer.libuv) != 0 else { return }
    // Within a loop's test, since no other loop of this process runs meanwhile.
    try await withLoop { _ in
      test_faults_arm(ENOMEM, FaultLayer.libuv, 1, 1, call.rawValue)
      do throws(UVError) {
        try call.make()
        Issue.record("\(call) is not refused")
      } catch { #expect(error.code == .outOfMemory && error.operation == String(call.rawValue.dropFirst(3))) }
      #expect(test_faults_disarm() == 1)
      try call.make()
    }
  }

  @Test func `The path of the program is whole, however long it is`() async throws {
    try await withThread {
      // libuv is asked with room for 1024 bytes, and for twice as many each time.
      for count in [1, 100] + (1015...1030) + (2040...2055) + [3000, 4095, 5000] {
        let path = "/" + String(repeating: "x", count: count - 1)
        let copy = strdup(path)
        test_exepath(copy)
        defer {
          test_exepath(nil)
          free(copy)
        }
        let found = try SystemInfo.executablePath().string
        #expect(found == path, "\(count) bytes")
      }
    }
  }

  @Test func `A limit of the memory is the one that libuv knows, and 0 is none`() async throws {
    try await withThread {
      defer { test_constrained_memory_end() }
      for limit in [0, 1, 1 << 30, UInt64.max] {
        test_constrained_memory(limit)
        #expect(SystemInfo.constrainedMemory == (limit == 0 ? nil : limit))
      }
    }
  }
}
