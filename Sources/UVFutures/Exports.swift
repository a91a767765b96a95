// Combine's vocabulary comes with this module: `import UVFutures` is all that a user writes.
#if canImport(Combine)
@_exported import Combine
#else
#if !Futures && !Everything
#error("UVFutures needs OpenCombine: write .package(url: …, traits: [.defaults, \"Futures\"])")
#endif
@_exported import OpenCombine
@_exported import OpenCombineDispatch
#endif
