// A program that has the well-known extension of its own, by which a subject sends the values of a sequence.
import UV
import UVFutures

extension PassthroughSubject where Failure == any Error {
  fileprivate static func emittingValues<Values: AsyncSequence>(
    from sequence: Values
  ) -> PassthroughSubject where Values.Element == Output {
    let subject = PassthroughSubject()
    EventLoop.current?.spawn {
      Swift.print("the program's own")
      do {
        for try await value in sequence { subject.send(value) }
        subject.send(completion: .finished)
      } catch {
        subject.send(completion: .failure(error))
      }
    }
    return subject
  }
}

enum EmittingValuesOfOnesOwn: Program {
  private static func numbers() -> AsyncThrowingStream<Int, any Error> {
    AsyncThrowingStream { continuation in
      for number in 1...3 { continuation.yield(number) }
      continuation.finish()
    }
  }

  static func main() throws {
    try EventLoop.run { _ in
      let subject: PassthroughSubject<Int, any Error> = .emittingValues(from: numbers())
      // A subject drops what nobody has asked for; `collect` asks for everything.
      for try await values in subject.collect().values { print(values) }
    }
  }
}

// Prints:
// the program's own
// [1, 2, 3]
