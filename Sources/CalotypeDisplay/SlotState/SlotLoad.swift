import Calotype

/// One load of a slot: what it is to show, the tasks that work for it, and its one ending.
final class SlotLoad: Sendable {
  typealias Ending = ObservableValue<Result<ImageResponse, any Error>?>

  let options: SlotOptions
  /// Shared with those that go on in its place.
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

  /// Ends the tasks: another goes on in its place.
  func abandon() { tasks.cancel() }

  /// How it ends.
  ///
  /// - Throws: what it ended with; `CancellationError` also when the task that waits is cancelled.
  func value() async throws -> ImageResponse {
    var seen = 0
    while let (result, version) = await ending.next(after: seen) {
      if let result { return try result.get() }
      seen = version
    }
    throw CancellationError()
  }
}
