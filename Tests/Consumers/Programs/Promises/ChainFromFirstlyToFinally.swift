// A chain from `firstly` to `finally`, with an error in its middle.
import UV
import UVPromises

enum ChainFromFirstlyToFinally: Program {
  enum Failure: Error { case tooShort(Int) }

  static func main() throws {
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
}

// Prints:
// got 8
// rejected: true
// done 8
// ensured
// finally
