import ArgumentParser

struct RemoteServer: ExpressibleByArgument {
  enum Kind: String {
    case http, echo
    case redis = "resp"
  }

  let kind: Kind
  let isSecure: Bool
  let address: NetworkAddress
  let target: String

  init?(argument: String) {
    guard let mark = argument.firstRange(of: "://") else { return nil }
    let rest = argument[mark.upperBound...]
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let usualPort: UInt16?
    switch argument[..<mark.lowerBound] {
    case "http": (kind, isSecure, usualPort) = (.http, false, 80)
    case "https": (kind, isSecure, usualPort) = (.http, true, 443)
    case "echo": (kind, isSecure, usualPort) = (.echo, false, nil)
    case "echos": (kind, isSecure, usualPort) = (.echo, true, nil)
    case "redis": (kind, isSecure, usualPort) = (.redis, false, 6379)
    case "rediss": (kind, isSecure, usualPort) = (.redis, true, 6379)
    default: return nil
    }
    let target = String(rest[slash...])
    guard let address = NetworkAddress(String(rest[..<slash]), port: usualPort), address.port > 0,
      !target.contains(where: \.isWhitespace), kind == .http || target.isEmpty || target == "/"
    else { return nil }
    self.address = address
    self.target = target.isEmpty ? "/" : target
  }

  var style: Style { Style(rawValue: "\(address)" + (kind == .http ? target : "")) }
}
