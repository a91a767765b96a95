extension Duration {
  /// More than a day. A sleep that is this long never ends by itself: the test cancels it, or its loop ends.
  public static let untilCancelled = Duration.seconds(100_000)
}
