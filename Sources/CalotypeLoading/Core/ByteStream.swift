import CalotypeSupport
import FoundationEssentials

/// The bytes of a source as they arrive, such as the body of an upload. For a single load.
///
/// ```swift
/// let length = request.headers[.contentLength].flatMap { Int($0) }
/// let body = ByteStream(request.body.map { Data(buffer: $0) }, expectedLength: length)
/// let image = try await pipeline.image(for: ImageRequest(source: .stream(body, id: uploadID)))
/// ```
///
/// A load pulls the sequence chunk by chunk as its consumer asks for bytes, without reading ahead. The iterator is
/// released, and its task cancelled, at the end, after an error, and when the consumer leaves. Copies share the one
/// sequence: a second load of any of them fails with ``LoadingError/bodyAlreadyConsumed``.
public struct ByteStream: Sendable {
  /// Pulls chunks and hands them over one by one, until `handOver` returns `false`.
  typealias Pump = @Sendable (_ handOver: (Data) async -> Bool) async throws -> Void

  /// The length in bytes, if known. Fewer bytes are an error, ``LoadingError/sourceFailed(_:reason:)``; more are not.
  public let expectedLength: Int?
  private let pump: Once

  /// Creates a stream of a sequence of chunks.
  ///
  /// - Parameters:
  ///   - chunks: The sequence, which is pulled in its own task. Empty chunks are skipped. An error ends the body with
  ///     ``LoadingError/sourceFailed(_:reason:)``, unless it is a ``LoadingError`` or a `CancellationError`.
  ///   - expectedLength: The total length, if known; used only as a hint.
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

  /// A placeholder for a stream whose bytes must not be kept alive.
  static let empty = ByteStream(expectedLength: nil) { _ in }

  /// Takes over the sequence; `nil` if it was taken before.
  func claim() -> Pump? { pump.take() }

  /// Holds the sequence until it is taken.
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
