// Variables of the environment are read, set and removed.
import UV

enum EnvironmentVariables: Program {
  static func main() throws {
    print(Environment["CONSUMERS_TEST"] ?? "not set")
    try Environment.set("CONSUMERS_TEST", to: "value")
    print(Environment["CONSUMERS_TEST"] ?? "not set")
    print(try Environment.all()["CONSUMERS_TEST"] ?? "not set")
    try Environment.unset("CONSUMERS_TEST")
    print(Environment["CONSUMERS_TEST"] ?? "not set")
    do throws(UVError) {
      try Environment.set("", to: "value")
    } catch {
      print(error.code == .invalidArgument)
    }
  }
}

// Prints:
// not set
// value
// value
// not set
// true
