/// A subscription that says which operator it belongs to, and shows nothing of its inside.
protocol DescribedSubscription: Subscription, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{}

extension DescribedSubscription {
  /// A mirror without children.
  var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  /// The name of the operator.
  var playgroundDescription: Any { description }
}
