import UV

/// The words of a command: its name and its arguments. They share the memory of what was read: keep copies.
///
/// Words that came together are places in what was read. So to find them takes no memory, and counts no references. Of a
/// command that came in several reads the words before the last one are kept as values of their own.
public struct Arguments: RandomAccessCollection, Sendable {
  /// How many places there is memory for between two commands.
  static let keptPlaces = 64

  /// The words that came before.
  private var earlier: [Bytes] = []
  /// What was read last.
  private(set) var bytes = Bytes()
  /// Where in it the other words are: the first `found` of these. The others are what earlier commands had.
  private var places: [Range<Int>] = []
  private var found = 0

  init() {}

  init(_ words: [Bytes]) { earlier = words }

  /// The index of the name.
  public var startIndex: Int { 0 }
  /// The index after the last word.
  public var endIndex: Int { count }
  /// How many words there are, with the name.
  public var count: Int { earlier.count + found }

  /// The word at an index.
  public subscript(index: Int) -> Bytes {
    let later = index - earlier.count
    if later < 0 { return earlier[index] }
    precondition(later < found, "there are fewer words")
    return Bytes(bytes[places[later]])
  }

  /// The command that the first word names; nil if there is none of this name.
  public var command: Command? {
    if let name = earlier.first { return Command(name.span) }
    return found > 0 ? Command(bytes.span.extracting(places[0])) : nil
  }

  /// The same words, but another in place of the last.
  public func replacingLast(by word: Bytes) -> Arguments { Arguments(dropLast() + [word]) }

  /// Goes on with what was read next, and forgets the words that are places in what was read before.
  mutating func read(_ bytes: Bytes) {
    found = 0
    self.bytes = bytes
  }

  /// Adds a word that stands in what was read last.
  mutating func append(_ place: Range<Int>) {
    if found < places.count { places[found] = place } else { places.append(place) }
    found += 1
  }

  /// Adds a word that has memory of its own, while there are no places.
  mutating func append(_ word: Bytes) {
    assert(found == 0, "a word comes before others")
    earlier.append(word)
  }

  /// Copies the words out of what was read last, so that they don't keep it.
  mutating func copyOut() {
    for place in places.prefix(found) { earlier.append(Bytes(bytes[place]).copy()) }
    found = 0
  }

  /// Forgets the words.
  mutating func removeAll() {
    found = 0
    if !earlier.isEmpty { earlier = [] }
    if places.count > Self.keptPlaces { places = [] }
  }

  /// Lets go of what was read last, and of the words in it.
  mutating func letGo() { read(Bytes()) }
}
