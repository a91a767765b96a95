/// Streams of answers together with other streams; as of ``HotStream``. Values of the other stream go to
/// everything that is attached, an answer only to the chain that asked.
extension Cold {
  /// The values of both sides, until both have ended.
  ///
  /// - Parameter other: A future, or another stream.
  @discardableResult
  public final func merge(_ other: some AnyStream<Output, Failure>) -> Cold { joined { $0.merge(other) } }

  /// The values of both sides, where they differ in type, until both have ended.
  ///
  /// - Parameter other: A future, or another stream.
  @_disfavoredOverload
  @discardableResult
  public final func merge<T>(
    _ other: some AnyStream<T, Failure>
  ) -> Cold<Request, Either<Output, T>, Failure> { joined { $0.merge(other) } }

  /// Pairs of the first values of both sides, the second, and so on; see ``HotStream/zip(_:buffer:)``.
  ///
  /// - Parameters:
  ///   - other: A future, or another stream.
  ///   - buffer: How many values of a side may wait, 0 or more; later ones are dropped. Without it there is
  ///     no limit.
  @discardableResult
  public final func zip<T>(
    _ other: some AnyStream<T, Failure>, buffer: Int? = nil
  ) -> Cold<Request, (Output, T), Failure> { joined { $0.zip(other, buffer: buffer) } }

  /// Pairs of the latest values of both sides, whenever one comes; see ``HotStream/combine(latest:stream:)``.
  ///
  /// - Parameters:
  ///   - latest: Whether a value may be in several pairs. If not, each is in one, and those that another of
  ///     their side follows are dropped.
  ///   - other: A future, or another stream.
  @discardableResult
  public final func combine<T>(
    latest: Bool = true, stream other: some AnyStream<T, Failure>
  ) -> Cold<Request, (Output, T), Failure> { joined { $0.combine(latest: latest, stream: other) } }
}
