// Takes the place of swift-crypto, which brings a second BoringSSL; see X509.swift.

package enum P256 {
  package enum Signing {
    package struct PrivateKey {
      package init() {}
    }
  }
}
