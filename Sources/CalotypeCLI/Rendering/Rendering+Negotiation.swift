import Calotype

extension Rendering {
  /// Makes the form of an image that suits an `Accept` field.
  ///
  /// With a disk cache, the form is cached under the URL of the source.
  func negotiated(
    _ negotiation: OutputNegotiation, of source: Source, request: ImageRequest,
    watch: ((LoadEvent) -> Void)?
  ) async throws -> Product {
    var request = request
    request.frames = pixels.wantsFirstFrame ? .first : .all
    guard pipeline.configuration.diskCache != nil else {
      let served = try await served(for: request, watch: watch)
      let info = try await probed(served, request)
      try check(info, for: request)
      var atHand = self.request(for: served, of: source, like: request)
      atHand.frames = request.frames
      let image = try await pipeline.encoded(atHand, as: negotiation)
      var product = Product(image)
      product.describe(info, sourceBytes: served.data.count, pixels)
      product.origin = served.source
      return product
    }
    let start = ContinuousClock.now
    watch?(.queued)
    let image = try await pipeline.encoded(request, as: negotiation)
    watch?(.response(LoadEvent.Response(image, duration: ContinuousClock.now - start)))
    var product = Product(image)
    // Only the original tells how many frames there are.
    let dropsFrames = image.content.isAnimated && !OutputFormat(image.format).holdsAnimations
    if dropsFrames || request.expectedKind != nil {
      var original = request
      if original.cachePolicy == .reload { original.cachePolicy = .ignoreHTTPFreshness }
      let served = try await pipeline.data(for: original)
      let info = try await probed(served, request)
      try check(info, for: request)
      product.describe(info, sourceBytes: served.data.count, pixels)
    }
    return product
  }
}

extension Product {
  /// Adds the facts of the source.
  fileprivate mutating func describe(_ info: ImageInfo, sourceBytes: Int, _ pixels: PixelOptions) {
    self.info = info
    self.sourceBytes = sourceBytes
    droppedPages = pixels.droppedPages(of: info)
    guard !pixels.wantsFirstFrame, info.frameCount > 1,
      !OutputFormat(ImageFormat(rawValue: format)).holdsAnimations
    else {
      return
    }
    droppedFrames = info.frameCount - 1
  }
}
