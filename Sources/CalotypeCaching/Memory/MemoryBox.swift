/// Carries a value of any type through the table, which is not generic.
// `@unchecked`: the compiler does not check classes with subclasses. This class has no state, and its only subclass has
// a constant.
@usableFromInline
class MemoryBox: @unchecked Sendable {
  /// Returns a new box with the value if it is still alive.
  typealias Recall = @Sendable () -> MemoryBox?
}

/// A box of one type of value.
// `@unchecked`, as inherited: the value is a constant.
@usableFromInline
final class ValueBox<Value: Sendable>: MemoryBox, @unchecked Sendable {
  @usableFromInline let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
