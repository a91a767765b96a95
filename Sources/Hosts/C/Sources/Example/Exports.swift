// The functions that a host calls, with C's conventions; example.h declares them. Each is called on the
// thread that runs the loop.
import UV

/// Adopts a loop; null and a code if that fails.
@_cdecl("example_start")
public func start(
  _ loop: UnsafeMutableRawPointer, _ answer: @convention(c) (UInt, Int32, UnsafePointer<UInt8>?, Int) -> Void,
  _ code: UnsafeMutablePointer<Int32>
) -> UnsafeMutableRawPointer? {
  do throws(UVError) {
    // Balanced by `example_stop`.
    return Unmanaged.passRetained(try Plugin(adopting: loop, answer)).toOpaque()
  } catch {
    code.pointee = error.code.rawValue
    return nil
  }
}

/// Leaves the loop, which is answered.
@_cdecl("example_stop")
public func stop(_ plugin: UnsafeMutableRawPointer, _ token: UInt) {
  Unmanaged<Plugin>.fromOpaque(plugin).takeRetainedValue().leave(token)
}

/// Answers after a time.
@_cdecl("example_sleep")
public func sleep(_ plugin: UnsafeMutableRawPointer, _ token: UInt, _ milliseconds: Int) {
  get(plugin).call(token) { loop throws(UVError) in
    try await loop.sleep(for: .milliseconds(milliseconds)).value
    return Bytes()
  }
}

/// Answers with a file's contents.
@_cdecl("example_read_file")
public func readFile(_ plugin: UnsafeMutableRawPointer, _ token: UInt, _ path: UnsafePointer<CChar>) {
  let path = String(cString: path)
  get(plugin).call(token) { loop throws(UVError) in try await loop.files.readFile(path).value }
}

/// Ends a call early.
@_cdecl("example_cancel")
public func cancel(_ plugin: UnsafeMutableRawPointer, _ token: UInt) { get(plugin).cancel(token) }

/// The port, or libuv's code.
@_cdecl("example_serve_echo")
public func serveEcho(_ plugin: UnsafeMutableRawPointer) -> Int32 {
  do throws(UVError) { return Int32(try get(plugin).serveEcho()) } catch { return error.code.rawValue }
}

/// Sound: the host has the plugin until it calls `example_stop`.
private func get(_ plugin: UnsafeMutableRawPointer) -> Plugin {
  Unmanaged<Plugin>.fromOpaque(plugin).takeUnretainedValue()
}
