import UV

/// Worlds of streams, each on every transport.
let streamWorlds: [HuntedWorld] = Transport.allCases.flatMap { transport in
  [
    HuntedWorld("writes over \(transport)") { try writes($0, $1, transport) },
    HuntedWorld("echo over \(transport)") { try echo($0, $1, transport) },
    HuntedWorld("frames over \(transport)") { try frames($0, $1, transport) },
    HuntedWorld("ends over \(transport)") { try ends($0, $1, transport) },
    HuntedWorld("timeouts over \(transport)") { try timeouts($0, $1, transport) },
  ]
}
