import CalotypeSupport

/// What happens on the way to one image, as an `AsyncSequence`, for any number of observers.
///
/// ```swift
/// let events = pipeline.events(for: request)
/// for try await event in events {
///   if case .response(let response) = event { show(response.image) }
/// }
/// ```
///
/// The load begins with the first `next()` of the first iterator. Later iterators begin with the present state: that it has
/// started, the newest progress, the newest preview, a stale response. An iterator that is made after the end yields the ending, the same
/// for all. Cancelling the iterating task, or letting the iterator go (`break`), gives its place up; when all have done so
/// before the end, the load is cancelled, and that is the ending.
public struct ImageEvents: AsyncSequence, Sendable {
  /// The events.
  public typealias Element = ImageEvent

  private let session: ImageSession

  init(pipeline: ImagePipeline, request: ImageRequest) {
    session = ImageSession(pipeline: pipeline, request: request)
  }

  /// The request they are about.
  public var request: ImageRequest { session.request }

  /// How urgent it is: may be changed at any time, until the end.
  public var priority: RequestPriority {
    get { session.requestPriority }
    nonmutating set { session.requestPriority = newValue }
  }

  /// Takes part with the first `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(session: session)
  }

  /// Walks the events. For one task.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Phase {
      case idle
      case waiting(ImageSession.Visit)
      case ended
    }

    private let session: ImageSession
    private var phase = Phase.idle

    init(session: ImageSession) {
      self.session = session
    }

    /// The next event; `nil` after the ending.
    ///
    /// - Throws: the error the load ended with; `CancellationError` when the task is cancelled.
    public mutating func next() async throws -> ImageEvent? {
      do {
        let visit: ImageSession.Visit
        switch phase {
        case .ended:
          return nil
        case .waiting(let current):
          visit = current
        case .idle:
          switch try await session.enter() {
          case .visit(let new):
            phase = .waiting(new)
            return .queued
          case .ending(let event):
            phase = .ended
            return event
          }
        }
        let event = try await visit.next()
        if event.isEnding { phase = .ended }
        return event
      } catch {
        phase = .ended
        throw error
      }
    }
  }
}

extension ImageEvent {
  /// Whether nothing follows.
  var isEnding: Bool {
    switch self {
    case .queued, .started, .progress, .preview, .staleResponse: false
    case .response, .notModified, .refreshFailed: true
    }
  }
}
