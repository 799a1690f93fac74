public import FoundationEssentials

/// A decoder of one image that takes bytes as they arrive. ``CoderRegistry/makeIncrementalDecoder(options:)`` makes it.
///
/// ```swift
/// let decoder = CoderRegistry.standard.makeIncrementalDecoder()
/// for try await chunk in body {
///   try decoder.append(chunk)
///   if let preview = try decoder.snapshot() { show(preview) }
/// }
/// let image = try decoder.finish()
/// ```
///
/// The final image is byte-equal to ``CoderRegistry/decode(_:options:)`` of all bytes, for any division into chunks.
/// The decode takes up to a picture more memory, which ``DecodeLimits/maxMemoryBytes`` and
/// ``DecodeLimits/maxExpansion`` may refuse. For coders without incremental decoding the bytes are collected.
///
/// The decoder is used by one thread at a time, off the cooperative pool. After an error every further call throws it
/// again, except for those of ``frame(at:)`` for frames that were complete by then.
public final class IncrementalDecoder {
  private enum State {
    /// The format is not known yet; the bytes so far.
    case sniffing(Data)
    /// The coder decodes incrementally.
    case driving(any IncrementalImageDecoding)
    /// The coder needs all bytes at once.
    case collecting(any ImageDecoding, Data)
    /// An incremental coder after the end of the input.
    case driven(any IncrementalImageDecoding, Image)
    /// All frames of collected bytes.
    case collected(AnimatedImage, Image)
    /// An error, with the coder if the input before it is within the limits: its complete frames are still available.
    case failed(ImagingError, (any IncrementalImageDecoding)?)
  }

  private let coders: CoderRegistry
  private let options: DecodeOptions
  private var state = State.sniffing(Data())
  private var isInfoChecked = false
  /// The coders that may take over from the current one, and the bytes that they would need.
  private var fallbacks: [any ImageDecoding] = []
  private var replay = Data()
  /// The options for frames, with content-dependent transforms resolved by the first.
  private var frameOptions: DecodeOptions?
  private var format = ImageFormat(rawValue: "unknown")
  /// A Boolean value that indicates whether the coder delivers finished pictures, as a ``DelegatedDecoder`` does.
  private var isDelegated = false

  /// The number of bytes appended so far.
  public private(set) var byteCount = 0

  init(coders: CoderRegistry, options: DecodeOptions) {
    self.coders = coders
    self.options = options
  }

  /// Appends the next bytes and decodes as far as they reach.
  ///
  /// - Throws: The errors of ``CoderRegistry/decode(_:options:)``, as soon as they are certain, except for truncation.
  ///   ``ImagingError/invalidParameter(name:reason:)`` after ``finish()``.
  public func append(_ chunk: Data) throws(ImagingError) {
    try failing { () throws(ImagingError) in
      if byteCount == 0 { try options.check() }
      let (total, overflow) = byteCount.addingReportingOverflow(chunk.count)
      try options.limits.check(byteCount: overflow ? .max : total)
      byteCount = total
      switch state {
      case .sniffing(var bytes):
        if bytes.isEmpty { bytes = chunk } else { bytes.append(chunk) }
        try choose(bytes, isWhole: false)
      case .driving(let decoder):
        if !fallbacks.isEmpty { replay.append(chunk) }
        try drive(decoder, chunk)
      case .collecting(let decoder, var bytes):
        // With a second owner, each chunk would copy all before it.
        state = .sniffing(Data())
        bytes.append(chunk)
        state = .collecting(decoder, bytes)
      case .driven, .collected:
        throw .invalidParameter(name: "chunk", reason: "the decoder has finished")
      case .failed(let error, _):
        throw error
      }
    }
  }

  /// The information in the header, as soon as it has arrived; at the end, for coders that need all bytes at once. The
  /// frame count of an animation is that of the frames that have arrived.
  public var info: ImageInfo? {
    switch state {
    case .driving(let decoder): decoder.info
    case .driven(let decoder, let image): decoder.info?.marked(image.isDamaged ? .damaged : []) ?? image.info
    case .collected(let animation, _): animation.info
    case .failed(_, let decoder): decoder?.info
    case .sniffing, .collecting: nil
    }
  }

  /// A Boolean value that indicates whether the coder needs all bytes at once, which are collected for it.
  package var isCollecting: Bool {
    if case .collecting = state { true } else { false }
  }

  /// Returns the decoded part of the image, according to the options, with ``Image/isPartial`` set; `nil` if nothing
  /// has been added since the last snapshot. Does not disturb the decode.
  public func snapshot() throws(ImagingError) -> Image? {
    try failing { () throws(ImagingError) in try preview() }
  }

  private func preview() throws(ImagingError) -> Image? {
    switch state {
    case .driving(let decoder):
      guard let image = try decoder.snapshot(), let info = decoder.info else { return nil }
      let finished = try rendition(info, options).finished(image)
      return finished.isPartial ? finished : finished.markedPartial()
    case .failed(let error, _): throw error
    case .sniffing, .collecting, .driven, .collected: return nil
    }
  }

  /// The number of passes over the whole picture that have arrived completely, as
  /// ``IncrementalImageDecoding/completedPasses`` counts them; for previews that are only useful when all of the
  /// picture has improved. At least 1 after ``finish()``.
  public var completedPasses: Int {
    switch state {
    case .driving(let decoder): decoder.completedPasses
    case .driven(let decoder, _): max(1, decoder.completedPasses)
    case .collected: 1
    case .sniffing, .collecting, .failed: 0
    }
  }

  /// The number of complete frames, all of which can be requested from ``frame(at:)``. 1 at the end of a still image.
  public var completeFrameCount: Int {
    switch state {
    case .driving(let decoder), .failed(_, let decoder?): min(decoder.completeFrameCount, frameLimit)
    case .driven(let decoder, _): min(max(1, decoder.completeFrameCount), frameLimit)
    case .collected(let animation, _): animation.frameCount
    case .sniffing, .collecting, .failed(_, nil): 0
    }
  }

  /// The largest number of available frames.
  private var frameLimit: Int {
    !options.transforms.isEmpty && options.animationTransforms == .firstFrame ? 1 : .max
  }

  /// Returns a complete frame, according to the options. Cheap in ascending order. The time limit is that of
  /// ``AnimatedImage/frame(at:)``.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` if there is no such frame yet, and the errors of the
  ///   coder.
  public func frame(at index: Int) throws(ImagingError) -> Image {
    guard index >= 0, index < completeFrameCount else {
      if case .failed(let error, _) = state { throw error }
      throw .invalidParameter(
        name: "frame", reason: "\(index) is not below the number of complete frames, \(completeFrameCount)")
    }
    switch state {
    case .driving(let decoder), .failed(_, let decoder?):
      return try frame(at: index, of: decoder)
    case .driven(let decoder, let image):
      return decoder.completeFrameCount > 1 ? try frame(at: index, of: decoder) : image
    case .collected(let animation, let image):
      return animation.frameCount > 1 ? try animation.frame(at: index) : image
    case .sniffing, .collecting, .failed(_, nil):
      throw .emptyInput
    }
  }

  /// Ends the input and returns the image, or the first frame of an animation.
  ///
  /// - Throws: The errors of ``CoderRegistry/decode(_:options:)``.
  public func finish() throws(ImagingError) -> Image {
    try failing { () throws(ImagingError) in
      try options.check()
      if case .sniffing(let bytes) = state { try choose(bytes, isWhole: true) }
      switch state {
      case .driving(let decoder):
        let image = try decoder.finish()
        // Frames may have arrived since the last check of the header.
        if let info = decoder.info { try options.limits.check(info) }
        isInfoChecked = true
        let info = decoder.info ?? image.info ?? ImageInfo(format: format, size: image.bitmap.size)
        let finished = try rendition(info, options).finished(image)
        state = .driven(decoder, finished)
        return finished
      case .collecting(_, let bytes):
        let (image, animation) = try coders.withDecoder(for: bytes, hint: options.formatHint) {
          decoder throws(ImagingError) in
          let info = try decoder.checkedInfo(of: bytes, page: options.page, limits: options.limits)
          let image = try decoder.image(of: bytes, info: info, options: options)
          return (image, try AnimatedImage(bytes, decoder: decoder, options: options))
        }
        state = .collected(animation, image)
        return image
      case .failed(let error, _):
        throw error
      case .sniffing, .driven, .collected:
        throw .invalidParameter(name: "finish", reason: "the decoder has finished")
      }
    }
  }

  private func rendition(_ info: ImageInfo, _ options: DecodeOptions) -> PostDecode {
    PostDecode(info: info, options: options, isDelegated: isDelegated)
  }

  private func frame(
    at index: Int, of decoder: any IncrementalImageDecoding
  ) throws(ImagingError) -> Image {
    guard let info = decoder.info else { throw .emptyInput }
    func rendered(_ index: Int, _ options: DecodeOptions) throws(ImagingError) -> Image {
      let bitmap = try decoder.frame(at: index)
      return try rendition(info, options).finished(
        Image(
          bitmap: bitmap, info: info.marked(decoder.isFrameDamaged ? .damaged : []),
          orientation: isDelegated && options.appliesOrientation ? .topLeft : info.orientation,
          isPartial: decoder.isFramePartial, profile: decoder.profile))
    }
    if let frameOptions { return try rendered(index, frameOptions) }
    let decided = try options.deciding(for: info) { plain throws(ImagingError) in
      try rendered(0, plain).bitmap
    }
    // A header that arrives later may still contain the number of frames.
    if info.frameCount > 1 { frameOptions = decided }
    return try rendered(index, decided)
  }

  /// Chooses the coder and passes it the bytes so far.
  private func choose(_ bytes: Data, isWhole: Bool) throws(ImagingError) {
    switch try coders.choose(for: bytes, isWhole: isWhole, hint: options.formatHint, purpose: .pixels) {
    case .open:
      state = .sniffing(bytes)
    case .decoder(let coder):
      format =
        coder.format(of: bytes.prefix(ImageFormat.sniffLength(of: bytes))) ?? options.formatHint ?? format
      fallbacks = coders.fallbacks(
        after: coder, for: bytes, hint: options.formatHint, purpose: .pixels)
      replay = fallbacks.isEmpty ? Data() : bytes
      try start(coder, bytes)
    }
  }

  /// Passes a coder all bytes so far.
  private func start(_ coder: any ImageDecoding, _ bytes: Data) throws(ImagingError) {
    // Coders of documents with pages have no incremental decoder, and all others refuse another page than the first.
    guard options.page == 0, let decoder = coder.makeIncrementalDecoder(options: options) else {
      state = .collecting(coder, bytes)
      return
    }
    isDelegated = coder.delegated != nil
    state = .driving(decoder)
    try drive(decoder, bytes)
  }

  /// Passes a decoder the next bytes; if it does not support this variant of the format, the next coder takes over.
  private func drive(_ decoder: any IncrementalImageDecoding, _ chunk: Data) throws(ImagingError) {
    do throws(ImagingError) {
      try decoder.append(chunk)
      try checkInfo(of: decoder)
      // A decoder that has read the header supports the variant.
      if isInfoChecked { (fallbacks, replay) = ([], Data()) }
    } catch {
      guard case .unsupportedFormat = error, !fallbacks.isEmpty else { throw error }
      try start(fallbacks.removeFirst(), replay)
    }
  }

  /// Checks the limits of every coder, once it knows its size.
  private func checkInfo(of decoder: any IncrementalImageDecoding) throws(ImagingError) {
    guard !isInfoChecked, let info = decoder.info else { return }
    try options.limits.check(info)
    try options.limits.check(predictedByteCount: options.workingByteCount(for: info))
    isInfoChecked = true
  }

  /// Records the first error, except for misuse after the end.
  private func failing<Result>(
    _ body: () throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    do {
      return try body()
    } catch {
      switch state {
      case .driven, .collected, .failed: break
      // Frames whose size was not checked are not decoded.
      case .driving(let decoder): state = .failed(error, isInfoChecked ? decoder : nil)
      case .sniffing, .collecting: state = .failed(error, nil)
      }
      throw error
    }
  }
}

extension Image {
  fileprivate func markedPartial() -> Image {
    Image(
      bitmap: bitmap, info: info, orientation: orientation, isPartial: true, profile: profile,
      metadata: metadata)
  }
}
