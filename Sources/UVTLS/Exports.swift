// TLS is one more stream of UV's, so its users use UV.
@_exported public import UV
