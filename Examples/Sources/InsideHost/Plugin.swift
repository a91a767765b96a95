// The guest: what a host has on its loop by this library.
import UV

final class Plugin {
  private let loop: EventLoop

  /// - Parameter pointer: The host's `uv_loop_t`. A program in C passes it to a function that this side
  ///   exports, `void plugin_start(uv_loop_t *loop)`, on the thread that runs the loop; libuv's own is
  ///   `uv_default_loop()`.
  init(adopting pointer: UnsafeMutableRawPointer) throws(UVError) {
    loop = try EventLoop(adopting: pointer)
  }

  /// Begins its work, which goes on while the host runs its loop, and calls `ready` there.
  func start(_ ready: @escaping () -> Void) {
    let loop = loop
    loop.spawn {
      do throws(UVError) {
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        print("plugin: listening")
        ready()
        for try await connection in listener { connection.close() }
      } catch {
        print("plugin: \(error.message)")
      }
    }
  }

  /// Leaves the host's loop: what is open is closed, and what is pending is cancelled.
  func stop() {
    loop.detach { _ in print("plugin: has left") }
  }
}
