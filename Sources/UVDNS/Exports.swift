// Names belong to the loop and its sockets, so users of this module use UV.
@_exported public import UV
