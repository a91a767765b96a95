// Takes the place of swift-asn1; see X509.swift.

package struct PEMDocument {
  package init() {}
  package var pemString: String { fatalError("swift-certificates") }
}
