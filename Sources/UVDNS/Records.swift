/// A server that takes a domain's mail.
public struct MXRecord: Hashable, Sendable {
  /// Servers with lower numbers are tried first.
  public var preference: UInt16
  /// The server's name; `"."` says that the domain takes no mail.
  public var exchange: String

  /// Creates a record.
  package init(preference: UInt16, exchange: String) {
    self.preference = preference
    self.exchange = exchange
  }
}

/// A server of a service.
public struct SRVRecord: Hashable, Sendable {
  /// Servers with lower numbers are tried first.
  public var priority: UInt16
  /// Among servers with the same priority, one is chosen as often as this number says.
  public var weight: UInt16
  /// The service's port on the server.
  public var port: UInt16
  /// The server's name; `"."` says that there is no such service.
  public var target: String

  /// Creates a record.
  package init(priority: UInt16, weight: UInt16, port: UInt16, target: String) {
    self.priority = priority
    self.weight = weight
    self.port = port
    self.target = target
  }
}

/// A rule by which a name becomes another (RFC 3403).
public struct NAPTRRecord: Hashable, Sendable {
  /// Rules with lower numbers come first.
  public var order: UInt16
  /// Among rules of the same order, those with lower numbers should be tried first.
  public var preference: UInt16
  /// The way to use the result, such as `"u"` if it is a URI.
  public var flags: String
  /// The service that the result is for, such as `"E2U+sip"`.
  public var services: String
  /// The expression that makes the result of the name; empty if there is a replacement.
  public var regularExpression: String
  /// The name that is the result; `"."` if there is an expression.
  public var replacement: String

  /// Creates a record.
  package init(
    order: UInt16, preference: UInt16, flags: String, services: String, regularExpression: String,
    replacement: String
  ) {
    self.order = order
    self.preference = preference
    self.flags = flags
    self.services = services
    self.regularExpression = regularExpression
    self.replacement = replacement
  }
}

/// A zone's statement about itself.
public struct SOARecord: Hashable, Sendable {
  /// The server that has the zone's original.
  public var primaryServer: String
  /// The mailbox of the one who is responsible; its first dot stands for `@`.
  public var mailbox: String
  /// The version of the zone.
  public var serial: UInt32
  /// How often other servers ask whether the zone has changed.
  public var refresh: Duration
  /// When they ask again after a failure.
  public var retry: Duration
  /// How long their copy is good without the original.
  public var expire: Duration
  /// How long it may be kept that there is no such name.
  public var minimum: Duration

  /// Creates a record.
  package init(
    primaryServer: String, mailbox: String, serial: UInt32, refresh: Duration, retry: Duration,
    expire: Duration, minimum: Duration
  ) {
    self.primaryServer = primaryServer
    self.mailbox = mailbox
    self.serial = serial
    self.refresh = refresh
    self.retry = retry
    self.expire = expire
    self.minimum = minimum
  }
}

/// The authorities that may certify a domain (RFC 8659).
public struct CAARecord: Hashable, Sendable {
  /// Whether a certificate must be refused by readers that don't know the tag.
  public var isCritical: Bool
  /// The property that the record states, such as `"issue"`.
  public var tag: String
  /// Its contents, such as `letsencrypt.org`.
  public var value: Bytes

  /// Creates a record.
  package init(isCritical: Bool, tag: String, value: Bytes) {
    self.isCritical = isCritical
    self.tag = tag
    self.value = value
  }
}
