// `HTTPRequest`, `HTTPResponse` and `HTTPFields`, and the loop and its streams, are this module's vocabulary.
@_exported public import HTTPTypes
@_exported public import UV

#if !HTTP && !Everything
#error("UVHTTP needs its trait: write .package(url: …, traits: [.defaults, \"HTTP\"])")
#endif
