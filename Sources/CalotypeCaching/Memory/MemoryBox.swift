/// Carries a value of any type through the table, which knows none.
@usableFromInline
class MemoryBox: @unchecked Sendable {
  // `@unchecked`: a class with subclasses cannot be checked. It has nothing, and its one subclass a constant.
}

/// A box of one type of value.
@usableFromInline
final class ValueBox<Value: Sendable>: MemoryBox, @unchecked Sendable {
  // `@unchecked`: as inherited; the value is a constant.
  @usableFromInline let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
