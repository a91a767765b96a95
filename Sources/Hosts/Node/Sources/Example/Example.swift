import Node
import UV

/// What `require` returns: functions in Swift, and servers in Swift on Node's own loop.
@_cdecl("napi_register_module_v1")
public func register(_ environment: OpaquePointer?, _ exports: OpaquePointer?) -> OpaquePointer? {
  NodeInstance.register(environment, exports) { node, exports in
    let loop = node.loop
    try exports.set("libuvVersion", SystemInfo.libuvVersion)

    // A function that returns at once.
    try exports.function("add") { (a: Double, b: Double) in a + b }

    // Two that JavaScript awaits. The first is answered as soon as a task can run.
    try exports.asyncFunction("answer") { (value: Int) in value }
    try exports.asyncFunction("sleep") { (milliseconds: Int) in
      try await loop.sleep(for: .milliseconds(milliseconds)).value
    }
    try exports.asyncFunction("readFile") { (path: String) in
      try await loop.files.readFile(path).value
    }

    // A source that JavaScript iterates.
    try exports.function("ticks") { (milliseconds: Int) in
      NodeIterable(loop.ticks(every: .milliseconds(milliseconds))) { $0.index }
    }

    // A function of JavaScript that Swift calls.
    try exports.asyncFunction("repeat") { (count: Int, body: NodeFunction) in
      var sum = 0
      for number in 0..<count {
        try await loop.sleep(for: .zero).value
        sum += try body.call(number, returning: Int.self)
      }
      return sum
    }

    // Servers.
    try exports.asyncFunction("serveEcho") { (port: Int?) in
      try serve(loop, port: port ?? 0) { connection in
        for try await chunk in connection { try await connection.write(chunk).value }
      }
    }
    try exports.asyncFunction("serveRedis") { (port: Int?) in
      let store = RedisStore()
      return try serve(loop, port: port ?? 0) { connection in
        try await RedisSession(connection, store).run()
      }
    }
  }
}
