import UV

/// What the system says, at once or not at all. The addresses of interfaces are a work of their own.
enum SystemWork {
  static func run() {
    _ = try? SystemInfo.processors()
    _ = try? SystemInfo.executablePath()
    _ = try? SystemInfo.workingDirectory()
    _ = try? SystemInfo.homeDirectory()
    _ = try? SystemInfo.temporaryDirectory()
    _ = try? SystemInfo.user()
    _ = try? SystemInfo.hostName()
    _ = try? SystemInfo.operatingSystem()
    _ = try? SystemInfo.residentMemory()
    _ = try? SystemInfo.resourceUsage()
    _ = try? SystemInfo.uptime()
    _ = try? SystemInfo.priority()
    _ = try? Environment.all()
    try? Environment.set("SWIFT_UV_FAULT", to: "value")
    try? Environment.unset("SWIFT_UV_FAULT")
  }
}
