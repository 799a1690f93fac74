/// Carries a value of any type through the table, which knows none.
// `@unchecked`: the compiler does not check classes with subclasses. It has no state, and its one subclass a constant.
@usableFromInline
class MemoryBox: @unchecked Sendable {}

/// A box of one type of value.
// `@unchecked`, as inherited: the value is a constant.
@usableFromInline
final class ValueBox<Value: Sendable>: MemoryBox, @unchecked Sendable {
  @usableFromInline let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
