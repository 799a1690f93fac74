import CalotypeImaging

/// The requested form of an encoded image: known options, or a choice that depends on the content.
enum EncodedOutput: Sendable {
  case options(EncodeOptions)
  case negotiated(OutputNegotiation)

  /// The options that may be chosen.
  var candidates: [EncodeOptions] {
    switch self {
    case .options(let options): [options]
    case .negotiated(let negotiation): negotiation.options
    }
  }

  /// Returns the choice for a content; `nil` without candidates.
  func choice(for content: OutputNegotiation.Content) -> OutputNegotiation.Outcome? {
    switch self {
    case .options(let options): OutputNegotiation.Outcome(options: options, variesOnAccept: false)
    case .negotiated(let negotiation): negotiation.outcome(for: content)
    }
  }

  /// The identity of the choice, regardless of the content.
  var identity: String {
    switch self {
    case .options(let options): "encoded \(options.identity)\n"
    case .negotiated(let negotiation):
      "encoded negotiated"
        + negotiation.weighted.map { "\n\($0.options.identity) \($0.quality)" }.joined() + "\n"
    }
  }
}
