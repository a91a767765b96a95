/// A set of descriptors with one bit for each. Adding, removing and looking up a descriptor takes constant
/// time.
struct DescriptorSet {
  private var words: [UInt64] = []

  func contains(_ descriptor: Int32) -> Bool {
    let (word, bit) = Self.place(of: descriptor)
    return word < words.count && words[word] & bit != 0
  }

  mutating func insert(_ descriptor: Int32) {
    let (word, bit) = Self.place(of: descriptor)
    while words.count <= word { words.append(0) }
    words[word] |= bit
  }

  mutating func remove(_ descriptor: Int32) {
    assert(contains(descriptor), "a handle gives back a descriptor that it doesn't own")
    let (word, bit) = Self.place(of: descriptor)
    words[word] &= ~bit
  }

  private static func place(of descriptor: Int32) -> (word: Int, bit: UInt64) {
    (Int(descriptor) >> 6, 1 << UInt64(descriptor & 63))
  }
}
