// What gets lost is reported: a rejection that nobody handles, and a promise that nobody resolves.
import UV
import UVPromises

enum WhatIsReported: Program {
  struct Forgotten: Error, CustomStringConvertible { var description: String { "forgotten" } }

  static func main() throws {
    conf.unhandledRejectionHandler = { rejection in
      print(
        "unhandled: \(rejection.error)", rejection.description.hasPrefix("unhandled rejection: forgotten"))
      if let site = rejection.site {
        print(site.file.hasSuffix("WhatIsReported.swift") && site.line > 0)
      } else {
        print(true)
      }
    }
    conf.logHandler = { event in
      switch event {
      case .pendingPromiseDeallocated: print("a promise was dropped")
      case .pendingGuaranteeDeallocated: print("a guarantee was dropped")
      case .cauterized(let error): print("cauterized: \(error)")
      default: print(event)
      }
    }
    print(conf.catchPolicy == .allErrorsExceptCancellation)
    print(conf.Q.map == .microtask, conf.Q.return == .microtask)
    EventLoop.runCallbacks { _ in
      _ = Promise<Int>(error: Forgotten())
      _ = Promise<Int>.pending()
      Promise<Int>(error: Forgotten()).cauterize()
    }
  }
}

// Prints:
// true
// true true
// cauterized: forgotten
// a promise was dropped
// unhandled: forgotten true
// true
