/// A sequence delivers within the call that asks, so that on its loop's thread it stays there, and `flatMap` over it
/// needs no lock.
extension Publishers.Sequence: LoopPublisher {}
