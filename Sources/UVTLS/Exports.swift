// TLS is one more stream of UV's, so whoever uses it uses UV.
@_exported public import UV
