/// Stops the program with a sentence unless `condition` holds. Use it for misuse that can't work.
///
/// `precondition` would stop the program too, but says why in debug builds only.
@inlinable
@inline(__always)
package func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  if !condition { stop(sentence()) }
}

/// Stops the program with a sentence, in release builds too.
@usableFromInline
@inline(never)
package func stop(_ sentence: String) -> Never { fatalError(sentence) }
