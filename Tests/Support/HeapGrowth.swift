import Testing

/// Makes a call again and again that ends when it returns, and expects that it gives back what it has taken of the heap.
///
/// A leak grows each time, by 24 bytes at least unless `leak` says otherwise. What something else in the process takes or gives back doesn't, and what
/// threads of the pool keep of the first calls grows for a while only, which is longer on a busy machine. Call this within a loop's test, since no other
/// loop of the process runs meanwhile.
///
/// - Parameters:
///   - call: What to say of it.
///   - count: How often it is made between two looks.
///   - leak: How many bytes a leak has at least. Calls that allocate much, and each time something else, leave some of it
///     with the allocator's own lists.
public func expectHeapGivenBack(
  _ call: String, count: Int = 10, leak: Int = 24, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: nonisolated(nonsending) () async throws -> Void
) async rethrows {
  var growths: [Int] = []
  growths.reserveCapacity(100)
  var rest: Int { growths.suffix(9).reduce(0, +) }
  // Half of what a leak would have added.
  let limit = 9 * count * leak / 2
  while growths.count < 100, growths.count < 12 || rest >= limit {
    let before = Hooks.heapInUse ?? 0
    for _ in 0..<count { try await body() }
    growths.append((Hooks.heapInUse ?? 0) - before)
  }
  #expect(rest < limit, "\(call): \(growths)", sourceLocation: sourceLocation)
}
