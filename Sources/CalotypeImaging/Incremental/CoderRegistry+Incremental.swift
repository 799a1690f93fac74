extension CoderRegistry {
  /// A decoder that is fed while the bytes arrive, and delivers what ``decode(_:options:)`` would.
  public func makeIncrementalDecoder(options: DecodeOptions = DecodeOptions()) -> IncrementalDecoder {
    IncrementalDecoder(coders: self, options: options)
  }
}
