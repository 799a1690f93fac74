import CPixels

extension DecodeOptions {
  /// Predicts the peak memory of a decode with these options, in bytes: its result, and the memory of our code and of
  /// the libraries.
  ///
  /// The prediction comes from measurements of photographs. For images of a megapixel and more it is rarely too low,
  /// and then by less than a tenth; properties that the header leaves open are assumed at their worst. The encoded
  /// bytes are not counted, nor the memory of ``transforms`` beyond a second picture.
  ///
  /// - Complexity: O(sides of a thumbnail).
  public func workingByteCount(for info: ImageInfo) -> Int {
    byteCount(for: info, .whole, \.peakByteCount)
  }

  /// Predicts the peak memory of an incremental decode, in bytes, without its snapshots.
  package func fedByteCount(for info: ImageInfo) -> Int { byteCount(for: info, .fed, \.peakByteCount) }

  /// Predicts the peak memory of a frame decoder, in bytes: its canvases, and the memory of one frame besides.
  ///
  /// - Parameters:
  ///   - info: The header of the file.
  ///   - isFed: Pass true for an incremental decoder: it also holds the snapshot of the first frame.
  public func frameByteCount(for info: ImageInfo, isFed: Bool = false) -> Int {
    byteCount(for: info, isFed ? .fedFrames : .frames, \.framePeakByteCount)
  }

  /// Predicts the peak memory, in bytes, of a decode that cannot stream rows because damage requires the whole picture.
  func wholeByteCount(for info: ImageInfo) -> Int { byteCount(for: info, .frames, \.peakByteCount) }

  private func byteCount(
    for info: ImageInfo, _ input: DecodeWork.Input, _ count: KeyPath<DecodeWork, Double>
  ) -> Int {
    DecodeWork(self, info, input).map { Int(min($0[keyPath: count], 0x1p62)) } ?? .max
  }
}

/// The work of a decode as far as the header tells. It computes in floating point, because a header can claim any size.
struct DecodeWork {
  let options: DecodeOptions
  let info: ImageInfo
  /// The size that the decoder delivers: that of the source, or a reduced scale of JPEG.
  let decoded: PixelSize
  /// The ratio of the source size to ``decoded``, in each direction.
  let denominator: Int
  /// The size of the result, in stored axes; `nil` without a thumbnail.
  let thumbnail: PixelSize?
  /// The resampling of the picture; `nil` if there is none, or it is not known.
  let plan: ResamplePlan?
  /// A Boolean value that indicates whether rows are resampled as they are decoded. Otherwise the whole picture is
  /// decoded first.
  let isStreamed: Bool
  let layout: ImageInfo.Layout
  let input: Input

  /// The arrival of the input, and the purpose of the decode.
  enum Input {
    /// All bytes are present.
    case whole
    /// Bytes arrive incrementally: pictures are decoded as a whole, so that snapshots are possible.
    case fed
    /// All bytes are present, and pictures are decoded as a whole, such as one frame after the other.
    case frames
    /// Bytes arrive incrementally, and frames may be requested meanwhile.
    case fedFrames
  }

  /// Allocator overhead, tables and code of the libraries that a decode touches; less for a small picture, because most
  /// decodes of small pictures find them in memory already.
  private var base: Double { min(Double(2 << 20), Double(16 << 10) + 2 * Self.pixels(info.size)) }
  /// The slack of ``RollingRows``: the size at which it moves pages, and as much again.
  private static let rollingSlack = Double(4 << 20)

  /// Returns `nil` for sizes that no header can state.
  init?(_ options: DecodeOptions, _ header: ImageInfo, _ input: Input = .whole) {
    var info = header
    // A drawing counts as a picture of the size at which it is drawn.
    (info.size, info.isVector) = (options.sourceSize(of: header), false)
    guard (1...Int(Int32.max)).contains(info.size.width), (1...Int(Int32.max)).contains(info.size.height),
      Self.pixels(info.size) < 0x1p56
    else { return nil }
    self.options = options
    self.info = info
    self.input = input
    layout = info.layout
    var denominator = 1
    let isScaled = info.format == .jpeg || [.avif, .heif].contains(info.format) && !info.hasAlpha
    if isScaled, let minimum = try? options.oversampledSize(for: info) {
      denominator = ScaleDivisor.largest(for: info.size, minimumSize: minimum)
    }
    let decoded = PixelSize(
      width: (info.size.width - 1) / denominator + 1, height: (info.size.height - 1) / denominator + 1)
    self.decoded = decoded
    self.denominator = denominator
    let orientation = options.appliesOrientation ? info.orientation : .topLeft
    guard let thumbnail = options.decodedThumbnail(for: info),
      let size = try? thumbnail.resize(of: decoded, sourceSize: info.size, orientation: orientation).size
    else {
      (self.thumbnail, plan, isStreamed) = (nil, nil, false)
      return
    }
    self.thumbnail = size
    let shrinker = RowShrinker([thumbnail], of: info, options: options)
    let plans = try? shrinker.plans(
      of: decoded, format: .rgba8, isOpaque: !info.hasAlpha,
      profile: layout.hasProfile || !layout.isKnown ? .calibrated(ColorProfile.Calibration()) : nil)
    let comesInRows =
      !layout.needsCanvas && layout.isKnown
      && !(options.allowsPartial && ![.jpeg, .bmp, .avif, .heif, .tiff].contains(info.format))
    plan = plans?.first
    isStreamed = plan != nil && comesInRows && Self.shrinksRows(info) && input == .whole
  }

  /// Returns true if rows of this picture are streamed; smaller WebP pictures are decoded as a whole.
  private static func shrinksRows(_ info: ImageInfo) -> Bool {
    switch info.format {
    case .jpeg, .png, .apng, .bmp, .qoi, .avif, .heif, .tiff: true
    case .webp, .jxl: pixels(info.size) * 4 >= Double(16 << 20)
    default: false
    }
  }

  static func pixels(_ size: PixelSize) -> Double { Double(size.width) * Double(size.height) }

  /// Bytes of each decoded pixel.
  private var bytesPerPixel: Double { Double(options.bytesPerPixel(of: info)) }
  private var bytesPerRow: Double { bytesPerPixel * Double(decoded.width) }
  private var whole: Double { bytesPerPixel * Self.pixels(decoded) }
  private var result: Double { thumbnail.map { 4 * Self.pixels($0) } ?? whole }

  /// The peak of the decoding and finishing phases, in bytes.
  var peakByteCount: Double { base + max(decoding, finishing) }

  /// The memory held between frames, plus the peak of the decoding and finishing phases of one frame, in bytes.
  var framePeakByteCount: Double {
    base + canvases + max(frameDecoding, whole + 64 * 1024, finishing)
  }

  /// Bytes held while the picture is resampled, converted, rotated and transformed.
  private var finishing: Double {
    var peak = 0.0
    let converts = options.colors == .sRGB && (layout.hasProfile || !layout.isKnown)
    if thumbnail != nil, !isStreamed, info.format != .svg {
      let mixesInSRGB =
        (converts && options.decodedThumbnail(for: info)?.linearLight == true)
        || options.mapsTones(of: info.dynamicRange)
      peak = max(peak, whole + (mixesInSRGB ? whole : shrinking + result))
    }
    let turns = options.appliesOrientation && info.orientation != .topLeft
    if converts || turns || !options.transforms(for: info).isEmpty { peak = max(peak, 2 * result) }
    return peak
  }

  /// Bytes held while the picture is decoded.
  private var decoding: Double {
    switch info.format {
    case .jpeg:
      let coefficients =
        layout.isKnown
        ? Double(layout.coefficientByteCount) : 2 * layout.samplesPerPixel * Self.pixels(info.size)
      return coefficients + 64 * Double(info.size.width) + (streaming.map { $0 + resizedPlanes } ?? whole)
    case .png, .apng: return png
    case .webp: return webp
    case .gif:
      let isBeside = layout.needsCanvas || !layout.isKnown || input == .fed
      return whole + (isBeside ? Self.pixels(decoded) : 64 * 1024)
    case .bmp, .qoi: return streaming ?? whole
    case .avif: return avif + (streaming ?? whole)
    case .heif: return heif + (streaming ?? whole)
    case .jxl: return jxl
    // The strips or tiles of some rows beside the picture, and the state of libtiff and of a codec.
    case .tiff where layout.isKnown:
      return Double(layout.inflatedByteCount) + (streaming ?? whole) + Double(2 << 20)
    case .svg: return svg
    default: return 2 * whole
    }
  }

  /// Bytes held throughout the decode of frames.
  private var canvases: Double {
    guard layout.isKnown else { return (input == .fedFrames ? 3 : 2) * whole }
    let beside = Double(layout.frames.besidePixelCount) * bytesPerPixel
    guard input == .fedFrames else { return whole + beside }
    return whole + beside + (info.format == .gif ? Self.pixels(info.size) : whole)
  }

  /// Bytes that a frame takes until its pixels are on the canvas.
  private var frameDecoding: Double {
    let largest = Double(layout.frames.largestPixelCount)
    guard layout.isKnown else { return whole }
    switch info.format {
    case .gif: return largest + 64 * 1024
    case .png, .apng:
      let inflated = Double(layout.inflatedByteCount)
      return 2 * min(inflated, Double(PNGInflation.spareLimit))
        + 2 * inflated / Double(info.size.height) + 256 * 1024
    case .jxl: return jxl - whole
    case .webp:
      let lossless = layout.frames.isAnyLossless ? 4 * largest : 0
      return 128 * Double(info.size.width) + max(lossless, info.hasAlpha ? 5 * largest : 0)
    // AV1 refers to up to eight frames.
    case .avif: return 6 * avif + whole
    default: return whole
    }
  }

  /// Bytes of the result and of the rows in memory at a time.
  private var streaming: Double? {
    guard isStreamed, let plan else { return nil }
    let rows = min(Double(decoded.height), Double(plan.window) + max(16, 256 * 1024 / bytesPerRow))
    return result + rows * bytesPerRow + shrinking
  }

  /// Bytes of the planes of a thumbnail before they are joined, and of the weights of those of chroma.
  private var resizedPlanes: Double {
    guard let thumbnail, options.decodedThumbnail(for: info)?.effort == .balanced else { return 0 }
    return 3 * Self.pixels(thumbnail) + 2 * weights(thumbnail)
  }

  /// Bytes of the weights of a resize to the thumbnail.
  private func weights(_ thumbnail: PixelSize) -> Double {
    func weights(_ outputs: Int, of samples: Int) -> Double {
      2 * Double(outputs) * (8 * max(1, Double(samples) / Double(outputs)) + 16)
    }
    return weights(thumbnail.width, of: min(decoded.width, 1 << 16))
      + weights(thumbnail.height, of: min(decoded.height, 1 << 16))
  }

  /// Bytes of the weights and the scratch memory of resampling.
  private var shrinking: Double {
    guard let thumbnail else { return 0 }
    // 16-bit samples for each row of a group that is filtered together, and premultiplied copies of transparent rows.
    let rows = 2 * Double(cpx_resample_group + 4)
    let multiplied = info.hasAlpha ? plan.map { Double($0.window) } ?? rows : 0
    return (rows + multiplied) * bytesPerRow + weights(thumbnail)
  }

  /// Bytes of planes, and of dav1d besides. Film grain, which no header tells, takes as much again; the decoder keeps to
  /// the limit of memory.
  private var avif: Double {
    let sample = info.bitDepth > 8 ? 2.0 : 1.0
    let planes = sample * (layout.isKnown ? layout.samplesPerPixel : 4) * Self.pixels(info.size)
    let shrunk = denominator > 1 ? 3 * sample * Self.pixels(decoded) : 0
    return planes + shrunk + min(Double(9 << 20), Double(2 << 20) + 8 * Self.pixels(info.size))
  }

  /// Bytes of the decoder and of planes: those of a tile, and those of a row of tiles or of the shrunk picture.
  private var heif: Double {
    let band = Double(layout.scatteredByteCount)
    let area = Double(denominator * denominator)
    let sample = info.bitDepth > 8 ? 2.0 : 1.0
    // At worst one picture in 4:4:4, with alpha.
    let coded =
      layout.isKnown ? Double(layout.inflatedByteCount) : (4 + 1.6) * sample * Self.pixels(info.size)
    let planes =
      denominator == 1 ? band : band > 0 ? 2 * band / area : 3 * sample * Self.pixels(decoded)
    return coded + planes + min(Double(5 << 19), 2 * Self.pixels(info.size))
  }

  private var png: Double {
    let inflated = layout.isKnown ? Double(layout.inflatedByteCount) : 8 * Self.pixels(decoded)
    let scattered = layout.isKnown ? Double(layout.scatteredByteCount) : inflated
    let rows = 2 * inflated / Double(decoded.height)
    if let streaming { return streaming + max(256 * 1024, rows) + 128 * 1024 }
    let spare = max(0, inflated - whole)
    let isAtOnce =
      !layout.needsCanvas && inflated <= Double(PNGInflation.wholeLimit)
      && spare <= Double(PNGInflation.spareLimit)
    if isAtOnce { return whole + spare + (scattered > whole + spare - inflated ? scattered : 0) }
    if inflated <= Double(PNGInflation.spareLimit) { return whole + inflated + scattered }
    return whole + max(128 * 1024, rows) + 64 * 1024
  }

  /// Besides the result, librsvg holds pictures of groups that are filtered, masked or transparent, some for each level of
  /// groups in groups, and about ten times the text, whose size the header does not tell.
  private var svg: Double { 3 * result + Double(4 << 20) }

  private var jxl: Double {
    let pixels = Self.pixels(decoded)
    let channels = layout.isKnown ? layout.samplesPerPixel : 4
    // Besides its output, libjxl holds the eighths of lossy pictures and their parameters; of deep and grey samples, and
    // of premultiplied ones, all pixels in floating point. Alpha and lossless pictures may be coded by transforms of whole
    // planes, which no header tells: until these are undone, all samples are there, in floating point and twice.
    let hasPlanes = layout.isLossless || channels > 3
    let inside =
      ((layout.isLossless ? 0 : 3.2) + (hasPlanes ? 8.8 * channels : 0)) * pixels
      + min(Double(5 << 20), Double(1 << 20) + 4 * pixels)
    let isFloating =
      layout.needsCanvas || (options.pixels == .native && (bytesPerPixel == 8 || !info.hasAlpha))
    guard isStreamed, let plan else {
      return whole + inside + (isFloating ? 4 * max(4, channels) * pixels : 0)
    }
    // Rows of two rows of groups are there at a time.
    return result + shrinking + inside
      + min(whole, (Double(plan.window) + 512) * bytesPerRow + Self.rollingSlack)
  }

  private var webp: Double {
    let isLossless = layout.isLossless || !layout.isKnown
    // Besides its output, libwebp holds all pixels of lossless pictures; of lossy ones some rows, and the alpha plane
    // with its intermediate data.
    let alpha = info.hasAlpha ? 5 * Self.pixels(decoded) : 0
    let inside = 128 * Double(decoded.width) + max(isLossless ? 4 * Self.pixels(decoded) : 0, alpha)
    // An incremental decode holds the delivered picture as well.
    let all = input == .fed ? 2 * whole : whole
    guard isStreamed, let plan else { return all + inside + (layout.isKnown ? 0 : result + shrinking) }
    // A single byte of a lossless picture may complete all of its rows at once.
    let rows = isLossless ? whole : (Double(plan.window) + 256) * bytesPerRow + Self.rollingSlack
    return result + shrinking + inside + min(whole, rows)
  }
}

extension DecodeOptions {
  /// Predicts the processor time of a decode with these options, to tell short work from long.
  ///
  /// The prediction comes from measurements of photographs on one machine and is typically right to a factor of two or
  /// three; properties that only the compressed data reveal are not included. ``transforms`` are not counted, except
  /// for a resize at the beginning.
  ///
  /// - Complexity: O(sides of a thumbnail).
  public func predictedDuration(for info: ImageInfo) -> Duration {
    DecodeWork(self, info)?.duration ?? .seconds(Int64.max)
  }
}

extension DecodeWork {
  /// Nanoseconds of a decode of a single pixel, with all fixed costs.
  private static let base = 20_000.0
  /// Nanoseconds of resampling and tone mapping for each source pixel, and of colour conversion and rotation for each
  /// pixel of the result.
  private static let shrinking = 2.2, mapping = 8.0, converting = 4.0, turning = 1.0

  var duration: Duration {
    let source = Self.pixels(info.size)
    let result = thumbnail.map(Self.pixels) ?? Self.pixels(decoded)
    var nanoseconds = Self.base + source * nanosecondsPerPixel
    if thumbnail != nil, info.format != .svg { nanoseconds += Self.pixels(decoded) * Self.shrinking }
    if options.mapsTones(of: info.dynamicRange) {
      nanoseconds += Self.pixels(decoded) * Self.mapping
    } else if layout.hasProfile, options.colors == .sRGB {
      nanoseconds += result * Self.converting
    }
    if options.appliesOrientation, info.orientation != .topLeft { nanoseconds += result * Self.turning }
    return .nanoseconds(Int64(min(nanoseconds, 0x1p62)))
  }

  /// Nanoseconds of the decoder alone for each source pixel.
  private var nanosecondsPerPixel: Double {
    switch info.format {
    case .jpeg:
      let samples = layout.samplesPerPixel
      // All coefficients are read at every scale; with several scans, reading them dominates the time.
      if layout.coefficientByteCount > 0 { return 4 + 5 * samples }
      return 0.85 * samples + (0.5 + 0.95 * samples) / Double(denominator * denominator)
    case .png, .apng:
      return layout.isKnown ? 3.3 * Double(layout.inflatedByteCount) / max(1, Self.pixels(info.size)) : 10
    case .webp: return layout.isLossless ? 23 : info.hasAlpha ? 15 : 10
    case .gif: return 5.5
    case .bmp: return 1
    case .jxl: return layout.isLossless ? 170 : 30
    case .qoi: return 4
    case .svg: return 25
    case .avif: return (info.bitDepth > 8 ? 20 : 10) * (info.hasAlpha ? 1.5 : 1)
    case .heif: return (info.bitDepth > 8 ? 70 : 33) * (info.hasAlpha ? 1.5 : 1)
    default: return 10
    }
  }
}
