// Takes the place of swift-certificates, which would bring a second BoringSSL: minutes of compiling for the
// few tests of NIOSSL that make their certificates with it. These tests are left out; they must compile.
package import Crypto
package import Foundation
package import SwiftASN1

package struct Certificate {
  package enum Version { case v3 }

  package enum SignatureAlgorithm { case ecdsaWithSHA256 }

  package struct SerialNumber {
    package init() {}
  }

  package struct PublicKey {}

  package struct PrivateKey {
    package init(_ key: P256.Signing.PrivateKey) { fatalError("swift-certificates") }
    package var publicKey: PublicKey { PublicKey() }
    package func serializeAsPEM() throws -> PEMDocument { PEMDocument() }
  }

  package struct Extensions {
    package init(@ListBuilder _ list: () throws -> [Any]) throws {}
  }

  package let subject: DistinguishedName

  package init(
    version: Version, serialNumber: SerialNumber, publicKey: PublicKey, notValidBefore: Date,
    notValidAfter: Date,
    issuer: DistinguishedName, subject: DistinguishedName, signatureAlgorithm: SignatureAlgorithm,
    extensions: Extensions, issuerPrivateKey: PrivateKey
  ) throws { self.subject = subject }

  package func serializeAsPEM() throws -> PEMDocument { PEMDocument() }
}

package struct DistinguishedName {
  package init(@ListBuilder _ list: () throws -> [Any]) throws {}
}

package struct CommonName {
  package init(_ name: String) {}
}

package struct Critical {
  package init(_ value: Any) {}
}

package enum BasicConstraints {
  case isCertificateAuthority(maxPathLength: Int?)
  case notCertificateAuthority
}

package struct KeyUsage {
  package init(keyCertSign: Bool) {}
}

package struct ExtendedKeyUsage {
  package enum Usage { case serverAuth, clientAuth }

  package init(_ usages: [Usage]) throws {}
}

@resultBuilder
package enum ListBuilder {
  package static func buildBlock(_ parts: Any...) -> [Any] { parts }
}
