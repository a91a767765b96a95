import UV
import UVSimulation

/// Worlds in which what should happen happens in time, to everybody, and to the end.
let livenessWorlds: [HuntedWorld] =
  [HuntedWorld("punctual", punctual), HuntedWorld("unattended", unattended)]
  + Transport.allCases.flatMap { transport in
    [
      HuntedWorld("fair server over \(transport)") { try fairServer($0, $1, transport) },
      HuntedWorld("fair http over \(transport)") { try fairHTTP($0, $1, transport) },
    ]
  } + [
    HuntedWorld("fair pool", fairPool), HuntedWorld("checked pools", checkedPools),
    HuntedWorld("fair loop", fairLoop),
    HuntedWorld("fair group", fairGroup), HuntedWorld("last events", lastEvents),
  ]
