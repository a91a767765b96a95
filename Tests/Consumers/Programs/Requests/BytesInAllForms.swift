// Bytes are made from literals, strings, arrays and buffers, sliced, compared and printed.
import UV

enum BytesInAllForms: Program {
  static func main() throws {
    let text: Bytes = "hello"
    let numbers: Bytes = [104, 101, 108, 108, 111]
    print(text == numbers, text.count, Set([text, numbers]).count)
    print(
      Bytes("ab" + "c") == Bytes([97, 98, 99]), Bytes(repeating: 1, count: 3).reduce(0, +), Bytes().isEmpty)
    print(text[0], text[text.index(before: text.endIndex)], text.startIndex, Bytes(text[1..<3]) == "el")
    print(text.withUnsafeBytes { $0.count }, text.copy() == text)
    let copied = text.withUnsafeBytes { Bytes(copying: $0) }
    print(copied == text, copied.withContiguousStorageIfAvailable { $0.first } == 104)
    print(text.map { $0 + 1 }.prefix(2), text.contains(111), text.reversed().first == 111)
    print(text, Bytes([0, 255]), Bytes("hello".utf8) == text)
    let filled = Bytes(unsafeUninitializedCapacity: 8) { buffer in
      buffer[0] = 1
      buffer[1] = 2
      return 2
    }
    let array: [UInt8] = [1, 2]
    print(filled == Bytes(array), Bytes(copying: array.span.bytes) == filled)
    struct Wrong: Error {}
    do throws(Wrong) {
      _ = try text.withUnsafeBytes { _ throws(Wrong) -> Int in throw Wrong() }
    } catch {
      print("wrong")
    }
  }
}

// Prints:
// true 5 1
// true 3 true
// 104 111 0 true
// 5 true
// true true
// [105, 102] true true
// hello 2 bytes true
// true true
// wrong
