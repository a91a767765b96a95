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
      uv_os_unsetenv

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
}
