import Synchronization

/// A value that is a request, or that is made of requests; for ``noticeRequests(_:_:)``.
@usableFromInline
package protocol HoldsRequests {}

extension Request: HoldsRequests {}
extension Array: HoldsRequests where Element: HoldsRequests {}
extension Optional: HoldsRequests where Wrapped: HoldsRequests {}

#if DEBUG
/// Whether values of a type are requests.
@usableFromInline
package func holdsRequests<Value>(_ type: Value.Type) -> Bool { type is any HoldsRequests.Type }

/// Says, once for each type of a value, that a closure of a chain's method returns requests, which nobody starts.
@usableFromInline
package func noticeRequests<Value>(_ type: Value.Type, _ method: String, _ remedy: String) {
  guard holdsRequests(type), noticed.withLock({ $0.insert("\(method) \(type)").inserted }) else { return }
  printToStandardError("UV: `\(method)` starts no request that its closure returns (\(type)); \(remedy)")
}

private let noticed = Mutex<Set<String>>([])
#endif
