// Names belong to the loop and its sockets, so whoever uses this module uses UV.
@_exported public import UV
