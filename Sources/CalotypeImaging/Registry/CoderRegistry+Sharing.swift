package import FoundationEssentials

extension CoderRegistry {
  /// Decodes the first frame at several sizes. The image for each thumbnail, of which `nil` is the full size, is
  /// byte-equal to that of ``decode(_:options:)`` with that ``DecodeOptions/thumbnail``.
  ///
  /// Sizes for which the decoder delivers the same pixels share one decode: sizes of a JPEG with the same scale, all
  /// sizes of PNG, GIF, WebP, BMP and QOI; coders that the program registers decode for each. If all sizes of a decode can be
  /// streamed, they are made in one pass, which takes the rows of the largest filter and the pixels of the results.
  /// Otherwise the decoded picture is in memory, once.
  ///
  /// - Parameters:
  ///   - data: The encoded image.
  ///   - thumbnails: The sizes; the images have the same order.
  ///   - info: The result of ``probe(_:limits:formatHint:page:)`` for the data and the page, so that the header is not
  ///     parsed again.
  ///   - options: All else; its own thumbnail is ignored.
  /// - Throws: What ``decode(_:options:)`` throws for one of them.
  package func decode(
    _ data: Data, thumbnails: [Thumbnail?], info known: ImageInfo? = nil,
    options: DecodeOptions = DecodeOptions()
  ) throws(ImagingError) -> [Image] {
    let variants = thumbnails.map { thumbnail in
      var variant = options
      variant.thumbnail = thumbnail
      return variant
    }
    for variant in variants { try variant.check() }
    guard !variants.isEmpty else { return [] }
    try options.limits.check(byteCount: data.count)
    return try withDecoder(for: data, hint: options.formatHint) { decoder throws(ImagingError) in
      let info =
        if let known { known } else { try decoder.probe(data, page: options.page, limits: options.limits) }
      try options.limits.check(info)
      var groups: [[Int]] = []
      var groupOfDivisor: [Int: Int] = [:]
      for (index, variant) in variants.enumerated() {
        let divisor = try decoder.divisor(for: info, options: variant)
        if let divisor, let group = groupOfDivisor[divisor] {
          groups[group].append(index)
        } else {
          if let divisor { groupOfDivisor[divisor] = groups.count }
          groups.append([index])
        }
      }
      var images = [Image?](repeating: nil, count: variants.count)
      for group in groups {
        let made = try decoder.images(of: data, info: info, variants: group.map { variants[$0] })
        for (index, image) in zip(group, made) { images[index] = image }
      }
      return images.compactMap { $0 }
    }
  }

  /// Returns a number for the decoded pixels of a picture: options with the same number can share them. `nil` if the
  /// decoder does not support sharing.
  package func decodeGroup(
    of data: Data, info: ImageInfo, options: DecodeOptions
  ) throws(ImagingError) -> Int? {
    try withDecoder(for: data, hint: options.formatHint) { decoder throws(ImagingError) in
      try decoder.divisor(for: info, options: options)
    }
  }
}

extension ImageDecoding {
  fileprivate func divisor(for info: ImageInfo, options: DecodeOptions) throws(ImagingError) -> Int? {
    let minimumSize = try options.minimumDecodeSize(for: info)
    return scaleDivisor(for: info.size, minimumSize: minimumSize)
  }
}

extension ImageDecoding {
  /// Returns the first frame according to each of the options, which have the same decoded pixels.
  fileprivate func images(
    of data: Data, info: ImageInfo, variants: [DecodeOptions]
  ) throws(ImagingError) -> [Image] {
    if variants.count > 1 {
      do throws(ImagingError) {
        return try sharing(data, info: info, variants: variants)
      } catch {
        switch error {
        case .cancelled, .limitExceeded: throw error
        // Rows and whole pictures may be refused for different flaws, and need different memory.
        default: break
        }
      }
    }
    return try variants.map { options throws(ImagingError) in
      try image(of: data, info: info, options: options)
    }
  }

  private func sharing(
    _ data: Data, info: ImageInfo, variants: [DecodeOptions]
  ) throws(ImagingError) -> [Image] {
    for variant in variants { try variant.checkMemory(for: info, encodedByteCount: data.count) }
    if let delegated {
      let known = variants.map { variant in
        var known = variant
        if variant.transforms(for: info).isEmpty { known.transforms = [] }
        return known
      }
      let images = try delegated.images(of: data, variants: known)
      return try zip(images, known).map { (image, options) throws(ImagingError) in
        try PostDecode(info: info, options: options, isDelegated: true).finished(image)
      }
    }
    let minimumSize = try variants[0].minimumDecodeSize(for: info)
    let thumbnails = variants.compactMap { $0.decodedThumbnail(for: info) }
    let image: Image
    var bitmaps: [Bitmap] = []
    if thumbnails.count == variants.count {
      let shrinker = RowShrinker(thumbnails, of: info, options: variants[0])
      image = shrinker.finished(
        try decode(data, minimumSize: minimumSize, options: variants[0], shrinkingBy: shrinker))
      bitmaps = shrinker.bitmaps
    } else {
      image = try decode(data, minimumSize: minimumSize, options: variants[0])
    }
    return try variants.indices.map { index throws(ImagingError) in
      let rendition = PostDecode(info: info, options: variants[index])
      guard !bitmaps.isEmpty else { return try rendition.finished(image) }
      return try rendition.finished(image.with(bitmap: bitmaps[index]), isShrunk: true)
    }
  }
}
