import UVFutures

// This package's side, of which `run` makes OpenCombine's.

@inline(never)
public func createResolveSink(_ count: Int) -> Int {
  var sum = 0
  for number in 0..<count {
    let future = Future<Int, Never> { promise in promise(.success(number)) }
    _ = future.sink { sum &+= $0 }
  }
  return sum
}

@inline(never)
public func createSinkResolve(_ count: Int) -> Int {
  var sum = 0
  for number in 0..<count {
    var promise: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { promise = $0 }
    let cancellable = future.sink { sum &+= $0 }
    promise?(.success(number))
    _ = cancellable
  }
  return sum
}

@inline(never)
public func mapThreeTimes(_ count: Int) -> Int {
  var sum = 0
  for number in 0..<count {
    _ = Future<Int, Never> { promise in promise(.success(number)) }
      .map { $0 &+ 1 }
      .map { $0 &* 2 }
      .map { $0 &- 1 }
      .sink { sum &+= $0 }
  }
  return sum
}

@inline(never)
public func flatMapThreeTimes(_ count: Int) -> Int {
  var sum = 0
  for number in 0..<count {
    _ = Future<Int, Never> { promise in promise(.success(number)) }
      .flatMap { value in Future<Int, Never> { promise in promise(.success(value &+ 1)) } }
      .flatMap { value in Future<Int, Never> { promise in promise(.success(value &* 2)) } }
      .flatMap { value in Future<Int, Never> { promise in promise(.success(value &- 1)) } }
      .sink { sum &+= $0 }
  }
  return sum
}

@inline(never)
public func subjectSend(_ count: Int) -> Int {
  var sum = 0
  let subject = PassthroughSubject<Int, Never>()
  let cancellable = subject.sink { sum &+= $0 }
  for number in 0..<count { subject.send(number) }
  cancellable.cancel()
  return sum
}

/// The last value of a chain of so many operators, each erased.
@inline(never)
public func erasedChain(_ depth: Int) -> Int {
  var promise: Future<Int, Never>.Promise?
  var chain = Future<Int, Never> { promise = $0 }.eraseToAnyLoopPublisher()
  for _ in 0..<depth { chain = chain.map { $0 &+ 1 }.eraseToAnyLoopPublisher() }
  var last = 0
  let cancellable = chain.sink { last = $0 }
  promise?(.success(0))
  _ = cancellable
  return last
}

/// A future whose flatMap makes the next, so many deep; returns how deep it came.
@inline(never)
public func recursion(_ depth: Int) -> Int {
  func countdown(_ number: Int) -> AnyPublisher<Int, Never> {
    let future = Future<Int, Never> { promise in promise(.success(number)) }
    if number == 0 { return future.eraseToAnyPublisher() }
    return future.flatMap { countdown($0 - 1) }.eraseToAnyPublisher()
  }
  var reached = 0
  _ = countdown(depth).sink { reached = depth - $0 }
  return reached
}
