#include "load_generator.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <stdio.h>

static X509 *certificate_of(EVP_PKEY *key) {
  X509 *certificate = X509_new();
  if (certificate == NULL) return NULL;
  X509_NAME *name = X509_get_subject_name(certificate);
  if (X509_set_version(certificate, 2) && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) &&
      X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != NULL &&
      X509_gmtime_adj(X509_getm_notAfter(certificate), 30L * 24 * 3600) != NULL &&
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0) &&
      X509_set_issuer_name(certificate, name) && X509_set_pubkey(certificate, key) &&
      X509_sign(certificate, key, EVP_sha256())) {
    return certificate;
  }
  X509_free(certificate);
  return NULL;
}

int load_generator_write_identity(const char *path, unsigned bits) {
  EVP_PKEY *key = bits == 256 ? EVP_EC_gen("P-256") : EVP_RSA_gen(bits);
  X509 *certificate = key == NULL ? NULL : certificate_of(key);
  FILE *file = certificate == NULL ? NULL : fopen(path, "w");
  int written = file != NULL && PEM_write_X509(file, certificate) &&
                PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL);
  if (file != NULL && fclose(file) != 0) written = 0;
  X509_free(certificate);
  EVP_PKEY_free(key);
  return written ? 0 : -1;
}
