// Sound: one thread of a world runs at a time.
/// What clients have appended to a list, such as a log, and read of it: for a check after the run whether the
/// list behaves as one that does one thing after the other.
///
/// ```swift
/// let history = ListHistory<Int>()
/// …
/// let call = history.begin(.append(7))
/// try await connection.write(…).value
/// history.end(call)
/// …
/// #expect(history.violation == nil)
/// ```
///
/// No element is appended twice. Linearizability is a property of each list on its own: several lists have
/// a history each.
public final class ListHistory<Element: Hashable & Sendable>: @unchecked Sendable {
  /// What is asked of the list.
  public enum Operation: Sendable, Hashable {
    /// To put an element at the end.
    case append(Element)
    /// To return all elements.
    case read
  }

  /// A call that has begun.
  public struct Call: Sendable, Hashable {
    fileprivate let index: Int
  }

  private var log = CallLog<Operation, [Element]>()

  /// An empty history, of a list that begins empty.
  public init() {}

  /// How many calls have begun.
  public var count: Int { log.entries.count }

  /// Notes that a client asks.
  public func begin(_ operation: Operation) -> Call { Call(index: log.begin(operation, [])) }

  /// Notes the answer. A call whose client doesn't know whether it was done isn't ended.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - list: What a read returned.
  public func end(_ call: Call, list: [Element] = []) { log.end(call.index, list) }

  /// Whether the calls can be put into an order that keeps to real time, and in which each read returns what
  /// was appended before it. An append that never ended may have been done at any time after its begin, or
  /// not at all.
  public var isLinearizable: Bool { violation == nil }

  /// Why they can't be put into such an order; nil if they can.
  ///
  /// As in Elle, the elements' order is known from the reads, because no element is appended twice: each read
  /// is a beginning of the longest one. So every call has its place in the order, and what is left to check
  /// is that none had ended before another one began that comes earlier. It takes the time of sorting the
  /// calls.
  public var violation: String? {
    var appends: [Element: Int] = [:]
    for (index, entry) in log.entries.enumerated() {
      guard case .append(let element) = entry.operation else { continue }
      guard appends.updateValue(index, forKey: element) == nil else { return "\(element) was appended twice" }
    }
    let reads = log.entries.filter { $0.operation == .read && $0.end != .max }
    let order = reads.max { $0.answer.count < $1.answer.count }?.answer ?? []
    for read in reads where !order.starts(with: read.answer) {
      return "one read has returned \(read.answer), and another one \(order): neither begins with the other"
    }
    var places: [Element: Int] = [:]
    for (place, element) in order.enumerated() {
      guard appends[element] != nil else {
        return "a read has returned \(element), which nobody has appended"
      }
      guard places.updateValue(place, forKey: element) == nil else {
        return "a read has returned \(element) twice: \(order)"
      }
    }
    // Where each call is in the order: a read of n elements is between the n-th append and the next one.
    var ranked: [(rank: Int, entry: CallLog<Operation, [Element]>.Entry)] = []
    for entry in log.entries {
      switch entry.operation {
      case .append(let element):
        if let place = places[element] {
          ranked.append((2 * place + 1, entry))
        } else if entry.end != .max {
          ranked.append((2 * order.count + 1, entry))
        }
      case .read: if entry.end != .max { ranked.append((2 * entry.answer.count, entry)) }
      }
    }
    let byEnd = ranked.sorted { $0.entry.end < $1.entry.end }
    var ended = 0
    var latest: (rank: Int, entry: CallLog<Operation, [Element]>.Entry)?
    for one in ranked.sorted(by: { $0.entry.begin < $1.entry.begin }) {
      while ended < byEnd.count, byEnd[ended].entry.end < one.entry.begin {
        if byEnd[ended].rank > latest?.rank ?? -1 { latest = byEnd[ended] }
        ended += 1
      }
      if let latest, latest.rank > one.rank {
        return "\(Self.text(one.entry)) began after \(Self.text(latest.entry)) had ended, and comes before it"
      }
    }
    return nil
  }

  private static func text(_ entry: CallLog<Operation, [Element]>.Entry) -> String {
    switch entry.operation {
    case .append(let element): "the append of \(element)"
    case .read: "the read of \(entry.answer)"
    }
  }
}
