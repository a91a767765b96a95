// Values are told apart by the side that they came from.
import UVRxStream

enum EitherSide: Program {
  static func main() throws {
    let sides = [Either<Int, String>(1), Either("two")]
    for side in sides {
      side.onLeft { print("left \($0)") }.onRight { print("right \($0)") }
      print(side.left ?? 0, side.right ?? "-")
    }
    let third: Either<Int, String> = .left(3)
    print(third == .left(3))
  }
}

// Prints:
// left 1
// 1 -
// right two
// 0 two
// true
