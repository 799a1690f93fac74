import CalotypeSupport

/// The events since the browser looked last. Any task posts events; one task takes them.
final class BrowseInbox: Sendable {
  struct Contents: Sendable {
    var keys: [Key] = []
    var items: [BrowseItem] = []
    /// Whether the window has another size, or shows something else.
    var needsRepaint = false
    /// Whether the list has been read.
    var isListComplete = false
    /// Whether it is longer than what is shown.
    var isListCut = false
    /// The error that ended the list early.
    var listError: (any Error)?
    /// Whether the keyboard is gone.
    var isClosed = false
  }

  /// One element for all events since the last.
  let news: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation
  private let contents = Lock(Contents())

  init() {
    (news, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func put(_ change: (inout Contents) -> Void) {
    contents.withLock { change(&$0) }
    bell.yield()
  }

  /// Wakes the browser for changes that it reads itself.
  func ring() { bell.yield() }

  func take() -> Contents {
    contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
  }

  /// Whether the user waits for a reaction.
  var isUrgent: Bool { contents.withLock { !$0.keys.isEmpty || $0.needsRepaint || $0.isClosed } }
}
