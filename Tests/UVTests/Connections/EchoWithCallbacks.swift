import UV
import UVTestSupport

/// Echoes what the connections of `listener` send, and has the one that `connect` makes say hello and hang
/// up; what that reads goes to `log`. All is closed at the end.
func echoWithCallbacks<Connection: ByteStream>(
  _ listener: StreamListener<Connection>, _ connect: Request<Connection>, _ log: Log<Bytes?>
) {
  listener.start { result in
    guard let connection = try? result.get() else { return }
    connection.start { result in
      guard let chunk = try? result.get() else { return _ = connection.close() }
      connection.write(chunk) { _ in }
    }
  }
  connect.start { result in
    let client = try! result.get()
    client.start { result in
      let chunk = try! result.get()
      log.append(chunk)
      if chunk == nil {
        client.close()
        listener.close()
      } else {
        client.shutdown { _ in }
      }
    }
    client.write("hello") { _ in }
  }
}
