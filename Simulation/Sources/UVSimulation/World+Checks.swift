import CSimulation

extension World {
  /// States what is always true. It is checked whenever another thread of a host goes on; if it isn't true,
  /// the run fails.
  ///
  /// - Parameters:
  ///   - what: The statement in words, for the error.
  ///   - isTrue: The check. It looks at values that the program shares with it, and waits for nothing.
  public func always(_ what: String, _ isTrue: @escaping () -> Bool) { add(Check(what, .always, isTrue)) }

  /// States what becomes true.
  ///
  /// - Parameters:
  ///   - what: The statement in words, for the error.
  ///   - limit: How much time it may take. The run also fails if the world ends before it was true.
  ///   - isTrue: The check; see ``always(_:_:)``.
  public func eventually(_ what: String, within limit: Duration, _ isTrue: @escaping () -> Bool) {
    add(Check(what, .eventually(by: now + limit), isTrue))
  }

  private func add(_ check: Check) {
    if checks.isEmpty {
      // Sound: the world lives until its run is over.
      let context = Unmanaged.passUnretained(self).toOpaque()
      sim_set_check({ Unmanaged<World>.fromOpaque($0!).takeUnretainedValue().check() }, context)
    }
    checks.append(check)
  }

  private func check() {
    for index in checks.indices.reversed() {
      switch checks[index].kind {
      case .always: if !checks[index].isTrue() { violate("always: \(checks[index].what)") }
      case .eventually(let end):
        if checks[index].isTrue() {
          checks.remove(at: index)
        } else if now > end {
          violate("eventually: \(checks[index].what)")
        }
      }
    }
  }

  /// What hasn't become true when the world ends.
  func checkLast() {
    check()
    for check in checks {
      if case .eventually = check.kind, violation == nil { violation = "eventually: \(check.what)" }
    }
  }

  private func violate(_ text: String) {
    if violation == nil { violation = text }
    sim_fail(text)
  }
}

/// A statement about the world.
struct Check {
  enum Kind {
    case always
    case eventually(by: Duration)
  }

  let what: String
  let kind: Kind
  let isTrue: () -> Bool

  init(_ what: String, _ kind: Kind, _ isTrue: @escaping () -> Bool) {
    self.what = what
    self.kind = kind
    self.isTrue = isTrue
  }
}
