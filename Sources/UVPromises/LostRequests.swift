import Synchronization
import UV

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
