extension CoderRegistry {
  /// Returns a decoder that takes bytes as they arrive, and has the result of ``decode(_:options:)``.
  public func makeIncrementalDecoder(options: DecodeOptions = DecodeOptions()) -> IncrementalDecoder {
    IncrementalDecoder(coders: self, options: options)
  }
}
