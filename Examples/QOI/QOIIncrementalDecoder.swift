import CalotypeImaging
import FoundationEssentials

/// Decodes QOI as its bytes come. Memory grows with the pixels that have come, not with what the header announces.
final class QOIIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private let clock: DecodeLimits.Stopwatch
  private var header: QOIHeader?
  /// Bytes of a chunk, header or end marker that has not come whole.
  private var pending: [UInt8] = []
  private var pixels: [UInt8] = []
  private var pixelCount = 0
  private var isOpaque = true
  private var previous = QOIPixel.start
  private var seen = Array(repeating: QOIPixel.zero, count: 64)
  private var marker = 0
  private var byteCount = 0
  private var shownCount = 0
  /// Damage that a partial image may end at.
  private var damage: ImagingError?

  init(options: DecodeOptions) {
    self.options = options
    clock = DecodeLimits.Stopwatch(options.limits)
  }

  var info: ImageInfo? { header?.info }

  var completeFrameCount: Int { 0 }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    throw .invalidParameter(name: "frame", reason: "QOI has no animations")
  }

  func append(_ chunk: Data) throws(ImagingError) {
    byteCount += chunk.count
    guard damage == nil else { return }
    try clock.run { (watch) throws(ImagingError) in
      try watch.check()
      try take(chunk, watch)
    }
  }

  private func take(_ chunk: Data, _ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) {
    var bytes = chunk[...]
    if header == nil {
      let wanted = QOIHeader.byteCount - pending.count
      pending += bytes.prefix(wanted)
      bytes = bytes.dropFirst(wanted)
      guard pending.count == QOIHeader.byteCount else { return }
      let header = try QOIHeader(Data(pending))
      try options.limits.check(size: header.size, format: .qoi)
      self.header = header
      pending = []
    }
    guard let total = header?.size.pixelCount else { return }
    do {
      var steps = 0
      for byte in bytes {
        guard marker < QOITag.end.count else { return }
        if pixelCount == total { try takeMarker(byte) } else { take(byte, total: total) }
        steps &+= 1
        if steps & 0xFFFF == 0 { try watch.check() }
      }
    } catch .corrupt(let format, let reason, let offset) {
      let error = ImagingError.corrupt(format, reason: reason, offset: offset)
      guard keepsPartial else { throw error }
      damage = error
    }
  }

  func snapshot() throws(ImagingError) -> Image? {
    guard let header, pixelCount > shownCount else { return nil }
    shownCount = pixelCount
    return try image(header, isPartial: true)
  }

  func finish() throws(ImagingError) -> Image {
    if Task.isCancelled { throw .cancelled }
    guard byteCount > 0 else { throw .emptyInput }
    guard let header else {
      _ = try QOIHeader(Data(pending))
      throw .truncated(.qoi, byteCount: byteCount)
    }
    let isWhole = marker == QOITag.end.count && damage == nil
    guard isWhole || (keepsPartial && pixelCount > 0) else {
      throw damage ?? .truncated(.qoi, byteCount: byteCount)
    }
    return try image(header, isPartial: !isWhole)
  }

  private var keepsPartial: Bool { options.allowsPartial && options.damage == .tolerate }

  private func image(_ header: QOIHeader, isPartial: Bool) throws(ImagingError) -> Image {
    let bitmap = try Bitmap(size: header.size) { target in
      target.copyBytes(from: pixels)
      UnsafeMutableRawBufferPointer(rebasing: target[pixels.count...])
        .initializeMemory(as: UInt8.self, repeating: 0)
      return isOpaque && pixels.count == target.count
    }
    return Image(bitmap: bitmap, info: header.info, isPartial: isPartial, profile: header.profile)
  }

  private func takeMarker(_ byte: UInt8) throws(ImagingError) {
    guard byte == QOITag.end[marker] else {
      throw .corrupt(.qoi, reason: "the end marker is broken", offset: nil)
    }
    marker += 1
  }

  private func take(_ byte: UInt8, total: Int) {
    let tag = pending.first ?? byte
    switch tag {
    case QOITag.rgb, QOITag.rgba:
      pending.append(byte)
      guard pending.count == (tag == QOITag.rgb ? 4 : 5) else { return }
      let alpha = tag == QOITag.rgb ? previous.alpha : pending[4]
      emit(QOIPixel(red: pending[1], green: pending[2], blue: pending[3], alpha: alpha))
      pending.removeAll(keepingCapacity: true)
    default:
      switch tag & 0xC0 {
      case QOITag.index:
        emit(seen[Int(tag)])
      case QOITag.difference:
        var pixel = previous
        pixel.red &+= (tag >> 4 & 3) &- 2
        pixel.green &+= (tag >> 2 & 3) &- 2
        pixel.blue &+= (tag & 3) &- 2
        emit(pixel)
      case QOITag.luma:
        guard !pending.isEmpty else { return pending.append(byte) }
        let green = (tag & 63) &- 32
        var pixel = previous
        pixel.red &+= green &+ (byte >> 4) &- 8
        pixel.green &+= green
        pixel.blue &+= green &+ (byte & 15) &- 8
        emit(pixel)
        pending.removeAll(keepingCapacity: true)
      default:
        // A run may not go beyond the picture; what is too long is cut, as by the reference decoder.
        for _ in 0..<min(Int(tag & 63) + 1, total - pixelCount) { emit(previous) }
      }
    }
  }

  private func emit(_ pixel: QOIPixel) {
    previous = pixel
    seen[pixel.place] = pixel
    // Without an alpha channel in the header the picture is opaque, whatever the chunks say.
    let alpha = header?.channels == 3 ? 255 : pixel.alpha
    isOpaque = isOpaque && alpha == 255
    pixels.append(pixel.red)
    pixels.append(pixel.green)
    pixels.append(pixel.blue)
    pixels.append(alpha)
    pixelCount += 1
  }
}
