import Calotype

extension ImageSlot {
  /// The states of a slot: the present one, then the newest after each change. For any number of observers,
  /// each at its own pace; an observer misses only states that were replaced meanwhile. Ends when the slot
  /// is released, or the task is cancelled.
  public struct States: AsyncSequence, Sendable {
    /// A state.
    public typealias Element = State

    let machine: ObservableValue<SlotStateMachine>

    /// Creates an iterator, which begins with the present state.
    public func makeAsyncIterator() -> Iterator { Iterator(machine: machine) }

    /// An iterator over the states, for one task.
    public struct Iterator: AsyncIteratorProtocol {
      private let machine: ObservableValue<SlotStateMachine>
      private var seen = 0

      init(machine: ObservableValue<SlotStateMachine>) { self.machine = machine }

      /// Waits for a state that is new to this iterator; `nil` when the slot is released, or the task is cancelled.
      public mutating func next() async -> State? {
        guard let (machine, version) = await machine.next(after: seen) else { return nil }
        seen = version
        return machine.state
      }
    }
  }
}
