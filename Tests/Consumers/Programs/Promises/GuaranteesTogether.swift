// Several things that cannot fail are waited for together, each with a value of its own type.
import UV
import UVPromises

enum GuaranteesTogether: Program {
  static func later<T>(_ value: T) -> Guarantee<T> { after(.milliseconds(1)).map { value } }

  static func main() throws {
    EventLoop.run { _ in
      let (name, age) = await when(later("Ada"), later(36)).async()
      print(name, age)
      print(await when(later(1), later("2"), later(3.5)).async())
      print(await when(later(1), later("2"), later(3.5), later(true)).async())
      let (a, b, c, d, e) = await when(later(1), later(2), later(3), later(4), .value("last")).async()
      print(a + b + c + d, e)
    }
  }
}

// Prints:
// Ada 36
// (1, "2", 3.5)
// (1, "2", 3.5, true)
// 10 last
