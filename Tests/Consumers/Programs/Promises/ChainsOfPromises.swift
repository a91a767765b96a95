// A chain from its beginning to its end, cancelled, and awaited.
import UV
import UVPromises

enum ChainsOfPromises: Program {
  static func main() throws {
    try chainFromFirstlyToFinally()
    try cancellingAChain()
    try eachConnectionInTurn()
    try awaitedPromises()
  }

  enum Failure: Error { case tooShort(Int) }

  /// A chain from `firstly` to `finally`, with an error in its middle.
  private static func chainFromFirstlyToFinally() throws {
    EventLoop.runCallbacks { loop in
      firstly {
        loop.random(8).promise()
      }.get { bytes in
        print("got \(bytes.count)")
      }.map { bytes in
        guard bytes.count > 8 else { throw Failure.tooShort(bytes.count) }
        return bytes.count
      }.tap { result in
        print("rejected: \(result.isRejected)")
      }.recover { error -> Promise<Int> in
        guard case Failure.tooShort(let count) = error else { throw error }
        return .value(count)
      }.then { count in
        loop.sleep(for: .milliseconds(1)).promise().map { count }
      }.done { count in
        print("done \(count)")
      }.ensure {
        print("ensured")
      }.catch { error in
        print(error)
      }.finally {
        print("finally")
      }
    }
  }

  /// A chain is cancelled from its end: the work is, `ensure` runs, and `catch` may ask to hear of it.
  private static func cancellingAChain() throws {
    EventLoop.runCallbacks { loop in
      let chain = loop.sleep(for: .untilCancelled).promise()
        .map { "slept" }
        .ensure { print("ensured") }
      chain.done { print($0) }
        .catch(policy: .allErrors) { print("caught: \($0.isCancelled)") }
        .finally { print("finally") }
      loop.sleep(for: .milliseconds(1)) { _ in chain.cancel() }

      let context = loop.sleep(for: .untilCancelled).promise().cancellize().cancelContext
      context.cancel()
      print(context.cancelAttempted)

      let wrapped = Promise<Int> { seal in
        let timer = loop.sleep(for: .untilCancelled) { _ in seal.fulfill(1) }
        seal.onCancel {
          timer.cancel()
          print("the wrapped work is cancelled")
        }
      }
      wrapped.cancel(with: PMKError.cancelled)
      wrapped.catch { _ in print("not told: the policy leaves cancellations out") }
    }
    EventLoop.runCallbacks { loop in
      struct Closed: Error {}
      let end = loop.sleep(for: .untilCancelled).promise()
        .ensureThen { after(.milliseconds(1)).done { print("put away") }.cancellize() }
        .catch { print($0) }
      end.cancel(with: Closed())
      let context = after(.seconds(3600)).then { Promise.value(1) }
        .catch(policy: .allErrors) { print("cancelled: \($0.isCancelled)") }
        .finally { print("finally, too") }
      context.cancel()
    }
  }

  static func echo(_ connection: TCPConnection) -> Promise<Void> {
    connection.each { chunk in connection.write(chunk).promise() }
      .ensure { connection.close() }
  }

  /// A server of promises: `each` serves a connection, and asks for the next when its promise is fulfilled.
  private static func eachConnectionInTurn() throws {
    try EventLoop.runCallbacks { loop in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let address = try listener.localAddress()
      listener.each { connection in echo(connection) }
        .done { print("listener: ended") }
        .catch(policy: .allErrors) { print("listener: \($0)") }

      firstly {
        loop.tcp.connect(to: address).promise()
      }.then { client in
        client.write("hello").promise()
          .then { client.read().promise() }
          .done { bytes in print(bytes == "hello") }
          .then { client.close().promise() }
      }.ensure {
        listener.close()
      }.catch { print($0) }
    }
  }

  struct Refused: Error {}

  /// Promises are awaited, made of asynchronous closures, and waited for outside a loop.
  private static func awaitedPromises() throws {
    try EventLoop.run { loop in
      print(try await loop.files.stat("/").promise().map(\.type).async())
      print(await Guarantee.value(2).async())
      do {
        _ = try await Promise<Int>(error: Refused()).async()
      } catch is Refused {
        print("refused")
      }
      let made = Promise { () async throws -> Int in
        try await loop.sleep(for: .milliseconds(1)).value
        return 3
      }
      print(try await made.async())
      let task = loop.spawn { try await loop.sleep(for: .untilCancelled).promise().async() }
      try await loop.sleep(for: .milliseconds(1)).value
      task.cancel()
      do {
        try await task.value
      } catch {
        print(error.isCancelled)
      }
    }
    let loop = try EventLoop()
    let value = loop.runCallbacks { _ in after(.milliseconds(1)).map { 4 } }.wait()
    print(value)
    loop.shutdown()
  }
}

// Prints:
// got 8
// rejected: true
// done 8
// ensured
// finally
// true
// the wrapped work is cancelled
// ensured
// caught: true
// finally
// cancelled: true
// finally, too
// put away
// Closed()
// true
// listener: ended
// directory
// 2
// refused
// 3
// true
// 4
