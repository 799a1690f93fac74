public import FoundationEssentials

/// An image whose frames are decoded when they are asked for. A still image is an animation of one frame.
///
/// ```swift
/// let animation = try AnimatedImage(data: bytes, options: DecodeOptions(thumbnail: .fit(width: 320, height: 240)))
/// for index in 0..<animation.frameCount {
///   try await show(animation.frame(at: index), for: animation.duration(of: index))
/// }
/// ```
///
/// Keeps the encoded bytes, and the canvases of at most two decoders that wait for the next
/// frame. Copies share both. May be used from many threads; each frame that is being decoded has a decoder of its
/// own, and no thread waits for another.
public struct AnimatedImage: Sendable {
  /// What the file says. Sizes are those of the source.
  public let info: ImageInfo
  /// The encoded bytes.
  public let data: Data
  /// How the frames are decoded.
  public let options: DecodeOptions

  private let decoder: any ImageDecoding
  /// The same, with what transforms decide by looking at pixels decided for all frames.
  private var frameOptions: DecodeOptions
  /// `nil` for a still image.
  private let pool: FramePool?
  private let token: Token

  /// Stands for one animation and its copies.
  private final class Token: Sendable {}

  /// Reads the header. Decodes nothing, unless the transforms of an animation have to see its first frame.
  ///
  /// - Throws: what ``CoderRegistry/probe(_:limits:formatHint:)`` throws;
  ///   ``ImagingError/invalidParameter(name:reason:)`` for options that exclude each other;
  ///   ``ImagingError/limitExceeded(_:value:limit:)`` for the pixels of all frames together, and for the memory that one
  ///   is predicted to take.
  public init(
    data: Data, coders: CoderRegistry = .standard, options: DecodeOptions = DecodeOptions()
  ) throws(ImagingError) {
    try PostDecode.check(options)
    try options.limits.check(byteCount: data.count)
    self = try coders.withDecoder(for: data, hint: options.formatHint) { decoder throws(ImagingError) in
      try AnimatedImage(data, decoder: decoder, options: options)
    }
  }

  init(_ data: Data, decoder: any ImageDecoding, options: DecodeOptions) throws(ImagingError) {
    info = try decoder.checkedInfo(of: data, limits: options.limits)
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
      try PostDecode(info: info, options: plain).finished(try pool.frame(at: 0, info: info)).bitmap
    }
  }

  /// Frames that can be asked for: 1 for a still image, and for an animation whose coder only knows its first frame.
  public var frameCount: Int { pool == nil ? 1 : info.frameCount }

  /// Times it plays: 0 for ever, 1 for a still image.
  public var loopCount: Int { pool == nil ? 1 : info.loopCount }

  /// Returns the time that a frame is shown; zero for a still image, or when there is no such frame.
  public func duration(of index: Int) -> Duration {
    pool != nil && info.durations.indices.contains(index) ? info.durations[index] : .zero
  }

  /// A frame composited on its canvas: upright, in sRGB, shrunk, as ``options`` say.
  ///
  /// The next frame after one that was asked for before costs one frame; any other may cost all frames since the
  /// last that covers the canvas. The pixels are the same in whatever order frames are asked for.
  ///
  /// The time limit, ``DecodeLimits/maxDuration``, holds for a pass: for frames that are asked for in ascending order
  /// together. To ask for one before begins a new pass, so that an animation may play for ever.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` when there is no such frame; what
  ///   ``CoderRegistry/decode(_:options:)`` throws.
  public func frame(at index: Int) throws(ImagingError) -> Image {
    guard index >= 0, index < frameCount else {
      throw .invalidParameter(
        name: "frame", reason: "\(index) is not below the number of frames, \(frameCount)")
    }
    guard let pool else { return try decoder.image(of: data, info: info, options: options) }
    return try PostDecode(info: info, options: frameOptions).finished(try pool.frame(at: index, info: info))
  }

  /// The same for copies, and for no other animation while one of them is there.
  package var identity: ObjectIdentifier { ObjectIdentifier(token) }

  /// For each frame the last up to it that needs none before, from which on frames are decoded to get to it.
  package var keyFrames: [Int] { pool?.keyFrames ?? [0] }

  /// Gives back the decoders that wait for the next frame. Another one is made when it is asked for.
  package func dropIdleDecoders() { pool?.dropIdle() }

  /// The frames in order, for an encoder: in sRGB, whatever ``options`` say. The time limit of the options holds for
  /// all frames together.
  public var source: AnimationSource { source { _ in } }

  /// The same; each frame is handed over as it was decoded.
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
