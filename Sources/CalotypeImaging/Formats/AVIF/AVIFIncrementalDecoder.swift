#if AVIF
import FoundationEssentials

/// A decoder for AVIF that takes bytes as they arrive. It shows the layers of a layered picture, and the frames of an
/// animation; all other pictures are decoded when they are complete.
final class AVIFIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private let clock: DecodeLimits.Stopwatch
  private let bytes = AppendBuffer()
  private var file: ISOMediaFile?
  /// The information of the whole file.
  private var wholeInfo: ImageInfo?
  /// The permission to allocate memory for the first picture.
  private var grant: DecodeLimits.Grant
  private var layers: AVIFLayers?
  /// The number of layers in the last snapshot.
  private var shownLayers = 0
  private var frames: AVIFFrames?
  private var isFirstFrameShown = false
  private var arrivedFrameCount = 0
  private var isFinished = false

  init(options: DecodeOptions) {
    self.options = options
    clock = DecodeLimits.Stopwatch(options.limits)
    grant = DecodeLimits.Grant(options.limits)
  }

  var info: ImageInfo? {
    guard var info = wholeInfo else { return nil }
    if info.frameCount > 1, !isFinished {
      info.frameCount = max(1, arrivedFrameCount)
      info.durations = Array(info.durations.prefix(info.frameCount))
    }
    return info
  }

  var profile: ColorProfile? { frames?.profile }

  var completedPasses: Int { isFinished || arrivedFrameCount > 0 ? 1 : 0 }

  var completeFrameCount: Int { arrivedFrameCount }

  func append(_ chunk: Data) throws(ImagingError) {
    try bytes.append(chunk, limit: options.limits.maxBytes)
    if file == nil { try readHeader() }
    countFrames()
  }

  private func readHeader() throws(ImagingError) {
    let all = bytes.all.bytes
    guard ImageFormat.sniff(all.extracting(first: ImageFormat.sniffLength)) == .avif else {
      if all.byteCount < ImageFormat.sniffLength { return }
      throw .unrecognizedFormat(hint: nil)
    }
    let found = try ISOMediaFile(all, isWhole: false, format: .avif, limits: options.limits)
    guard let found else { return }
    file = found
    let info = found.info(all, limits: options.limits)
    wholeInfo = info
    if info.frameCount == 1 { layers = AVIFLayers(found, limits: options.limits) }
  }

  /// Counts the frames whose data have arrived, from the first one on.
  private func countFrames() {
    guard let file, let wholeInfo, wholeInfo.frameCount > 1, let track = file.track else { return }
    func has(_ table: SampleTable, _ index: Int) -> Bool {
      table.samples.indices.contains(index) && table.samples[index].upperBound <= bytes.count
    }
    while arrivedFrameCount < wholeInfo.frameCount, has(track.table, arrivedFrameCount),
      file.alphaTrack.map({ has($0.table, arrivedFrameCount) }) ?? true
    {
      arrivedFrameCount += 1
    }
  }

  func snapshot() throws(ImagingError) -> Image? {
    guard let file, let info, try grant.isGiven(for: bytes.count, options.fedByteCount(for: info)) else {
      return nil
    }
    if arrivedFrameCount > 0 {
      guard !isFirstFrameShown else { return nil }
      isFirstFrameShown = true
      return image(try frame(at: 0), profile, info)
    }
    guard let layers, layers.count(in: bytes.count) > shownLayers else { return nil }
    let count = layers.count(in: bytes.count)
    shownLayers = count
    try OptionalLibrary.avif.require()
    return try clock.run { (watch) throws(ImagingError) -> Image? in
      let reader = AVIFPictureReader(file: file, bytes: bytes.all, limits: options.limits, watch: watch)
      guard let pixels = try reader.preview(layers, count: count, options: options) else { return nil }
      return image(try pixels.bitmap(watch), pixels.profile, info)
    }
  }

  private func image(_ bitmap: Bitmap, _ profile: ColorProfile?, _ info: ImageInfo) -> Image {
    Image(bitmap: bitmap, info: info, orientation: info.orientation, isPartial: true, profile: profile)
  }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    guard index >= 0, index < arrivedFrameCount, let file, let wholeInfo else {
      throw .invalidParameter(
        name: "frame", reason: "frame \(index) is not complete; \(arrivedFrameCount) frames are")
    }
    if frames == nil { frames = try makeFrames(file, wholeInfo) }
    guard let frames else { throw .emptyInput }
    return try frames.frame(at: index, in: bytes.all)
  }

  private func makeFrames(_ file: ISOMediaFile, _ info: ImageInfo) throws(ImagingError) -> AVIFFrames {
    try OptionalLibrary.avif.require()
    try options.checkFrames(of: info, encodedByteCount: bytes.count, isFed: true)
    return try AVIFFrames(file, info: info, options: options)
  }

  func finish() throws(ImagingError) -> Image {
    guard bytes.count > 0 else { throw .emptyInput }
    let file = try AVIFFile(bytes.all, limits: options.limits)
    try grant.demand(for: bytes.count, options.fedByteCount(for: file.info))
    let minimumSize = try options.minimumDecodeSize(for: file.info)
    let image = try clock.run { (watch) throws(ImagingError) in
      try watch.check()
      return try file.image(minimumSize: minimumSize, options: options, watch: watch)
    }
    wholeInfo = file.info
    isFinished = true
    return image
  }
}
#endif
