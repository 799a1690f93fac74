public import FoundationEssentials

/// An image whose frames are decoded on request. A still image is an animation of one frame.
///
/// ```swift
/// let animation = try AnimatedImage(data: bytes, options: DecodeOptions(thumbnail: .fit(width: 320, height: 240)))
/// for index in 0..<animation.frameCount {
///   try await show(animation.frame(at: index), for: animation.duration(of: index))
/// }
/// ```
///
/// It keeps the encoded bytes, and the canvases of at most two idle decoders. Copies share both. It may be used from
/// many threads: concurrent requests use separate decoders, and no thread waits for another.
public struct AnimatedImage: Sendable {
  /// The information in the header. Sizes are those of the source.
  public let info: ImageInfo
  /// The encoded bytes.
  public let data: Data
  /// The options of decoding frames.
  public let options: DecodeOptions

  private let decoder: any ImageDecoding
  /// The options with content-dependent transforms resolved for all frames.
  private var frameOptions: DecodeOptions
  /// `nil` for a still image.
  private let pool: FramePool?
  private let token: Token

  /// The identity of an animation and its copies.
  private final class Token: Sendable {}

  /// Reads the header. Decodes nothing, unless the transforms of an animation depend on its first frame.
  ///
  /// - Throws: The errors of ``CoderRegistry/probe(_:limits:formatHint:page:)``;
  ///   ``ImagingError/invalidParameter(name:reason:)`` for options that exclude each other;
  ///   ``ImagingError/limitExceeded(_:value:limit:)`` for the pixels of all frames together, and for the predicted
  ///   memory of one frame.
  public init(
    data: Data, coders: CoderRegistry = .standard, options: DecodeOptions = DecodeOptions()
  ) throws(ImagingError) {
    try options.check()
    try options.limits.check(byteCount: data.count)
    self = try coders.withDecoder(for: data, hint: options.formatHint) { decoder throws(ImagingError) in
      try AnimatedImage(data, decoder: decoder, options: options)
    }
  }

  init(_ data: Data, decoder: any ImageDecoding, options: DecodeOptions) throws(ImagingError) {
    info = try decoder.checkedInfo(of: data, page: options.page, limits: options.limits)
    let keepsFrames = options.transforms.isEmpty || options.animationTransforms != .firstFrame
    pool =
      info.frameCount > 1 && keepsFrames
      ? try FramePool(data: data, info: info, decoder: decoder, options: options) : nil
    self.data = data
    token = Token()
    self.decoder = decoder
    self.options = options
    frameOptions = options
    guard let pool else { return }
    frameOptions = try options.deciding(for: info) { plain throws(ImagingError) in
      try PostDecode(info: info, options: plain, isDelegated: decoder.delegated != nil)
        .finished(try pool.frame(at: 0, info: info)).bitmap
    }
  }

  /// The number of frames that can be requested: 1 for a still image, and for an animation whose coder only supports
  /// its first frame.
  public var frameCount: Int { pool == nil ? 1 : info.frameCount }

  /// The number of plays: 0 repeats for ever; 1 for a still image.
  public var loopCount: Int { pool == nil ? 1 : info.loopCount }

  /// Returns the display time of a frame; zero for a still image, or if there is no such frame.
  public func duration(of index: Int) -> Duration {
    pool != nil && info.durations.indices.contains(index) ? info.durations[index] : .zero
  }

  /// Returns a frame composited on its canvas: upright, in sRGB and shrunk, according to ``options``.
  ///
  /// The frame that follows an earlier request costs one frame; any other may cost all frames since the last one that
  /// covers the canvas. The pixels do not depend on the order of requests.
  ///
  /// The time limit, ``DecodeLimits/maxDuration``, holds for a pass: the total of frames requested in ascending order.
  /// A request for an earlier frame begins a new pass, so that an animation may play for ever.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` if there is no such frame; the errors of
  ///   ``CoderRegistry/decode(_:options:)``.
  public func frame(at index: Int) throws(ImagingError) -> Image {
    guard index >= 0, index < frameCount else {
      throw .invalidParameter(
        name: "frame", reason: "\(index) is not below the number of frames, \(frameCount)")
    }
    guard let pool else { return try decoder.image(of: data, info: info, options: options) }
    return try PostDecode(info: info, options: frameOptions, isDelegated: decoder.delegated != nil)
      .finished(try pool.frame(at: index, info: info))
  }

  /// An identifier that copies share, unique while one of them exists.
  package var identity: ObjectIdentifier { ObjectIdentifier(token) }

  /// The last independent frame up to each frame, from which its decode starts.
  package var keyFrames: [Int] { pool?.keyFrames ?? [0] }

  /// Releases idle decoders. A later request makes another one.
  package func dropIdleDecoders() { pool?.dropIdle() }

  /// The frames in order, for an encoder: in sRGB, regardless of ``options``. The time limit of the options holds for
  /// all frames together.
  public var source: AnimationSource { source { _ in } }

  /// Returns the frames in order, for an encoder; `observe` receives each frame as it was decoded.
  package func source(observing observe: @escaping (Image) -> Void) -> AnimationSource {
    let clock = DecodeLimits.Stopwatch(options.limits)
    return AnimationSource(frameCount: frameCount, loopCount: loopCount) { index throws(ImagingError) in
      try clock.run { (watch) throws(ImagingError) in
        let frame = try frame(at: index)
        observe(frame)
        let image = try frame.convertedToSRGB(limits: options.limits)
        try watch.check()
        return AnimationSource.Frame(bitmap: image.bitmap, duration: duration(of: index))
      }
    }
  }
}
