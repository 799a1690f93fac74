import Calotype

extension ImageSlot {
  /// The states of a slot: the present one, then the newest after each change. For any number of observers, each at its own
  /// pace; an observer misses only states that were replaced meanwhile. Ends when the slot is released, or the task is
  /// cancelled.
  public struct States: AsyncSequence, Sendable {
    /// A state.
    public typealias Element = State

    let books: ObservableValue<SlotStateMachine>

    /// Begins with the present state.
    public func makeAsyncIterator() -> Iterator { Iterator(books: books) }

    /// Walks the states. For one task.
    public struct Iterator: AsyncIteratorProtocol {
      private let books: ObservableValue<SlotStateMachine>
      private var seen = 0

      init(books: ObservableValue<SlotStateMachine>) { self.books = books }

      /// Waits for a state that is new to this iterator; `nil` when the slot is released, or the task is cancelled.
      public mutating func next() async -> State? {
        guard let (books, version) = await books.next(after: seen) else { return nil }
        seen = version
        return books.state
      }
    }
  }
}
