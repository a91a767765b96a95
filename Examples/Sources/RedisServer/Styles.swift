// The loop of a connection in four styles: read what has come, write the answers, and read again once the
// system has taken them. A client that doesn't read its answers is thus not read either.
import ArgumentParser
import UV
import UVFutures
import UVPromises

enum Style: String, CaseIterable, ExpressibleByArgument {
  case callback, promise, publisher, async
}

extension Session {
  func run(_ style: Style) {
    switch style {
    case .callback: readNext()
    case .promise: serveWithPromises()
    case .publisher: serveWithPublishers()
    case .async: connection.loop.spawn { await self.serve() }
    }
  }

  // MARK: async/await

  func serve() async {
    do throws(UVError) {
      for try await bytes in connection {
        try await answer(bytes).value
        if isOver { break }
      }
      end(nil)
    } catch { end(error) }
  }

  // MARK: Callbacks

  private func readNext() {
    connection.next { result in
      switch result {
      case .success(let bytes?): self.answer(bytes).start { self.didWrite($0) }
      case .success(nil): self.end(nil)
      case .failure(let error): self.end(error)
      }
    }
  }

  private func didWrite(_ result: Result<Void, UVError>) {
    switch result {
    case .success: if isOver { end(nil) } else { readNext() }
    case .failure(let error): end(error)
    }
  }

  // MARK: Promises

  private func serveWithPromises() {
    connection.each { bytes in
      self.answer(bytes).promise().done { if self.isOver { throw IsOver() } }
    }.done {
      self.end(nil)
    }.catch { error in
      self.end(error as? UVError)
    }
  }

  /// Ends the chain of a client that has said goodbye.
  private struct IsOver: Error {}

  // MARK: Publishers

  private func serveWithPublishers() {
    subscription = connection.publisher()
      // One at a time: nothing is read while an answer is being written.
      .flatMap(maxPublishers: .max(1)) { bytes in self.answer(bytes).publisher() }
      .prefix { _ in !self.isOver }
      .sink(
        receiveCompletion: { completion in
          if case .failure(let error) = completion { self.end(error) } else { self.end(nil) }
        },
        receiveValue: {})
  }
}
