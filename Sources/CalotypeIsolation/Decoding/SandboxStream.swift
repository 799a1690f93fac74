import CalotypeImaging
import FoundationEssentials

/// A decoder of bytes as they arrive, in a worker.
final class SandboxStream: IncrementalImageDecoding {
  private let session: SandboxSession
  private let options: DecodeOptions
  /// The bytes so far, for another worker.
  private var chunks: [Data] = []
  /// The first of them, by which the format is recognised.
  private var beginning = Data()
  private var hasFinished = false
  private(set) var info: ImageInfo?
  private(set) var profile: ColorProfile?
  private(set) var completedPasses = 0
  private(set) var completeFrameCount = 0
  private(set) var isFramePartial = false
  private(set) var isFrameDamaged = false

  /// Longer than any header by which a format is recognised, but for that of a drawing behind long comments.
  private static let beginningLength = 4096

  init(_ service: DecodingSandbox, _ options: DecodeOptions) {
    session = SandboxSession(service, options, hasWholeInput: false)
    self.options = session.options
  }

  /// Returns the way to the present state.
  private func history() -> [SandboxSession.Step] {
    let options = options
    var steps = [SandboxSession.Step(body: { .openStream(session: $0, options) })]
    if !chunks.isEmpty {
      let all = chunks.count == 1 ? chunks[0] : chunks.reduce(into: Data()) { $0.append($1) }
      chunks = [all]
      steps.append(SandboxSession.Step(body: { .append(session: $0) }, input: all))
    }
    if hasFinished { steps.append(SandboxSession.Step(body: { .finish(session: $0) })) }
    return steps
  }

  func append(_ chunk: Data) throws(ImagingError) {
    if beginning.count < Self.beginningLength {
      beginning.append(chunk.prefix(Self.beginningLength - beginning.count))
    }
    let (state, failure) = try session.perform(
      SandboxSession.Step(body: { .append(session: $0) }, input: chunk), of: beginning, after: history
    ) { [options] (reader, _) throws(WireError) in
      let state = try StreamState(&reader, within: options.limits)
      return (state, try reader.optional { reader throws(WireError) in try reader.error() })
    }
    chunks.append(chunk)
    adopt(state)
    if let failure { throw failure }
  }

  private func adopt(_ state: StreamState) {
    info = state.info
    completedPasses = max(completedPasses, state.completedPasses)
    completeFrameCount = state.completeFrameCount
  }

  func snapshot() throws(ImagingError) -> Image? {
    try session.perform(SandboxSession.Step(body: { .snapshot(session: $0) }), of: beginning, after: history)
    {
      [options] (reader, memory) throws(WireError) in
      try reader.optionalImage(for: options, in: memory)
    }
  }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    let image = try session.perform(
      SandboxSession.Step(body: { .frame(session: $0, index: index) }), of: beginning, after: history
    ) { [options] (reader, memory) throws(WireError) in
      try reader.images(for: [options], in: memory)
    }[0]
    (isFramePartial, isFrameDamaged, profile) = (image.isPartial, image.isDamaged, image.profile)
    return image.bitmap
  }

  func finish() throws(ImagingError) -> Image {
    let (image, state) = try session.perform(
      SandboxSession.Step(body: { .finish(session: $0) }), of: beginning, after: history
    ) { [options] (reader, memory) throws(WireError) in
      (try reader.images(for: [options], in: memory)[0], try StreamState(&reader, within: options.limits))
    }
    hasFinished = true
    adopt(state)
    return image
  }
}

/// The state of a stream after more bytes.
private struct StreamState {
  var info: ImageInfo?
  var completedPasses: Int
  var completeFrameCount: Int

  init(_ reader: inout WireReader, within limits: DecodeLimits) throws(WireError) {
    info = try reader.optional { reader throws(WireError) in try reader.info(within: limits) }
    completedPasses = try reader.int(in: 0...1 << 20, "the number of passes")
    completeFrameCount = try reader.int(in: 0...max(1, limits.maxFrames), "the number of frames")
  }
}
