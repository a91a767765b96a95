// Without a service manager, telling it does nothing, and no sockets are passed.
import UV

enum UnderSystemd: Program {
  static func main() throws {
    try EventLoop.run { loop in
      let listener = try loop.tcp.passedListener("http") ?? loop.tcp.listen(host: "127.0.0.1", port: 0)
      print("TCP:", try listener.localAddress().port > 0)
      print("a path:", try loop.pipes.passedListener("admin") == nil)
      print("a manager:", ServiceManager.isPresent, ServiceManager.watchdogInterval == nil)
      let processID = SystemInfo.processID
      try ServiceManager.notify(.ready, .status("serving"))
      try ServiceManager.notify(.reloading, .mainProcess(processID))
      try ServiceManager.notify(.watchdog, .stopping, .init("EXTEND_TIMEOUT_USEC=1000"))
      print(ServiceManager.Message.status("two\nlines").text)
      listener.close()
    }
  }
}

// Prints:
// TCP: true
// a path: true
// a manager: false true
// STATUS=two lines
