/// A stream as a property that only its owner pushes values into: by `$name`, or by `_name <- value`.
///
/// ```swift
/// @HotWrap var lines: Hot<String, Never>
/// _lines <- "one"
/// ```
///
/// RxStream's `HotWrap`.
@propertyWrapper public struct HotWrap<Output, Failure: Error> {
  /// The input that values are pushed into.
  public let projectedValue = HotInput<Output, Failure>()

  /// The stream.
  public var wrappedValue: Hot<Output, Failure> { projectedValue }

  /// Creates a stream that waits for values.
  public init() {}
}

/// An observable as a property that only its owner sets: by `$name`, or by `_name <- value`.
///
/// ```swift
/// @ObservableWrap(0) var count: Observable<Int, Never>
/// _count <- 1
/// ```
///
/// RxStream's `ObservableWrap`.
@propertyWrapper public struct ObservableWrap<Output, Failure: Error> {
  /// The input by which the value is set.
  public let projectedValue: ObservableInput<Output, Failure>

  /// The observable.
  public var wrappedValue: Observable<Output, Failure> { projectedValue }

  /// Creates an observable with its first value.
  public init(_ value: Output) { projectedValue = ObservableInput(value) }
}

/// Pushes a value into a stream, or sets that of an observable.
infix operator <- : AssignmentPrecedence

/// Pushes a value into a stream; the same as `push(_:)`.
@discardableResult
public func <- <Output, Failure: Error>(stream: HotInput<Output, Failure>, value: Output) -> Output {
  stream.push(value)
  return value
}

/// Sets the value of an observable; the same as ``ObservableInput/set(_:)``.
@discardableResult
public func <- <Output, Failure: Error>(observable: ObservableInput<Output, Failure>, value: Output) -> Output
{
  observable.set(value)
  return value
}

/// Pushes a value into the stream of a property.
@discardableResult
public func <- <Output, Failure: Error>(property: HotWrap<Output, Failure>, value: Output) -> Output {
  property.projectedValue <- value
}

/// Sets the value of an observable that is a property.
@discardableResult
public func <- <Output, Failure: Error>(property: ObservableWrap<Output, Failure>, value: Output) -> Output {
  property.projectedValue <- value
}

extension Observable where Output: Equatable {
  /// Whether the latest value is `value`.
  public static func == (observable: Observable, value: Output) -> Bool { observable.value == value }

  /// Whether `value` is the latest value.
  public static func == (value: Output, observable: Observable) -> Bool { observable.value == value }

  /// Whether the latest value isn't `value`.
  public static func != (observable: Observable, value: Output) -> Bool { observable.value != value }

  /// Whether `value` isn't the latest value.
  public static func != (value: Output, observable: Observable) -> Bool { observable.value != value }
}
