import Synchronization

/// A queue: first in, first out. Taking the first element moves none of the others.
///
/// It is an array with a head index. It is our own because a program that uses only `UV` should fetch nothing
/// but swift-system.
@usableFromInline
package struct Queue<Element> {
  @usableFromInline var elements: [Element?] = []
  /// Half a word, so that what follows a queue in an object may fill the other half.
  @usableFromInline var front: UInt32 = 0
  @usableFromInline var head: Int {
    @inlinable @inline(__always) get { Int(front) }
    @inlinable @inline(__always) set { front = UInt32(truncatingIfNeeded: newValue) }
  }

  @inlinable package init() {}

  /// The collection's own would go through its indices, which costs hundreds of instructions where the queue
  /// isn't specialized.
  @inlinable package var isEmpty: Bool { head == elements.count }

  @inlinable package mutating func append(_ element: Element) { elements.append(element) }

  /// Takes the first element; nil if there is none. Complexity: O(1) on average over all elements.
  @inlinable
  package mutating func popFirst() -> Element? {
    if isEmpty { return nil }
    let element = elements[head].take()
    head += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: elements.capacity <= 64)
      head = 0
    } else if head >= 32, head * 2 >= elements.count {
      // The elements behind move up once for as many elements as have been taken.
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Takes out the element at an index, and moves up those behind it.
  package mutating func remove(at index: Int) -> Element { elements.remove(at: head + index)! }

  /// Takes all elements out, in order.
  package mutating func takeAll() -> [Element] {
    defer { self = Queue() }
    return elements[head...].map { $0! }
  }
}

extension Queue: RandomAccessCollection, MutableCollection {
  @inlinable package var startIndex: Int { 0 }
  @inlinable package var endIndex: Int { elements.count - head }

  @inlinable
  package subscript(index: Int) -> Element {
    get { elements[head + index]! }
    set { elements[head + index] = newValue }
  }
}

/// Numbers the objects of a kind from 1, on any thread. A number isn't used again, as an address would be.
struct Numbering: ~Copyable, Sendable {
  private let last = Atomic(0)

  func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
