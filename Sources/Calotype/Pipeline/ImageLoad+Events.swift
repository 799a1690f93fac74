extension ImageLoad {
  /// The events of a load as an `AsyncSequence`, for any number of consumers.
  ///
  /// ```swift
  /// for try await event in load.events {
  ///   if case .response(let response) = event { show(response.image) }
  /// }
  /// ```
  ///
  /// The load begins with the first `next()` of the first iterator. Later iterators begin with the present
  /// state: the start, the newest progress, the newest preview, a stale response. An iterator created after
  /// the end yields the response and the ending, which are the same for all.
  public struct Events: AsyncSequence, Sendable {
    /// The events.
    public typealias Element = Event

    private let session: ImageSession

    init(session: ImageSession) {
      self.session = session
    }

    /// Creates an iterator, which starts with its first `next()`.
    public func makeAsyncIterator() -> Iterator {
      Iterator(session: session)
    }

    /// An iterator over the events, for one task.
    public struct Iterator: AsyncIteratorProtocol {
      private enum Phase {
        case idle
        case waiting(ImageSession.Visit)
        case replaying(ArraySlice<Event>)
      }

      private let session: ImageSession
      private var phase = Phase.idle

      init(session: ImageSession) {
        self.session = session
      }

      /// Returns the next event; `nil` after the last.
      ///
      /// - Throws: The error that the load ended with; `CancellationError` when the task is cancelled.
      public mutating func next() async throws -> Event? {
        do {
          let visit: ImageSession.Visit
          switch phase {
          case .replaying(var events):
            let event = events.popFirst()
            phase = .replaying(events)
            return event
          case .waiting(let current):
            visit = current
          case .idle:
            switch try await session.enter() {
            case .visit(let new):
              phase = .waiting(new)
              return .queued
            case .ended(let events):
              phase = .replaying(events.dropFirst())
              return events.first
            }
          }
          let (event, isLast) = try await visit.next()
          if isLast { phase = .replaying([]) }
          return event
        } catch {
          phase = .replaying([])
          throw error
        }
      }
    }
  }
}
