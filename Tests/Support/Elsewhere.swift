import Dispatch

/// Runs `body` on another thread a little later.
public func elsewhere(_ body: @escaping () -> Void) {
  let work = Box(body)
  DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) {
    let body = work.value!
    work.value = nil
    body()
  }
}
