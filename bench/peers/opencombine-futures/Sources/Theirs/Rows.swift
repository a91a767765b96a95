import OpenCombine

/// OpenCombine's side. The same text is in `Ours`, but for the import.
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
