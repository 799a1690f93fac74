public import CalotypeImaging

/// The choice of an output format by the `Accept` field of a request and the content of the image.
///
/// Among the candidates that can hold the content, the one with the highest weight wins; on equal weight the
/// one that suits a photo or a drawing, then the earlier one. A header that excludes all candidates is
/// disregarded, as RFC 9110 §12.5.1 allows, in favour of the last candidate that can hold the content.
public struct OutputNegotiation: Hashable, Sendable {
  /// The traits of an image that a format has to suit.
  public struct Content: Hashable, Sendable {
    /// Whether any pixel is not opaque.
    public var hasAlpha: Bool
    /// Whether the image has several frames.
    public var isAnimated: Bool
    /// Whether the image has flat areas and sharp edges, unlike a photo.
    public var isDrawing: Bool

    /// Creates the traits of an image; without arguments, of an opaque, still photo.
    public init(hasAlpha: Bool = false, isAnimated: Bool = false, isDrawing: Bool = false) {
      self.hasAlpha = hasAlpha
      self.isAnimated = isAnimated
      self.isDrawing = isDrawing
    }
  }

  /// The chosen options and their dependence on the request.
  public struct Outcome: Hashable, Sendable {
    /// The options to encode with.
    public let options: EncodeOptions
    /// Whether another `Accept` could have led to other options, so that the response needs `Vary: Accept`.
    public let variesOnAccept: Bool

    /// Creates an outcome.
    init(options: EncodeOptions, variesOnAccept: Bool) {
      (self.options, self.variesOnAccept) = (options, variesOnAccept)
    }
  }

  private struct Candidate: Hashable, Sendable {
    let options: EncodeOptions
    let mimeType: String
    let quality: Int
  }

  private let candidates: [Candidate]
  /// The candidates in the order of preference.
  var options: [EncodeOptions] { candidates.map(\.options) }
  /// The candidates with the weights of the header.
  var weighted: [(options: EncodeOptions, quality: Int)] { candidates.map { ($0.options, $0.quality) } }

  /// Returns the negotiation for an `Accept` field: ``init(accept:among:)-(String?,_)``.
  public static func negotiated(
    accept: String?, among candidates: [EncodeOptions] = [.webp(), .png, .jpeg()]
  ) -> OutputNegotiation {
    OutputNegotiation(accept: accept, among: candidates)
  }

  /// Weighs the candidates.
  ///
  /// - Parameters:
  ///   - accept: The `Accept` field of the request, its lines joined by commas; `nil` if there is none.
  ///   - candidates: The possible outputs in the server's order of preference, the most compatible one last.
  public init(accept: String?, among candidates: [EncodeOptions]) {
    self.init(accept: AcceptHeader(accept), among: candidates)
  }

  /// Weighs the candidates by a header that has been read.
  public init(accept: AcceptHeader, among candidates: [EncodeOptions]) {
    self.candidates = candidates.map { options in
      // Only `*/*` and its own name include the type of a custom format.
      let mimeType = options.format.mimeType ?? "application/octet-stream"
      return Candidate(options: options, mimeType: mimeType, quality: accept.quality(of: mimeType))
    }
  }

  /// Returns the choice for a content; `nil` if there are no candidates.
  public func outcome(for content: Content) -> Outcome? {
    let able = Ability(candidates, content)
    guard let fallback = candidates.last(where: able.includes) else { return nil }
    let choice = choice(for: content) { $0.quality > 0 } ?? fallback
    return Outcome(options: choice.options, variesOnAccept: varies(for: content, fallback: fallback))
  }

  /// Each media type can be the only acceptable one, so two types always vary. With one type, only its being
  /// accepted or not makes a difference.
  private func varies(for content: Content, fallback: Candidate) -> Bool {
    if let first = candidates.first, candidates.contains(where: { $0.mimeType != first.mimeType }) {
      return true
    }
    return choice(for: content) { _ in true }?.options != fallback.options
  }

  private func choice(for content: Content, among isAcceptable: (Candidate) -> Bool) -> Candidate? {
    let able = Ability(candidates, content, isAcceptable)
    var highest = Int.min
    var hasLossless = false
    for candidate in candidates where isAcceptable(candidate) && able.includes(candidate) {
      if candidate.quality > highest { (highest, hasLossless) = (candidate.quality, false) }
      if candidate.quality == highest, candidate.options.keepsEveryPixel { hasLossless = true }
    }
    func isBest(_ candidate: Candidate) -> Bool {
      candidate.quality == highest && isAcceptable(candidate) && able.includes(candidate)
    }
    if content.isDrawing {
      return candidates.first { isBest($0) && (!hasLossless || $0.options.format != .jpeg) }
    }
    return candidates.first { isBest($0) && $0.options.suitsPhotos } ?? candidates.first(where: isBest)
  }

  /// The ability of candidates to hold a content. Motion counts before transparency, and a demand that none can meet is
  /// dropped.
  private struct Ability {
    private let content: Content
    private var mindsMotion = true
    private var mindsAlpha = true

    init(
      _ candidates: [Candidate], _ content: Content, _ isAcceptable: (Candidate) -> Bool = { _ in true }
    ) {
      self.content = content
      mindsAlpha = false
      mindsMotion = candidates.contains { isAcceptable($0) && holdsMotion($0) }
      mindsAlpha =
        content.hasAlpha
        && candidates.contains { isAcceptable($0) && includes($0) && $0.options.format.holdsAlpha }
    }

    func includes(_ candidate: Candidate) -> Bool {
      (!mindsMotion || holdsMotion(candidate)) && (!mindsAlpha || candidate.options.format.holdsAlpha)
    }

    private func holdsMotion(_ candidate: Candidate) -> Bool {
      content.isAnimated ? candidate.options.format.holdsAnimations : candidate.options.format != .apng
    }
  }
}

extension ImageFormat {
  /// Whether a file of the format can have several frames.
  var holdsAnimations: Bool { [.webp, .gif, .apng, .avif, .jxl].contains(self) }
  fileprivate var holdsAlpha: Bool { self != .jpeg }
}

extension EncodeOptions {
  fileprivate var keepsEveryPixel: Bool {
    switch format {
    case .png, .apng, .qoi, .bmp, .ico: true
    case .jpeg, .gif: false
    default: isLossless
    }
  }
  /// A photo suffers from a palette, and is large without loss.
  fileprivate var suitsPhotos: Bool { !keepsEveryPixel && format != .gif }
}
