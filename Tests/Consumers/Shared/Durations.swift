extension Duration {
  /// More than a day: the program cancels a sleep that is this long, or its loop ends.
  static let untilCancelled = Duration.seconds(100_000)
}
