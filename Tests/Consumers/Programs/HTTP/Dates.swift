// Times are written for a field, and read from one.
import UVHTTP

enum Dates: Program {
  static func main() {
    let changed = HTTPDate(since1970: .seconds(784_111_777))
    print(changed)
    let known = HTTPDate("Sunday, 06-Nov-94 08:49:38 GMT")
    print(known?.description ?? "none", known?.secondsSince1970 ?? 0, known.map { changed < $0 } ?? false)
    print(HTTPDate("yesterday") == nil)
  }
}

// Prints:
// Sun, 06 Nov 1994 08:49:37 GMT
// Sun, 06 Nov 1994 08:49:38 GMT 784111778 true
// true
