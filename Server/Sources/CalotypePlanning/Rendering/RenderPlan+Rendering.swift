public import CalotypeImaging
import CalotypeURLs

extension RenderPlan {
  /// Returns the plan in the terms of CalotypeImaging.
  ///
  /// A plan with a ``pendingTrim`` ends with it: plan again with the size of the picture then, and apply
  /// ``transforms(from:watermarks:)`` of the new plan to it.
  ///
  /// - Parameters:
  ///   - info: The header of the source, that of the request.
  ///   - watermarks: The pixels of the watermarks by name.
  /// - Throws: ``RenderingError``.
  public func rendering(
    of info: ImageInfo, watermarks: [String: Bitmap] = [:]
  ) throws(RenderingError) -> Rendering {
    let start = folded(of: info)
    // The transforms see the picture that the decoder makes: stretched to its box, if it has one.
    var mapping = TransformMapping(watermarks: watermarks, picture: start.thumbnail?.box ?? source(of: info))
    var decode = decodeOptions(for: info)
    for operation in start.rest { try mapping.append(operation) }
    decode.transforms = TransformChain(mapping.transforms)
    let missing = approximations(for: info)
    if let essential = missing.filter(\.isEssential).min(by: { $0.rawValue < $1.rawValue }) {
      throw .missing(essential)
    }
    return Rendering(
      decode: decode, pages: pages(of: info), frames: self.decode.frames, encode: try encode.options(),
      approximations: missing)
  }

  /// Returns the transforms of the operations from a position on, for a picture that the operations before it made.
  ///
  /// - Throws: ``RenderingError``.
  public func transforms(
    from position: Int, watermarks: [String: Bitmap] = [:]
  ) throws(RenderingError) -> TransformChain {
    guard position < end else { return [] }
    guard position > 0 else {
      var mapping = TransformMapping(watermarks: watermarks, picture: sizes.first ?? resultSize)
      for operation in operations[..<end] { try mapping.append(operation) }
      return TransformChain(mapping.transforms)
    }
    var mapping = TransformMapping(watermarks: watermarks, picture: sizes[position - 1])
    for operation in operations[position..<end] { try mapping.append(operation) }
    return TransformChain(mapping.transforms)
  }

  /// Returns the options of the decode without transforms.
  public func decodeOptions(for info: ImageInfo) -> DecodeOptions {
    var options = DecodeOptions()
    options.appliesOrientation = decode.appliesOrientation
    if info.pageCount > 1 { options.page = decode.page }
    // The planner has compared the source with the limits of the server.
    let pixels = info.size.pixelCount.multipliedReportingOverflow(by: decode.pages)
    options.limits.maxPixels = max(options.limits.maxPixels, pixels.overflow ? .max : pixels.partialValue)
    options.colors = decode.convertsToSRGB ? .sRGB : .asStored
    options.readsMetadata = decode.readsMetadata
    if decode.frames == nil { options.animationTransforms = .firstFrame }
    options.thumbnail = folded(of: info).thumbnail
    if decode.keepsDepth, operations.isEmpty, options.thumbnail == nil { options.pixels = .native }
    return options
  }

  /// The end of the operations that can be carried out.
  private var end: Int { pendingTrim.map { $0 + 1 } ?? operations.count }

  /// The pages or frames of a still picture, unless the options of a decode suffice.
  private func pages(of info: ImageInfo) -> Range<Int>? {
    guard decode.frames == nil, decode.pages > 1 || (decode.page > 0 && info.pageCount <= 1) else {
      return nil
    }
    return decode.page..<(decode.page + decode.pages)
  }

  /// The upright picture that is decoded, with all of its pages.
  private func source(of info: ImageInfo) -> PixelSize {
    var size = decode.appliesOrientation ? info.orientation.apply(to: info.size) : info.size
    // The number of their pixels was checked by the planner.
    size.height *= decode.pages
    return size
  }

  /// Returns the thumbnail that the decoder makes, and the operations that remain.
  func folded(of info: ImageInfo) -> (thumbnail: Thumbnail?, rest: [PixelOperation]) {
    let source = source(of: info)
    let all = Array(operations[..<end])
    if let drawn = decode.drawnSize {
      return (drawn == source ? nil : Thumbnail(box: drawn, mode: .stretch), all)
    }
    if decode.keepsDepth || decode.pages > 1 { return (nil, all) }
    if case .scale(let scale)? = all.first,
      scale.size.width <= source.width, scale.size.height <= source.height
    {
      let thumbnail = Thumbnail(
        box: scale.size, mode: .stretch, filter: scale.kernel.filter, effort: .balanced,
        linearLight: scale.isLinear)
      return (thumbnail, Array(all.dropFirst()))
    }
    guard decode.divisor > 1, let first = all.first else { return (nil, all) }
    let shrunk = PixelSize(
      width: (source.width - 1) / decode.divisor + 1, height: (source.height - 1) / decode.divisor + 1)
    guard let crop = first.shrunk(from: source, to: shrunk) else { return (nil, all) }
    return (Thumbnail(box: shrunk, mode: .stretch), [crop] + all.dropFirst())
  }

  /// Returns the primitives of decoding and encoding in whose place something similar is done.
  ///
  /// - Parameter info: The header of the source.
  public func approximations(for info: ImageInfo) -> Set<MissingPrimitive> {
    var missing = encode.missingPrimitives
    if decode.usesEmbeddedThumbnail { missing.insert(.embeddedThumbnail) }
    if decode.keepsDepth, !operations.isEmpty { missing.insert(.deepPixels) }
    return missing
  }
}

extension PixelOperation {
  /// Returns the crop of a picture that was decoded at another size; `nil` for other operations.
  fileprivate func shrunk(from source: PixelSize, to shrunk: PixelSize) -> PixelOperation? {
    func scaled(_ length: Int, _ whole: Int, _ side: Int) -> Int {
      Rounding.scaled(length, by: Double(side) / Double(whole))
    }
    func box(_ size: PixelSize) -> PixelSize {
      PixelSize(
        width: min(shrunk.width, max(1, scaled(size.width, source.width, shrunk.width))),
        height: min(shrunk.height, max(1, scaled(size.height, source.height, shrunk.height))))
    }
    switch self {
    case .smartCrop(let size): return .smartCrop(box(size))
    case .crop(let region):
      let size = box(region.size)
      let x = min(scaled(region.origin.x, source.width, shrunk.width), shrunk.width - size.width)
      let y = min(scaled(region.origin.y, source.height, shrunk.height), shrunk.height - size.height)
      return .crop(PixelRegion(origin: PixelPoint(x: x, y: y), size: size))
    default: return nil
    }
  }
}
