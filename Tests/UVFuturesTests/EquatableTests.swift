#if Everything
import Testing
import UVFutures

/// Publishers of several publishers are equal if these are.
@Suite struct EquatableTests {
  @Test func `Merged and combined publishers are compared by their parts`() {
    let (one, two, three) = (Just(1), Just(2), Just("3"))
    let none = Empty<Int, Never>()
    let merged = one.merge(with: two, none)
    #expect(merged == Publishers.Merge3(one, two, none))
    #expect(merged != Publishers.Merge3(one, one, none))
    let many = one.merge(with: two)
    #expect(many == Publishers.MergeMany(one, two))
    #expect(many != Publishers.MergeMany(two, one))
    let pairs = one.combineLatest(three)
    #expect(pairs == Publishers.CombineLatest(one, three))
    #expect(pairs != Publishers.CombineLatest(two, three))
  }
}
#endif
