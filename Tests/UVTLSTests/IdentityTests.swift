import Testing
import UVTLS
import UVTestSupport

/// Files that are no identity.
@Suite struct IdentityTests {
  private let certificates = Certificates.shared

  private func failure(_ chain: String, _ key: String, _ passphrase: String? = nil) -> String {
    do throws(UVError) {
      _ = try TLSIdentity(
        certificateChain: certificates.path(chain), privateKey: certificates.path(key), passphrase: passphrase
      )
      return "no error"
    } catch {
      return error.description.replacing(certificates.directory + "/", with: "")
    }
  }

  @Test func `An identity that can't be is an error that says why`() {
    #expect(
      failure("server.pem", "second.key")
        == "read second.key: the private key doesn't belong to the certificate in server.pem (TLS)")
    #expect(
      failure("server.pem", "encrypted.key")
        == "read encrypted.key: the private key is encrypted; pass its passphrase (TLS)")
    #expect(
      failure("server.pem", "encrypted.key", "wrong").hasPrefix(
        "read encrypted.key: the private key can't be decrypted: "))
    #expect(failure("server.pem", "encrypted.key", "secret") == "no error")
    #expect(failure("nowhere.pem", "server.key") == "read nowhere.pem: no such file or directory (ENOENT)")
    #expect(failure("server.pem", "nowhere.key") == "read nowhere.key: no such file or directory (ENOENT)")
    #expect(failure("empty.pem", "server.key") == "read empty.pem: there is no certificate in it (TLS)")
    #expect(failure("server.key", "server.key") == "read server.key: there is no certificate in it (TLS)")
    #expect(failure("server.pem", "server.pem") == "read server.pem: there is no private key in it (TLS)")
    #expect(failure("rubbish.pem", "server.key").hasPrefix("read rubbish.pem: "))
    #expect(failure("rubbish.pem", "server.key").hasSuffix(" (TLS)"))
  }

  @Test func `An identity can come from memory`() throws {
    #expect(throws: UVError.self) { try TLSIdentity(pemCertificateChain: "", pemPrivateKey: "") }
    #expect(throws: UVError.self) { try TLSContext.client(trust: .certificates(pem: "nothing")) }
    #expect(throws: UVError.self) { try TLSContext.client(trust: .certificates("/nowhere")) }
  }

  @Test func `Keys of tickets that can't be are refused, and the others stay`() throws {
    let key = Bytes(repeating: 7, count: TLSTicketKeys.keySize)
    for keys in [[], ["short"], [key, "short"], Array(repeating: key, count: TLSTicketKeys.limit + 1)] {
      #expect(throws: UVError.self) { try TLSTicketKeys(keys) }
    }
    let keys = try TLSTicketKeys(Array(repeating: key, count: TLSTicketKeys.limit))
    #expect(throws: UVError.self) { try keys.add("short") }
    #expect(throws: UVError.self) { try keys.add(key, keeping: 0) }
    #expect(throws: UVError.self) { try keys.rotate(keeping: TLSTicketKeys.limit + 1) }
  }

  @Test func `A context refuses options that can't be`() throws {
    var options = TLSOptions()
    options.cipherList = "NO-SUCH-CIPHER"
    #expect(throws: UVError.self) { try certificates.server(options: options) }
    #expect(throws: UVError.self) { try certificates.server(protocols: [""]) }
  }
}
