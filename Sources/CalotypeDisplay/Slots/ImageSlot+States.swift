import Calotype

extension ImageSlot {
  /// The states of a slot: the present one, then the newest after each change. For any number of observers,
  /// each at its own pace; an observer misses only states that were replaced meanwhile. Ends when the slot
  /// is released, or the task is cancelled.
  ///
  /// The slot is watched as long as one of its iterators exists: until its loop is left.
  public struct States: AsyncSequence, Sendable {
    /// A state.
    public typealias Element = State

    let core: SlotDriver

    /// Creates an iterator, which begins with the present state.
    public func makeAsyncIterator() -> Iterator { Iterator(watcher: SlotWatcher(core)) }

    /// An iterator over the states, for one task.
    public struct Iterator: AsyncIteratorProtocol {
      private let watcher: SlotWatcher
      private var seen = 0

      init(watcher: SlotWatcher) { self.watcher = watcher }

      /// Waits for a state that is new to this iterator; `nil` when the slot is released, or the task is cancelled.
      public mutating func next() async -> State? {
        guard let (machine, version) = await watcher.core.machine.next(after: seen) else {
          watcher.leave()
          return nil
        }
        seen = version
        return machine.state
      }
    }
  }
}
