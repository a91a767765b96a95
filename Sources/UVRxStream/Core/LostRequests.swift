import UV

/// Says, once for each type and in debug builds alone, that the closure of a `map` returns requests, which nobody
/// starts. An overload that the compiler warns of would double what each step of a chain costs it.
@inline(__always)
func noteRequests<Value>(_ type: Value.Type) {
  #if DEBUG
  noticeRequests(type, "map", "write `asyncMap { … }`, and start the request there")
  #endif
}
