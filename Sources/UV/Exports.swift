// `FilePath`, `FilePermissions` and the options of `open` are part of this module's vocabulary.
#if canImport(System)
@_exported public import System
#else
@_exported public import SystemPackage
#endif
