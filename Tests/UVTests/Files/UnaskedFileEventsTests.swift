import Testing

@testable import UV

/// Events that nobody has asked for, beside a model that keeps them in a list.
@Suite struct UnaskedFileEventsTests {
  @Test(arguments: 0..<50)
  func `Events come once for each name in the order of their first, with all that happened`(seed: Int) {
    var generator = Draws(UInt64(seed))
    var events = UnaskedFileEvents()
    var model: [FileEvent] = []
    for _ in 0..<200 {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0:
        events.collapse()
        model = [FileEvent(kinds: model.reduce(into: []) { $0.formUnion($1.kinds) }, name: nil)]
      case 1...7:
        #expect(events.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      default:
        let name = ["a", "b", "c", "d", nil].randomElement(using: &generator)!
        var event = FileEvent(
          kinds: [FileEvent.Kinds.rename, .change, .overflow].randomElement(using: &generator)!,
          name: name.map { FilePath($0) })
        if Bool.random(using: &generator) { event.error = UVError(.permissionDenied, operation: "fs_event") }
        events.add(event)
        // Events without a name are one if nothing has come between them.
        let others = name == nil ? model.indices.suffix(1) : model.indices
        if let place = others.first(where: { model[$0].name == event.name }) {
          model[place].kinds.formUnion(event.kinds)
          model[place].error = event.error ?? model[place].error
        } else {
          model.append(event)
        }
      }
      #expect(events.count == model.count && events.isEmpty == model.isEmpty)
    }
    for event in model { #expect(events.popFirst() == event) }
    #expect(events.popFirst() == nil)
  }
}

/// Numbers that a seed repeats.
private struct Draws: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
