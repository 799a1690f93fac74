public import FoundationEssentials

extension CoderRegistry {
  /// Reads the header of an encoded image, also of a format that is described and not decoded
  /// (``ImageDecoding/refusal(of:)``). Allocates no memory for pixels.
  ///
  /// - Parameters:
  ///   - data: The encoded image.
  ///   - limits: The limits of the image.
  ///   - formatHint: As ``DecodeOptions/formatHint``.
  ///   - page: As ``DecodeOptions/page``.
  /// - Throws: ``ImagingError/emptyInput``, ``ImagingError/unrecognizedFormat(hint:)``,
  ///   ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/limitExceeded(_:value:limit:)``,
  ///   ``ImagingError/invalidParameter(name:reason:)`` if there is no such page, and the errors of the decoder for the
  ///   header.
  public func probe(
    _ data: Data, limits: DecodeLimits = .default, formatHint: ImageFormat? = nil, page: Int = 0
  ) throws(ImagingError) -> ImageInfo {
    try limits.check(byteCount: data.count)
    return try withDecoder(for: data, hint: formatHint, purpose: .header) { decoder throws(ImagingError) in
      try decoder.checkedInfo(of: data, page: page, limits: limits)
    }
  }

  /// Reads the header of an image that is to be decoded.
  ///
  /// - Throws: The errors of ``probe(_:limits:formatHint:page:)``, and ``ImagingError/unsupportedFormat(_:reason:)`` for a
  ///   format that is only described.
  package func decodableInfo(
    of data: Data, limits: DecodeLimits = .default, formatHint: ImageFormat? = nil, page: Int = 0
  ) throws(ImagingError) -> ImageInfo {
    try limits.check(byteCount: data.count)
    return try withDecoder(for: data, hint: formatHint) { decoder throws(ImagingError) in
      try decoder.checkedInfo(of: data, page: page, limits: limits)
    }
  }

  /// Decodes the first frame: upright, in sRGB, shrunk if the options request it.
  ///
  /// A thumbnail is decoded at a smaller scale if the format allows it, then resampled, then converted to sRGB, then
  /// rotated, so that each step processes the fewest pixels.
  ///
  /// - Throws: The errors of ``probe(_:limits:formatHint:page:)``; ``ImagingError/corrupt(_:reason:offset:)`` and
  ///   ``ImagingError/truncated(_:byteCount:)`` unless the options allow partial images;
  ///   ``ImagingError/limitExceeded(_:value:limit:)`` also for the predicted memory of the decode;
  ///   ``ImagingError/invalidParameter(name:reason:)`` for options that exclude each other; ``ImagingError/cancelled``.
  public func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws(ImagingError) -> Image {
    try options.check()
    try options.limits.check(byteCount: data.count)
    return try withDecoder(for: data, hint: options.formatHint) { decoder throws(ImagingError) in
      // One trip to the place of a delegated decoder, if the header does not decide on the options.
      if let delegated = decoder.delegated, options.animationTransforms != .none || options.transforms.isEmpty
      {
        return try delegated.image(of: data, options: options)
      }
      let info = try decoder.checkedInfo(of: data, page: options.page, limits: options.limits)
      return try decoder.image(of: data, info: info, options: options)
    }
  }
}

extension DelegatedDecoder {
  /// Returns the first frame, with the transforms of the options.
  fileprivate func image(of data: Data, options: DecodeOptions) throws(ImagingError) -> Image {
    let image = try decode(data, minimumSize: nil, options: options)
    guard let info = image.info else { return image }
    return try PostDecode(info: info, options: options, isDelegated: true).finished(image)
  }
}

extension ImageDecoding {
  /// Returns the info of an input after checking its limits. They are checked for every coder, so that those of a
  /// program cannot forget them.
  func checkedInfo(of data: Data, page: Int, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let info = try probe(data, page: page, limits: limits)
    try limits.check(info)
    return info
  }

  /// Returns the first frame according to the options, if its memory is within the limits.
  func image(of data: Data, info: ImageInfo, options: DecodeOptions) throws(ImagingError) -> Image {
    try options.checkMemory(for: info, encodedByteCount: data.count)
    if delegated != nil {
      var known = options
      if options.transforms(for: info).isEmpty { known.transforms = [] }
      return try PostDecode(info: info, options: known, isDelegated: true)
        .finished(try decode(data, minimumSize: nil, options: known))
    }
    let minimumSize = try options.minimumDecodeSize(for: info)
    let rendition = PostDecode(info: info, options: options)
    if let thumbnail = options.decodedThumbnail(for: info) {
      let shrinker = RowShrinker([thumbnail], of: info, options: options)
      let image = try decode(
        data, minimumSize: minimumSize, options: options, shrinkingBy: shrinker)
      return try rendition.finished(shrinker.finished(image), isShrunk: shrinker.isUsed)
    }
    let image = try decode(data, minimumSize: minimumSize, options: options)
    return try rendition.finished(image)
  }
}

extension DecodeLimits {
  func check(byteCount: Int) throws(ImagingError) {
    guard byteCount <= maxBytes else { throw .limitExceeded(.bytes, value: byteCount, limit: maxBytes) }
  }

  func check(_ info: ImageInfo) throws(ImagingError) {
    try check(size: info.size, format: info.format)
    try check(frameCount: info.frameCount)
    try check(pageCount: info.pageCount)
  }
}
