// Names belong to the loop and its sockets, so its users use UV.
@_exported public import UV
