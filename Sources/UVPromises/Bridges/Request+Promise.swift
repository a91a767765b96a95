import Synchronization
import UV

extension Request {
  /// Starts the request; the promise is resolved with its answer, on the request's loop, where this is to be
  /// called.
  ///
  /// Cancelling the promise, or the last chain that waits for it, cancels the request.
  @inlinable
  public func promise(file: StaticString = #fileID, line: UInt = #line) -> Promise<Success> {
    if let answer = answerIfKnown() {
      let node = Node()
      node.made(file, line)
      node.settle(answer)
      return Promise(node: node)
    }
    let node = RequestNode(file, line)
    node.pending = start({ node.finish($0) }, void: { node.finish($0) })
    return Promise(node: node)
  }
}

extension Node {
  /// Settles the promise with an answer, unless it has been settled.
  @inlinable @inline(__always)
  final func settle<Success>(_ answer: Result<Success, UVError>) {
    switch answer {
    case .success(let value): fulfill(value)
    case .failure(let error): reject(error)
    }
  }
}

/// The promise of a request's answer.
@usableFromInline
final class RequestNode: Node {
  @exclusivity(unchecked) @usableFromInline var pending = PendingRequest()

  @inlinable
  init(_ file: StaticString, _ line: UInt, flags: Flags = .isRoot) {
    super.init(flags: flags)
    made(file, line)
  }

  @inlinable @inline(__always)
  func finish<Success>(_ result: Result<Success, UVError>) {
    // It may hold on to a connection, which the promise is not to do.
    pending = PendingRequest()
    settle(result)
  }

  @usableFromInline
  override func cancelOperation(_ rest: inout CancelList) {
    pending.cancel()
    // A guarantee can't be rejected: nothing will come.
    if flags.contains(.isGuarantee) { abandonContinuations() }
  }
}

// A request that a closure returns is started where a chain waits for what the closure returns: `then`, `recover`, `each`
// and their kin take whatever is `Chainable`. `map` and its kin hand it on as a value. An overload of `map` that warned of
// it would double what each step of a chain costs the compiler, so debug builds say it at run time; see
// Design/0070-lost-requests.md.

extension Request: Chainable {
  /// Starts the request.
  @inlinable
  public var _source: _Source<Success> { promise()._source }
}

#if DEBUG
/// Says, once for each place, that a closure returns requests as values.
@usableFromInline
func noticeRequests<Value>(_ type: Value.Type, _ file: StaticString, _ line: UInt) {
  guard holdsRequests(type) else { return }
  let site = CreationSite(file: file, line: line)
  guard noticed.withLock({ $0.insert(site.description).inserted }) else { return }
  conf.unstartedRequestHandler(UnstartedRequest(site: site))
}

private let noticed = Mutex<Set<String>>([])
#endif
