public import Testing
public import UV

extension EventLoop {
  /// Waits for what is to happen: asks each millisecond, looks once more a turn later, as it is to stay so,
  /// and then calls `body`. After twenty seconds the test has failed.
  public func eventually(
    _ condition: @autoclosure @escaping () -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
    then body: @escaping () -> Void = {}
  ) {
    eventually(sourceLocation: sourceLocation, condition, then: body)
  }

  /// The same for a condition of several statements.
  public func eventually(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: @escaping () -> Bool,
    then body: @escaping () -> Void = {}
  ) {
    let end = clock.now.advanced(by: .seconds(20))
    func look() {
      guard condition() || clock.now > end else {
        sleep(for: .milliseconds(1)) { _ in look() }
        return
      }
      sleep(for: .zero) { _ in
        #expect(condition(), sourceLocation: sourceLocation)
        body()
      }
    }
    look()
  }
}
