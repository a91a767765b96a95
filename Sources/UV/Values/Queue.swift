/// First in, first out: taking the first element moves none of the others.
///
/// An array behind a head index, since a program that uses `UV` alone is to fetch nothing but swift-system.
struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { head == elements.count }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Takes the first element; nil if there is none. Constant time, on average over all elements.
  mutating func popFirst() -> Element? {
    if isEmpty { return nil }
    let element = elements[head].take()
    head += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: elements.capacity <= 64)
      head = 0
    } else if head >= 32, head * 2 >= elements.count {
      // What is behind moves up once for as many as have been taken.
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Takes out the first element for which `isIt` says so; nil if there is none.
  mutating func remove(where isIt: (Element) -> Bool) -> Element? {
    for index in head..<elements.count where isIt(elements[index]!) { return elements.remove(at: index) }
    return nil
  }

  /// Takes all elements out, in order.
  mutating func takeAll() -> [Element] {
    defer { self = Queue() }
    return elements[head...].map { $0! }
  }
}
