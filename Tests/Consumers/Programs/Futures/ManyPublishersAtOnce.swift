// Three to eight publishers are merged, and the latest values of up to four combined.
import UV
import UVFutures

enum ManyPublishersAtOnce: Program {
  static func main() throws {
    var subscriptions: Set<AnyCancellable> = []
    EventLoop.runCallbacks { loop in
      let p = (1...8).map { Just($0) }
      func show(_ publisher: some Publisher<Int, Never>) {
        publisher.collect().map { $0.sorted() }.sink { print($0) }.store(in: &subscriptions)
      }
      show(p[0].merge(with: p[1]))
      show(p[0].merge(with: p[1].map { $0 }))
      show(p[0].merge(with: p[1], p[2]))
      show(p[0].merge(with: p[1], p[2], p[3]))
      show(p[0].merge(with: p[1], p[2], p[3], p[4]))
      show(p[0].merge(with: p[1], p[2], p[3], p[4], p[5]))
      show(p[0].merge(with: p[1], p[2], p[3], p[4], p[5], p[6]))
      show(p[0].merge(with: p[1], p[2], p[3], p[4], p[5], p[6], p[7]))
      show(Publishers.MergeMany(p[0], p[1]).merge(with: p[2]))
      show(p[0].combineLatest(p[1]).map { $0 + $1 })
      show(p[0].combineLatest(p[1], p[2]).map { $0 + $1 + $2 })
      show(p[0].combineLatest(p[1], p[2], p[3]).map { $0 + $1 + $2 + $3 })
      show(p[0].combineLatest(p[1], p[2]) { $0 + $1 + $2 })
      show(p[0].combineLatest(p[1], p[2], p[3]) { a, b, c, d in a + b + c + d })
    }
  }
}

// Prints:
// [1, 2]
// [1, 2]
// [1, 2, 3]
// [1, 2, 3, 4]
// [1, 2, 3, 4, 5]
// [1, 2, 3, 4, 5, 6]
// [1, 2, 3, 4, 5, 6, 7]
// [1, 2, 3, 4, 5, 6, 7, 8]
// [1, 2, 3]
// [3]
// [6]
// [10]
// [6]
// [10]
