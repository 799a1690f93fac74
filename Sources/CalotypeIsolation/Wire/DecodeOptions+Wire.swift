import CalotypeImaging

extension WireWriter {
  mutating func write(_ value: PixelSize) {
    write(value.width)
    write(value.height)
  }

  mutating func write(_ value: Thumbnail) {
    write(value.box)
    write(value.mode.rawValue)
    write(value.anchor.description)
    write(value.filter.rawValue)
    write(value.effort.rawValue)
    write(value.linearLight)
  }

  mutating func write(_ value: DecodeLimits) {
    for number in [
      value.maxPixels, value.maxSide, value.maxFrames, value.maxBytes, value.maxScans, value.maxTotalPixels,
      value.maxChunkBytes, value.maxItems, value.maxTextBytes, value.maxPages, value.maxMemoryBytes,
      value.maxExpansion,
    ] { write(number) }
    write(value.maxDuration)
  }

  /// Writes options, without transforms.
  mutating func write(_ value: DecodeOptions) {
    write(value.limits)
    write(value.appliesOrientation)
    write(value.allowsPartial)
    write(value.damage.rawValue)
    write(value.thumbnail) { $0.write($1) }
    write(value.maxPixels) { $0.write($1) }
    write(value.page)
    write(value.vectorSize) { writer, size in
      switch size {
      case .scale(let factor):
        writer.write(true)
        writer.write(factor)
      case .box(let box):
        writer.write(false)
        writer.write(box)
      }
    }
    write(value.pixels.rawValue)
    write(value.colors.rawValue)
    write(value.toneMapping.rawValue)
    write(value.formatHint) { $0.write($1.rawValue) }
    write(value.readsMetadata)
    write(value.extras.sorted { $0.key < $1.key }) {
      $0.write($1.key)
      $0.write($1.value)
    }
  }
}

extension WireReader {
  mutating func size() throws(WireError) -> PixelSize { PixelSize(width: try int(), height: try int()) }

  mutating func format() throws(WireError) -> ImageFormat { ImageFormat(rawValue: try string()) }

  mutating func thumbnail() throws(WireError) -> Thumbnail {
    let box = try size()
    let mode = try choice(Thumbnail.Mode.self)
    guard let anchor = Anchor(try string()) else { throw WireError(reason: "there is no such anchor") }
    return Thumbnail(
      box: box, mode: mode, anchor: anchor, filter: try choice(), effort: try choice(),
      linearLight: try bool())
  }

  mutating func limits() throws(WireError) -> DecodeLimits {
    DecodeLimits(
      maxPixels: try int(), maxSide: try int(), maxFrames: try int(), maxBytes: try int(),
      maxScans: try int(), maxTotalPixels: try int(), maxChunkBytes: try int(), maxItems: try int(),
      maxTextBytes: try int(), maxPages: try int(), maxMemoryBytes: try int(), maxExpansion: try int(),
      maxDuration: try duration())
  }

  mutating func options() throws(WireError) -> DecodeOptions {
    var options = DecodeOptions(limits: try limits())
    options.appliesOrientation = try bool()
    options.allowsPartial = try bool()
    options.damage = try choice()
    options.thumbnail = try optional { reader throws(WireError) in try reader.thumbnail() }
    options.maxPixels = try optional { reader throws(WireError) in try reader.int() }
    options.page = try int()
    options.vectorSize = try optional { reader throws(WireError) in
      try reader.bool() ? .scale(try reader.double()) : .box(try reader.size())
    }
    options.pixels = try choice()
    options.colors = try choice()
    options.toneMapping = try choice()
    options.formatHint = try optional { reader throws(WireError) in try reader.format() }
    options.readsMetadata = try bool()
    let extras = try array(atMost: 1 << 12) { reader throws(WireError) in
      (key: try reader.string(), value: try reader.string())
    }
    for extra in extras { options.extras[extra.key] = extra.value }
    return options
  }
}
