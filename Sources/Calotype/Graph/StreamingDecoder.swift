import CalotypeImaging
import CalotypeLoading
import FoundationEssentials

/// Decodes an image while its bytes arrive, and decides when it is worth while to show what there is.
// `@unchecked`: the decoder and what is remembered of it are used by one job, in one call after the other; the job hands
// them from thread to thread with its own task.
final class StreamingDecoder: @unchecked Sendable {
  /// How long a transfer may take before decoding begins without its end.
  static let patience = Duration.milliseconds(30)
  /// What there must be to go on.
  private static let stride = 16 << 10

  private let decoder: IncrementalDecoder
  /// When the first bytes came.
  private let start: Duration
  private var offset = 0
  private var passes = 0
  private var lastPreview: Duration?
  private var previewCost: Duration?
  /// What there must be to look for the header again.
  private var nextLook = 1

  init(_ decoder: IncrementalDecoder, start: Duration) {
    self.decoder = decoder
    self.start = start
  }

  /// What the header says, once somebody has looked at it.
  var header: ImageInfo?

  /// Whether the coder wants all bytes at once.
  var isCollecting: Bool { decoder.isCollecting }

  /// Whether so much more has arrived since the last look that the header may be there: looks at headers of any length cost
  /// no more than twice their bytes.
  func mayHaveHeader(_ progress: LoadProgress) -> Bool {
    guard progress.received >= nextLook else { return false }
    nextLook = max(512, progress.received * 2)
    return true
  }

  /// How long to wait with a preview that would delay the image, if more comes as fast as until now: if nothing comes, it
  /// is time to show what there is.
  private(set) var postponed: Duration?

  /// Whether so much has arrived that it is worth going on.
  func isWorthWhile(_ progress: LoadProgress) -> Bool {
    postponed != nil || progress.received - offset >= Self.stride
      || (decoder.info == nil && progress.received > offset)
  }

  /// Decodes what is there, and shows it if one of the policies asks for that.
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

  /// The image, once all bytes are there.
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

  /// When the last byte will come, if the rest comes as fast as what is there; `nil` if nobody knows how much there is.
  private func rest(_ progress: LoadProgress, now: Duration) -> Duration? {
    guard let expected = progress.expected, progress.received > 0 else { return nil }
    return (now - start) * Double(max(0, expected - progress.received)) / Double(progress.received)
  }

  /// What a preview takes; at first a guess, of the dearest kind.
  private var cost: Duration {
    if let previewCost { return previewCost }
    guard let size = decoder.info?.size else { return .zero }
    return .nanoseconds(size.width * size.height * 8)
  }
}
