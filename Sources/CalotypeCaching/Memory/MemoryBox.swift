/// Carries a value of any type through the table, which is not generic.
// `@unchecked`: the compiler does not check classes with subclasses. This one has no state, its only subclass a constant.
@usableFromInline
class MemoryBox: @unchecked Sendable {
  /// Puts a value that is still alive into a box again.
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
