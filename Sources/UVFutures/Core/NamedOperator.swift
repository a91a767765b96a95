#if canImport(Combine) || Futures || Everything
/// An object that stands for an operator of Combine's, and describes itself by its name as that does.
@usableFromInline
protocol NamedOperator {
  /// Combine's name.
  static var operatorName: String { get }
}

/// A subscription that says which operator it belongs to, and shows nothing of its inside.
@usableFromInline
protocol DescribedSubscription: Subscription, NamedOperator, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{}

extension DescribedSubscription {
  /// The name of the operator.
  @usableFromInline
  var description: String { Self.operatorName }

  /// A mirror without children.
  @usableFromInline
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  /// The name of the operator.
  @usableFromInline
  var playgroundDescription: Any { description }
}

extension Downstream: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
  /// The name of the operator, or the type of the subscriber.
  @usableFromInline
  var description: String { Self.name(of: label) }

  static func name(of label: Any.Type) -> String {
    (label as? any NamedOperator.Type)?.operatorName ?? "\(label)"
  }

  @usableFromInline
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  @usableFromInline
  var playgroundDescription: Any { description }
}
#endif
