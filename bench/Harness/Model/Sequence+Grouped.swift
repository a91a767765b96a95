extension Sequence {
  /// The elements with the same key, together; both groups and elements in the order in which they come up.
  func grouped(by key: (Element) -> some Hashable) -> [[Element]] {
    let groups = Dictionary(grouping: self, by: key)
    return map(key).unique().compactMap { groups[$0] }
  }
}

extension Sequence where Element: Hashable {
  /// Each element once, in the order in which they come up.
  func unique() -> [Element] {
    var known: Set<Element> = []
    return filter { known.insert($0).inserted }
  }
}
