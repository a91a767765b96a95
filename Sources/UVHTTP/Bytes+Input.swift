#if HTTP || Everything
import UV

extension Bytes {
  /// These bytes and others, in memory of their own.
  func followed(by others: Bytes) -> Bytes {
    var builder = BytesBuilder(capacity: count + others.count)
    builder.append(self)
    builder.append(others)
    return builder.takeBytes()
  }

  /// Takes so many bytes from the front.
  mutating func takeFirst(_ count: Int) -> Bytes {
    if count == self.count {
      var all = Bytes()
      swap(&all, &self)
      return all
    }
    let first = Bytes(self[..<count])
    self = Bytes(self[count...])
    return first
  }

  /// Drops so many bytes from the front.
  mutating func drop(_ count: Int) { self = count == self.count ? Bytes() : Bytes(self[count...]) }
}
#endif
