extension Sequence {
  /// The elements with the same key, together; both groups and elements in the order in which they come up.
  public func grouped(by key: (Element) -> some Hashable) -> [[Element]] {
    var places: [AnyHashable: Int] = [:]
    return reduce(into: []) { groups, element in
      let place = places[key(element), default: groups.count]
      if place == groups.count { groups.append([]) }
      places[key(element)] = place
      groups[place].append(element)
    }
  }
}

extension Sequence where Element: Hashable {
  /// Each element once, in the order in which they come up.
  public func unique() -> [Element] {
    var known: Set<Element> = []
    return filter { known.insert($0).inserted }
  }
}
