import BenchHarness
import UV

/// What a server answers on one connection.
protocol ServerExchange: SendableMetatype {
  /// How each conversation begins, if messages or bodies have `size` bytes.
  init(_ size: Int)
  /// What is to be written after these bytes have been read.
  mutating func answer(_ bytes: Bytes) -> Bytes
}
