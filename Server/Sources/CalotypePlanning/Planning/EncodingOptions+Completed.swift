import CalotypeURLs

extension ProcessingOptions.JPEG {
  /// Returns the same options, with those of a server where none is given.
  func completed(by policy: Self) -> Self {
    var options = self
    options.isProgressive = isProgressive ?? policy.isProgressive
    options.avoidsSubsampling = avoidsSubsampling ?? policy.avoidsSubsampling
    options.usesTrellisQuantization = usesTrellisQuantization ?? policy.usesTrellisQuantization
    options.usesOvershootDeringing = usesOvershootDeringing ?? policy.usesOvershootDeringing
    options.optimizesScans = optimizesScans ?? policy.optimizesScans
    options.quantizationTable = quantizationTable ?? policy.quantizationTable
    return options
  }
}

extension ProcessingOptions.PNG {
  /// Returns the same options, with those of a server where none is given.
  func completed(by policy: Self) -> Self {
    var options = self
    options.isInterlaced = isInterlaced ?? policy.isInterlaced
    options.isQuantized = isQuantized ?? policy.isQuantized
    options.colors = colors ?? policy.colors
    return options
  }
}

extension ProcessingOptions.WebP {
  /// Returns the same options, with those of a server where none is given.
  func completed(by policy: Self) -> Self {
    var options = self
    options.compression = compression ?? policy.compression
    options.usesSmartSubsampling = usesSmartSubsampling ?? policy.usesSmartSubsampling
    options.preset = preset ?? policy.preset
    return options
  }
}

extension ProcessingOptions.AVIF {
  /// Returns the same options, with those of a server where none is given.
  func completed(by policy: Self) -> Self {
    var options = self
    options.subsampling = subsampling ?? policy.subsampling
    return options
  }
}
