import Calotype

/// One load of a slot: its options, the tasks that work for it, and its one ending.
final class SlotLoad: Sendable {
  typealias Ending = ObservableValue<Result<ImageResponse, any Error>?>

  let options: SlotOptions
  /// Shared with the loads that take over from this one.
  let ending: Ending
  private let tasks = TaskBag()

  init(_ options: SlotOptions, ending: Ending = Ending(nil)) {
    self.options = options
    self.ending = ending
  }

  func add(_ task: Task<Void, Never>) { tasks.add(task) }

  /// Sets the ending and ends the tasks. The first call counts.
  func finish(_ result: Result<ImageResponse, any Error>) {
    ending.change { ending in
      guard ending == nil else { return ((), false) }
      ending = result
      return ((), true)
    }
    tasks.cancel()
  }

  /// Ends the tasks: another load takes over.
  func abandon() { tasks.cancel() }

  /// Waits for the ending.
  ///
  /// - Throws: The error that it ended with; `CancellationError` also when the waiting task is cancelled.
  func value() async throws -> ImageResponse {
    var seen = 0
    while let (result, version) = await ending.next(after: seen) {
      if let result { return try result.get() }
      seen = version
    }
    throw CancellationError()
  }
}
