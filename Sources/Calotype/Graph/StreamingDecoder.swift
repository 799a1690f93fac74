import CalotypeImaging
import CalotypeLoading
import FoundationEssentials

/// Decodes an image while its bytes arrive, and decides when a preview is worthwhile.
// `@unchecked`: the decoder and its state are used by one job, one call after the other; the job hands them
// from thread to thread with its own task.
final class StreamingDecoder: @unchecked Sendable {
  /// The time that a transfer may take before decoding begins without the remaining bytes.
  static let patience = Duration.milliseconds(30)
  /// The number of new bytes required to continue decoding.
  private static let stride = 16 << 10

  private let decoder: IncrementalDecoder
  /// The arrival of the first bytes.
  private let start: Duration
  private var offset = 0
  private var passes = 0
  private var lastPreview: Duration?
  private var previewCost: Duration?
  /// The number of bytes required to look for the header again.
  private var nextLook = 1

  init(_ decoder: IncrementalDecoder, start: Duration) {
    self.decoder = decoder
    self.start = start
  }

  /// The information in the header, once it has been read.
  var header: ImageInfo?

  /// Whether the coder needs all bytes at once.
  var isCollecting: Bool { decoder.isCollecting }

  /// Returns whether enough bytes have arrived since the last look that the header may be complete. The
  /// growing intervals limit the cost of all looks to twice the bytes of the header.
  func mayHaveHeader(_ progress: LoadProgress) -> Bool {
    guard progress.received >= nextLook else { return false }
    nextLook = max(512, progress.received * 2)
    return true
  }

  /// The delay of a preview that would postpone the image, if more bytes arrive at the present rate. If
  /// none arrive, the preview is due after that time.
  private(set) var postponed: Duration?

  /// Returns whether enough bytes have arrived to continue decoding.
  func isWorthWhile(_ progress: LoadProgress) -> Bool {
    postponed != nil || progress.received - offset >= Self.stride
      || (decoder.info == nil && progress.received > offset)
  }

  /// Decodes the bytes that have arrived, and publishes a preview if one of the policies requires it.
  func advance(
    _ bytes: StreamingBody, _ progress: LoadProgress, previews: Set<ImageRequest.PreviewPolicy>,
    now: () -> Duration
  ) throws -> Image? {
    let chunk = bytes.bytes(from: offset)
    if !chunk.isEmpty {
      offset += chunk.count
      try decoder.append(chunk)
    }
    postponed = nil
    let before = now()
    guard isDue(previews, now: before) else { return nil }
    let rest = rest(progress, now: before)
    if let rest, rest < cost * 4 {
      postponed = max(rest, .milliseconds(10))
      return nil
    }
    passes = decoder.completedPasses
    guard let preview = try decoder.snapshot() else { return nil }
    lastPreview = before
    previewCost = now() - before
    return preview
  }

  /// Returns the image, once all bytes have arrived.
  func finish(_ data: Data) throws(ImagingError) -> Image {
    if offset < data.count { try decoder.append(data.dropFirst(offset)) }
    return try decoder.finish()
  }

  private func isDue(_ policies: Set<ImageRequest.PreviewPolicy>, now: Duration) -> Bool {
    policies.contains { policy in
      switch policy {
      case .off: false
      case .everyPass: decoder.completedPasses > passes
      case .pass(let number): decoder.completedPasses >= number && passes < number
      case .interval(let interval): lastPreview.map { now - $0 >= interval } ?? (decoder.info != nil)
      }
    }
  }

  /// Returns the time until the last byte at the present rate; `nil` if the total is unknown.
  private func rest(_ progress: LoadProgress, now: Duration) -> Duration? {
    guard let expected = progress.expected, progress.received > 0 else { return nil }
    return (now - start) * Double(max(0, expected - progress.received)) / Double(progress.received)
  }

  /// The cost of a preview; at first an estimate for the most expensive kind.
  private var cost: Duration {
    if let previewCost { return previewCost }
    guard let size = decoder.info?.size else { return .zero }
    return .nanoseconds(size.width * size.height * 8)
  }
}
