#if HTTP || Everything
/// The files that a loop remembers, by the path of the request.
///
/// They are two generations. Once the recent ones take half of the memory they become the older ones, and what was
/// older and nobody asked for is forgotten.
struct PageMemory {
  /// How many bytes a generation may take.
  private let limit: Int
  private var recent: [String: (resource: Resource, cost: Int)] = [:]
  private var older: [String: (resource: Resource, cost: Int)] = [:]
  /// The bytes of the recent ones.
  private var cost = 0

  init(limit: Int) { self.limit = max(0, limit) / 2 }

  /// Whether so many bytes may be kept.
  func hasRoom(for count: Int) -> Bool { count <= limit }

  subscript(path: String) -> Resource? { (recent[path] ?? older[path])?.resource }

  /// Remembers a file, which may have grown since it was last remembered.
  mutating func remember(_ path: String, _ resource: Resource) {
    cost += resource.cost - (recent[path]?.cost ?? 0)
    recent[path] = (resource, resource.cost)
    older[path] = nil
    if cost > limit { (older, recent, cost) = (recent, [:], 0) }
  }

  mutating func forget(_ path: String) {
    cost -= recent.removeValue(forKey: path)?.cost ?? 0
    older[path] = nil
  }
}
#endif
