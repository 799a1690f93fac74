import CalotypeSupport

/// What has happened since the browser looked last. Those who know something put it here; one task takes it out.
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
    /// Why the list could not be read to its end.
    var listError: (any Error)?
    /// Whether nothing can be typed any more.
    var isClosed = false
  }

  /// Once for all that was put since it was heard last.
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

  /// Has the browser look again, at what tells for itself.
  func ring() { bell.yield() }

  func take() -> Contents {
    contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
  }

  /// Whether somebody waits for an answer.
  var isUrgent: Bool { contents.withLock { !$0.keys.isEmpty || $0.needsRepaint || $0.isClosed } }
}
