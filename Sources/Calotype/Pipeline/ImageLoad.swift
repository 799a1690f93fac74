public import CalotypeImaging
import CalotypeSupport

/// One load of an image: its result, its progress, its previews.
///
/// ```swift
/// let load = pipeline.load(request)
/// for await progress in load.progress { bar.update(progress) }
/// let image = try await load.image
/// ```
///
/// Loading begins when the result is awaited or a sequence is iterated. All observers of a load, and all
/// loads of equal requests, share the work (request coalescing). Sequences begin with the present state and
/// end with the load. A load is cancelled when the last reference to it and its sequences is released, or
/// when the last task that awaits it is cancelled; an observer that leaves early, such as by `break`, does
/// not end the load.
public struct ImageLoad: Sendable {
  private let session: ImageSession

  init(pipeline: ImagePipeline, request: ImageRequest) {
    session = ImageSession(pipeline: pipeline, request: request)
  }

  /// The request, as interceptors left it.
  public var request: ImageRequest { session.request }

  /// The urgency of the load. May be changed at any time until the load ends.
  public var priority: ImageRequest.Priority {
    get { session.requestPriority }
    nonmutating set { session.requestPriority = newValue }
  }

  /// The image.
  ///
  /// - Throws: As ``ImagePipeline/image(for:)-(ImageRequest)``.
  public var image: Image {
    get async throws { try await response.image }
  }

  /// The image, with its source and costs: the first response that the cache policy of the request accepts,
  /// or the last one if the load has ended.
  ///
  /// - Throws: As ``ImagePipeline/image(for:)-(ImageRequest)``.
  public var response: ImageResponse {
    get async throws {
      for try await event in events {
        if case .response(let response) = event { return response }
      }
      // Unreachable: a sequence without a response throws.
      throw CancellationError()
    }
  }

  /// All events on the way to the image.
  public var events: Events { Events(session: session) }

  /// The number of arrived bytes, newest value only. Ends with the load, also when that fails: ``image``
  /// and ``response`` throw the error. For one consumer.
  public var progress: AsyncStream<LoadProgress> {
    stream { if case .progress(let progress) = $0 { progress } else { nil } }
  }

  /// The previews of the arriving image, newest value only; requires ``ImageRequest/previews``. Ends with
  /// the load. For one consumer.
  public var previews: AsyncStream<Image> {
    stream { if case .preview(let image) = $0 { image } else { nil } }
  }

  /// Returns a stream of some events, pulled by its consumer: no task, no buffer.
  private func stream<Element: Sendable>(
    _ select: @escaping @Sendable (Event) -> Element?
  ) -> AsyncStream<Element> {
    let cursor = Cursor(events.makeAsyncIterator())
    return AsyncStream(unfolding: { await cursor.next(select) })
  }

  /// The iterator of a stream.
  // `@unchecked`: the iterator is used by one call at a time, in its turn.
  private final class Cursor: @unchecked Sendable {
    private var iterator: Events.Iterator
    private let turns = AsyncMutex()

    init(_ iterator: Events.Iterator) { self.iterator = iterator }

    func next<Element>(_ select: @Sendable (Event) -> Element?) async -> Element? {
      try? await turns.run {
        while let event = try await iterator.next() {
          if let element = select(event) { return element }
        }
        return nil
      }
    }
  }
}
