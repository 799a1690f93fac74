import CalotypeSupport
import FoundationEssentials

/// The bytes of a source while they arrive, such as the body of an upload: for one load.
///
/// ```swift
/// let length = request.headers[.contentLength].flatMap { Int($0) }
/// let body = ByteStream(request.body.map { Data(buffer: $0) }, expectedLength: length)
/// let image = try await pipeline.image(for: ImageRequest(source: .stream(body, id: uploadID)))
/// ```
///
/// A load pulls the sequence chunk by chunk, when its consumer asks for bytes: nothing is read ahead. The iterator is
/// released at the end, after an error, and when the consumer leaves; its task is cancelled then. Copies share the one
/// sequence: a second load of any of them fails with ``LoadingError/bodyAlreadyConsumed``.
public struct ByteStream: Sendable {
  /// Pulls chunks and hands over one after the other, until no more are wanted.
  typealias Pump = @Sendable (_ handOver: (Data) async -> Bool) async throws -> Void

  /// Length in bytes, if it is known. Fewer bytes are an error, ``LoadingError/sourceFailed(_:reason:)``; more are not.
  public let expectedLength: Int?
  private let pump: Once

  /// The bytes of a sequence of chunks.
  ///
  /// - Parameters:
  ///   - chunks: What is pulled, in a task of its own. Empty chunks are skipped. An error that it throws ends the body with
  ///     ``LoadingError/sourceFailed(_:reason:)``, unless it is a ``LoadingError`` or a `CancellationError`.
  ///   - expectedLength: All bytes together, if that is known; it is not trusted with more than a hint.
  public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, expectedLength: Int? = nil)
  where Chunks.Element: Collection<UInt8> {
    self.init(expectedLength: expectedLength) { handOver in
      for try await chunk in chunks where !chunk.isEmpty {
        guard await handOver((chunk as? Data) ?? Data(chunk)) else { return }
      }
    }
  }

  private init(expectedLength: Int?, pump: @escaping Pump) {
    self.expectedLength = expectedLength.flatMap { $0 < 0 ? nil : $0 }
    self.pump = Once(pump)
  }

  /// A stream that stands for one whose bytes are not to be kept alive.
  static let empty = ByteStream(expectedLength: nil) { _ in }

  /// Takes the sequence over; `nil` if somebody has.
  func claim() -> Pump? { pump.take() }

  /// The sequence, which is released by whoever takes it.
  private final class Once: Sendable {
    private let pump: Lock<Pump?>

    init(_ pump: @escaping Pump) {
      self.pump = Lock(pump)
    }

    func take() -> Pump? {
      pump.withLock { $0.take() }
    }
  }
}
