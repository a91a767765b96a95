import Testing
import UVTestSupport

@testable import UV

/// The parts that handles are made of, beside models.
@Suite struct HandlePartsTests {
  @Test func `A set of descriptors has those that were put in and not taken out`() {
    let draws = Draws(7)
    var (set, model) = (DescriptorSet(), Set<Int32>())
    for _ in 0..<5000 {
      // Neighbours, and those that share a bit of other words.
      let descriptor = Int32(draws.draw(8) + 64 * draws.draw(20) + 4096 * draws.draw(2))
      if model.contains(descriptor) {
        set.remove(descriptor)
        model.remove(descriptor)
      } else {
        set.insert(descriptor)
        model.insert(descriptor)
      }
      for other in [descriptor, descriptor ^ 1, descriptor ^ 64, descriptor ^ 4096] {
        #expect(set.contains(other) == model.contains(other), "\(other) of \(model.sorted())")
      }
    }
  }

  @Test func `Each reason to keep a handle ends alone`() {
    let all: [Handle.Activity] = [
      .source, .writing, .shutdown, .closing, .timer, .process, .batch, .callback, .frames, .quiescing,
      .filter, .filterEnding, .filterResting, .idling,
    ]
    #expect(all.allSatisfy { $0.rawValue.nonzeroBitCount == 1 })
    #expect(Handle.Activity(all).rawValue.nonzeroBitCount == all.count)
  }

  @Test func `A stream has a share of a turn, which others and the next turn begin anew`() {
    let memory = UnsafeMutablePointer<Int>.allocate(capacity: 2)
    defer { memory.deallocate() }
    let readers = [UnsafeRawPointer(memory), UnsafeRawPointer(memory + 1)]
    let (draws, limit) = (Draws(11), ReadShare.limit)
    var share = ReadShare()
    /// Who read last in this turn, and how much at a stretch.
    var (last, count): (Int?, Int) = (nil, 0)
    for _ in 0..<2000 {
      for reader in 0..<2 {
        #expect(share.rest(of: readers[reader]) == limit - (reader == last ? count : 0))
      }
      let (step, reader, size, turn) = (draws.draw(5), draws.draw(2), 1024 * (draws.draw(64) + 1), share.turn)
      if step == 0 {
        share.renew()
        (last, count) = (nil, 0)
        #expect(share.turn == turn + 1)
      } else {
        share.noteFullRead(by: readers[reader], size)
        count = reader == last ? count + size : size
        last = reader
      }
    }
  }
}
