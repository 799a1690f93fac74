/// The events of one request, as an `AsyncSequence`.
///
/// Each iterator is a subscription of its own, made at its first `next()`. Cancelling the iterating task, or
/// letting the iterator go (`break`), gives the place up; the last subscriber of a job to do so cancels its
/// transfer.
public struct ImageEvents: AsyncSequence, Sendable {
  /// The events.
  public typealias Element = ImageEvent

  let pipeline: ImagePipeline
  let request: ImageRequest

  /// Starts a subscription with the first `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(pipeline: pipeline, request: request)
  }

  /// Walks the events of one subscription. For one task.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Phase {
      case idle
      case waiting(Place)
      case ended
    }

    private let pipeline: ImagePipeline
    private let request: ImageRequest
    private var phase = Phase.idle

    init(pipeline: ImagePipeline, request: ImageRequest) {
      self.pipeline = pipeline
      self.request = request
    }

    /// The next event; `nil` after the response.
    ///
    /// - Throws: the error the load ended with; `CancellationError` when the task is cancelled.
    public mutating func next() async throws -> ImageEvent? {
      let place: Place
      switch phase {
      case .ended:
        return nil
      case .waiting(let current):
        place = current
      case .idle:
        if let response = pipeline.memoryResponse(for: request) {
          phase = .ended
          return .response(response)
        }
        place = Place(await pipeline.subscribe(to: request))
        phase = .waiting(place)
      }
      do {
        switch try await place.subscription.next() {
        case .progress(let progress):
          return .progress(progress)
        case .ended(let response):
          phase = .ended
          return .response(response)
        }
      } catch {
        phase = .ended
        throw error
      }
    }
  }

  /// Leaves when the iterator goes.
  private final class Place: Sendable {
    let subscription: Subscription<ImageResponse>

    init(_ subscription: Subscription<ImageResponse>) {
      self.subscription = subscription
    }

    deinit {
      subscription.leave()
    }
  }
}
