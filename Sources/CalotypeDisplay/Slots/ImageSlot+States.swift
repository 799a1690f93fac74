import Calotype

extension ImageSlot {
  /// The states of a slot: the present one, then the newest whenever there is another. For any number of observers, each at
  /// its own pace; what one misses was replaced meanwhile. Ends when the slot goes, or the task is cancelled.
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

      /// The newest state, once it is another; `nil` when the slot has gone, or the task is cancelled.
      public mutating func next() async -> State? {
        guard let (books, version) = await books.next(after: seen) else { return nil }
        seen = version
        return books.state
      }
    }
  }
}
