@testable import CalotypeImaging
import FoundationEssentials

extension DecoderCheck {
  /// Decodes everything at once.
  func decodeWhole() throws {
    let info = try Promises.result { () throws(ImagingError) in
      try decoder.probe(data, limits: options.limits)
    }
    let minimumSize = try? options.minimumDecodeSize(for: info.get())
    let first = try decode(minimumSize, options)
    guard case .success(let image) = first else { return try allowingPartial(after: first, minimumSize) }
    try Promises.check(image.bitmap, options.limits)
    try FuzzFailure.unless(options.allowsPartial || !image.isPartial, "a partial image that nobody allowed")
    guard case .success(let info) = info else { throw FuzzFailure("decoded, but not probed: \(info)") }
    let marked = info.marked(image.isDamaged ? .damaged : [])
    try FuzzFailure.unless(image.info == marked, "decode says \(image.info as Any), probe \(info)")
    try checkSize(image, info, minimumSize)
    if input.choices.contains(.looksAround) { try again(image, minimumSize) }
    if options.thumbnail != nil { try throughRegistry() }
  }

  private func decode(
    _ minimumSize: PixelSize?, _ options: DecodeOptions
  ) throws(FuzzFailure) -> Result<Image, ImagingError> {
    try Promises.result { () throws(ImagingError) in
      try decoder.decode(data, minimumSize: minimumSize, options: options)
    }
  }

  private func checkSize(_ image: Image, _ info: ImageInfo, _ minimumSize: PixelSize?) throws(FuzzFailure) {
    guard let minimumSize else {
      return try FuzzFailure.unless(image.bitmap.size == info.size, "\(image.bitmap.size) of \(info.size)")
    }
    try FuzzFailure.unless(
      image.width >= minimumSize.width && image.height >= minimumSize.height
        && image.width <= info.size.width && image.height <= info.size.height,
      "\(image.bitmap.size) where at least \(minimumSize) of \(info.size) was asked for")
  }

  /// The same pixels come again, whatever was in the memory before, and whether or not damage would be forgiven.
  private func again(_ image: Image, _ minimumSize: PixelSize?) throws {
    Promises.soilPool(like: image.bitmap, with: 0xA5)
    try Promises.checkSame(try decode(minimumSize, options).get(), image, "decoded twice")
    guard !image.isPartial else { return }
    var other = options
    other.allowsPartial.toggle()
    guard case .success(let same) = try decode(minimumSize, other) else {
      throw FuzzFailure("whole or not, depending on whether partial images are allowed")
    }
    try Promises.checkSame(same, image, "decoded with and without partial images allowed")
  }

  /// What is damaged may give a partial image, and nothing else.
  private func allowingPartial(after failure: Result<Image, ImagingError>, _ minimumSize: PixelSize?) throws {
    guard input.choices.contains(.looksAround), !options.allowsPartial else { return }
    var other = options
    other.allowsPartial = true
    guard case .success(let image) = try decode(minimumSize, other) else { return }
    try FuzzFailure.unless(image.isPartial, "an error (\(failure)), or a whole image")
    try Promises.check(image.bitmap, options.limits)
    Promises.soilPool(like: image.bitmap, with: 0x5A)
    try Promises.checkSame(try decode(minimumSize, other).get(), image, "a partial image, decoded twice")
  }

  private func throughRegistry() throws {
    var options = options
    options.appliesOrientation = input.choices.contains(.looksAround)
    // The registry may not take the bytes for this format.
    let listed = try Promises.result { () throws(ImagingError) in
      try CoderRegistry.standard.decode(data, options: options)
    }
    if case .success(let image) = listed { try Promises.check(image.bitmap, options.limits) }
    let result = try Promises.result { () throws(ImagingError) in
      let info = try decoder.checkedInfo(of: data, page: options.page, limits: options.limits)
      return try decoder.image(of: data, info: info, options: options)
    }
    let whole = try Promises.result { () throws(ImagingError) -> Image in
      let info = try decoder.checkedInfo(of: data, page: options.page, limits: options.limits)
      let image = try decoder.decode(
        data, minimumSize: try options.minimumDecodeSize(for: info), options: options)
      return try PostDecode(info: info, options: options).finished(image)
    }
    switch (result, whole) {
    case (.success(let image), .success(let whole)):
      try Promises.check(image.bitmap, options.limits)
      try Promises.checkSame(image, whole, "shrunk while decoding and afterwards")
    case (.success(let image), .failure(let error)):
      // Rows of PNG are inflated by a library that takes more for sound.
      let isPNG = decoder is PNGDecoder
      try FuzzFailure.unless(isPNG, "shrunk to \(image.bitmap.size), but whole: \(error)")
    case (.failure(let error), .success):
      throw FuzzFailure("decoded whole, but shrunk: \(error)")
    case (.failure, .failure): break
    }
    try planes(like: result)
  }

  /// Planes have the size and the flaws of pixels, the same each time; their samples may differ.
  private func planes(like pixels: Result<Image, ImagingError>) throws {
    var options = options
    options.appliesOrientation = input.choices.contains(.looksAround)
    options.thumbnail?.effort = .balanced
    guard decoder is JPEGDecoder else { return }
    func decode() throws -> Result<Image, ImagingError> {
      try Promises.result { () throws(ImagingError) in
        let info = try decoder.checkedInfo(of: data, page: options.page, limits: options.limits)
        return try decoder.image(of: data, info: info, options: options)
      }
    }
    let first = try decode()
    switch (first, pixels) {
    case (.success(let image), .success(let other)):
      try Promises.check(image.bitmap, options.limits)
      try FuzzFailure.unless(
        image.bitmap.size == other.bitmap.size && image.isPartial == other.isPartial,
        "planes: \(image.bitmap.size), \(image.isPartial), pixels: \(other.bitmap.size), \(other.isPartial)")
      Promises.soilPool(like: image.bitmap, with: 0xA5)
      try Promises.checkSame(try decode().get(), image, "planes, decoded twice")
    case (.failure, .failure): break
    default: throw FuzzFailure("planes: \(first), pixels: \(pixels)")
    }
  }
}
