import UV

/// How the host gets the outcome of a call: its token, 0 or libuv's code, and bytes, which are valid
/// during the call.
typealias Answer = @convention(c) (UInt, Int32, UnsafePointer<UInt8>?, Int) -> Void

/// A guest on a host's loop: calls with numbers, their tasks, and a server.
final class Plugin {
  private let loop: EventLoop
  private let answer: Answer
  private var tasks: [UInt: LoopTask<Void, Never>] = [:]
  private var listeners: [TCPListener] = []

  init(adopting pointer: UnsafeMutableRawPointer, _ answer: @escaping Answer) throws(UVError) {
    loop = try EventLoop(adopting: pointer)
    self.answer = answer
  }

  /// Runs `body` as a task, and reports its outcome to the host by `token`.
  func call(
    _ token: UInt, _ body: nonisolated(nonsending) @escaping (EventLoop) async throws(UVError) -> Bytes
  ) {
    tasks[token] = loop.spawn {
      let result: Result<Bytes, UVError>
      do throws(UVError) { result = .success(try await body(self.loop)) } catch { result = .failure(error) }
      self.tasks[token] = nil
      switch result {
      case .success(let bytes):
        bytes.withUnsafeBytes { buffer in
          self.answer(token, 0, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count)
        }
      case .failure(let error): self.answer(token, error.code.rawValue, nil, 0)
      }
    }
  }

  /// Ends a call early; its outcome is `ECANCELED`.
  func cancel(_ token: UInt) { tasks[token]?.cancel() }

  /// Echoes what clients send, at a port of this machine.
  ///
  /// - Returns: The port.
  func serveEcho() throws(UVError) -> Int {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    listeners.append(listener)
    let loop = loop
    loop.spawn {
      do throws(UVError) {
        for try await connection in listener {
          loop.spawn {
            // A peer that goes away ends its own task.
            do throws(UVError) {
              for try await chunk in connection { try await connection.write(chunk).value }
            } catch {}
            connection.close()
          }
        }
      } catch {}
    }
    return Int(try listener.localAddress().port)
  }

  /// Leaves the loop, and notifies the host by `token`.
  func leave(_ token: UInt) {
    loop.detach(leavingTasksAfter: .seconds(1)) { [answer] _ in answer(token, 0, nil, 0) }
  }
}
