import CalotypeImaging
import FoundationEssentials

/// A picture in shared memory and its description, as one process tells another.
struct ImageMessage {
  var size: PixelSize
  var format: PixelFormat
  var isOpaque: Bool
  /// The position of the pixels in shared memory.
  var offset: Int
  var info: ImageInfo?
  var orientation: Orientation
  var isPartial: Bool
  var profile: ColorProfile?
  var metadata: ImageMetadata

  /// Describes an opaque picture of one row at the beginning of shared memory.
  init(info: ImageInfo) {
    self.init(
      size: info.size, format: .rgba8, isOpaque: true, offset: 0, info: info, orientation: .topLeft,
      isPartial: false, profile: nil, exif: nil, xmp: nil)
  }

  /// Describes an image whose pixels are at an offset.
  init(_ image: Image, at offset: Int) {
    size = image.size
    format = image.bitmap.format
    isOpaque = image.bitmap.isOpaque
    self.offset = offset
    info = image.info
    orientation = image.orientation
    isPartial = image.isPartial
    profile = image.profile
    metadata = image.metadata
  }
}

extension PixelFormat {
  /// The formats by their numbers in messages.
  fileprivate static let numbered: [PixelFormat] = [.rgba8, .rgba16, .gray8, .cmyk8]
}

extension WireWriter {
  mutating func write(_ value: ImageMessage) {
    write(value.size)
    write(UInt8(PixelFormat.numbered.firstIndex(of: value.format) ?? 0))
    write(value.isOpaque)
    write(value.offset)
    write(value.info) { $0.write($1) }
    write(value.orientation.rawValue)
    write(value.isPartial)
    write(value.profile) { $0.write($1) }
    write(value.metadata.exif) { $0.write($1) }
    write(value.metadata.xmp) { $0.write($1) }
  }
}

extension WireReader {
  /// Reads the description of a picture, and checks it against the options and the shared memory.
  mutating func image(for options: DecodeOptions, capacity: Int) throws(WireError) -> ImageMessage {
    try ImageMessage(
      size: try size(), format: try pixelFormat(), isOpaque: try bool(), offset: try int(),
      info: try optional { reader throws(WireError) in try reader.info(within: options.limits) },
      orientation: try orientation(), isPartial: try bool(),
      profile: try optional { reader throws(WireError) in try reader.profile() },
      exif: try optional { reader throws(WireError) in try reader.data() },
      xmp: try optional { reader throws(WireError) in try reader.data() }
    )
    .checked(for: options, capacity: capacity)
  }

  private mutating func pixelFormat() throws(WireError) -> PixelFormat {
    let number = Int(try byte())
    guard PixelFormat.numbered.indices.contains(number) else {
      throw WireError(reason: "there is no such format of pixels")
    }
    return PixelFormat.numbered[number]
  }
}

extension ImageMessage {
  fileprivate init(
    size: PixelSize, format: PixelFormat, isOpaque: Bool, offset: Int, info: ImageInfo?,
    orientation: Orientation, isPartial: Bool, profile: ColorProfile?, exif: Data?, xmp: Data?
  ) {
    self.size = size
    self.format = format
    self.isOpaque = isOpaque
    self.offset = offset
    self.info = info
    self.orientation = orientation
    self.isPartial = isPartial
    self.profile = profile
    metadata = ImageMetadata(exif: exif, xmp: xmp)
  }

  /// - Throws: ``WireError`` for a picture that the options do not ask for, or that is not in shared memory.
  fileprivate func checked(
    for options: DecodeOptions, capacity: Int
  ) throws(WireError) -> ImageMessage {
    guard let info else { throw WireError(reason: "a picture has no description") }
    guard size == options.outputSize(for: info), size.width > 0, size.height > 0 else {
      throw WireError(reason: "a picture has \(size) pixels instead of \(options.outputSize(for: info))")
    }
    guard format == .rgba8 || options.pixels == .native && format != .cmyk8 else {
      throw WireError(reason: "a picture has the format \(format)")
    }
    let (count, overflow) = size.pixelCount.multipliedReportingOverflow(by: format.bytesPerPixel)
    guard !overflow, offset >= 0, offset <= capacity, count <= capacity - offset else {
      throw WireError(reason: "a picture does not lie in shared memory")
    }
    guard !options.appliesOrientation || orientation == .topLeft else {
      throw WireError(reason: "a picture is not upright")
    }
    return self
  }
}
