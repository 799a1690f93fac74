import CalotypeImaging

extension WireWriter {
  mutating func write(_ value: ImageInfo) {
    write(value.format.rawValue)
    write(value.size)
    write(value.frameCount)
    write(value.loopCount)
    write(value.durations) { $0.write($1) }
    write(value.hasAlpha)
    write(value.bitDepth)
    write(value.orientation.rawValue)
    write(value.colorProfile) { $0.write($1) }
    write(value.pageCount)
    write(value.hasGainMap)
    write(value.isVector)
    write(value.dynamicRange.rawValue)
    write(value.isDamaged)
    write(value.layout)
  }

  private mutating func write(_ value: ImageInfo.Layout) {
    write(value.isKnown)
    write(value.samplesPerPixel)
    write(value.coefficientByteCount)
    write(value.needsCanvas)
    write(value.isLossless)
    write(value.inflatedByteCount)
    write(value.scatteredByteCount)
    write(value.hasProfile)
    write(value.frames.totalPixelCount)
    write(value.frames.largestPixelCount)
    write(value.frames.besidePixelCount)
    write(value.frames.isAnyLossless)
  }

  mutating func write(_ value: ImageHeader) {
    write(value.info)
    write(value.hasAllFrames)
  }
}

extension WireReader {
  /// The longest duration of a frame: no format has more than 2³² seconds.
  private static let longestDuration = Duration.seconds(1 << 33)

  /// Returns a description within the limits.
  mutating func info(within limits: DecodeLimits) throws(WireError) -> ImageInfo {
    let format = try format()
    guard format.rawValue.utf8.count <= 32 else {
      throw WireError(reason: "the name of a format is too long")
    }
    let size = try size()
    let frameCount = try int(in: 1...max(1, limits.maxFrames), "the number of frames")
    let loopCount = try int(in: 0...Int(UInt32.max), "the number of plays")
    let durations = try array(atMost: max(1, limits.maxFrames)) { reader throws(WireError) in
      try reader.duration()
    }
    var info = ImageInfo(
      format: format, size: size, frameCount: frameCount, loopCount: loopCount, durations: durations,
      hasAlpha: try bool(), bitDepth: try int(in: 1...64, "the bit depth"), orientation: try orientation(),
      colorProfile: try optional { reader throws(WireError) in try reader.string() },
      pageCount: try int(in: 1...max(1, limits.maxPages), "the number of pages"), hasGainMap: try bool(),
      isVector: try bool(), dynamicRange: try choice(), isDamaged: try bool())
    info.layout = try layout()
    do throws(ImagingError) {
      try limits.check(size: size, format: format)
    } catch {
      throw WireError(reason: "the size exceeds the limits")
    }
    // Sums of durations do not overflow.
    guard info.durations.allSatisfy({ $0 >= .zero && $0 <= Self.longestDuration }),
      info.durations.count <= info.frameCount, (info.colorProfile?.utf8.count ?? 0) <= 1 << 16
    else {
      throw WireError(reason: "the description of an image is out of range")
    }
    return info
  }

  mutating func orientation() throws(WireError) -> Orientation {
    guard let orientation = Orientation(rawValue: try int()) else {
      throw WireError(reason: "there is no such orientation")
    }
    return orientation
  }

  private mutating func layout() throws(WireError) -> ImageInfo.Layout {
    func count(_ reader: inout WireReader) throws(WireError) -> Int {
      try reader.int(in: 0...Int.max, "a count of the layout")
    }
    var layout = ImageInfo.Layout()
    layout.isKnown = try bool()
    layout.samplesPerPixel = try double()
    guard layout.samplesPerPixel >= 0, layout.samplesPerPixel <= 64 else {
      throw WireError(reason: "there are \(layout.samplesPerPixel) samples per pixel")
    }
    layout.coefficientByteCount = try count(&self)
    layout.needsCanvas = try bool()
    layout.isLossless = try bool()
    layout.inflatedByteCount = try count(&self)
    layout.scatteredByteCount = try count(&self)
    layout.hasProfile = try bool()
    layout.frames.totalPixelCount = try count(&self)
    layout.frames.largestPixelCount = try count(&self)
    layout.frames.besidePixelCount = try count(&self)
    layout.frames.isAnyLossless = try bool()
    return layout
  }

  mutating func header(within limits: DecodeLimits) throws(WireError) -> ImageHeader {
    ImageHeader(info: try info(within: limits), hasAllFrames: try bool())
  }
}
