import CalotypeImaging
import Synchronization

/// Weighed candidates of an ``OutputNegotiation``, with the choices that were made among them.
final class NegotiationTable: Sendable {
  typealias Content = OutputNegotiation.Content

  /// A chosen candidate and its dependence on the header.
  struct Choice: Hashable, Sendable {
    /// The place among the candidates.
    let index: Int
    let variesOnAccept: Bool
  }

  private struct Candidate: Sendable {
    let index: Int
    let format: ImageFormat
    let mimeType: String
    let quality: Int
    let keepsEveryPixel: Bool
  }

  /// The candidates in the order of preference.
  let options: [EncodeOptions]
  /// The hashes of the candidates, for keys of caches in memory.
  let hashes: [Int]
  private let candidates: [Candidate]
  /// The choices for the eight contents, a byte each: 0 if it was not made yet, otherwise the index plus one in the higher
  /// bits and, in the lowest, whether it varies.
  private let made = Atomic<UInt64>(0)

  /// The weights of the candidates, in thousandths.
  var weights: [Int] { candidates.map(\.quality) }

  init(_ accept: AcceptHeader, _ options: [EncodeOptions]) {
    self.options = options
    hashes = options.map(\.hashValue)
    candidates = options.indices.map { index in
      let options = options[index]
      // Only `*/*` and its own name include the type of a custom format.
      let mimeType = options.format.mimeType ?? "application/octet-stream"
      return Candidate(
        index: index, format: options.format, mimeType: mimeType, quality: accept.quality(of: mimeType),
        keepsEveryPixel: options.keepsEveryPixel)
    }
  }

  /// Returns the choice for a content; `nil` if there are no candidates.
  func choice(for content: Content) -> Choice? {
    let shift = UInt64(content.number * 8)
    let known = made.load(ordering: .relaxed) >> shift & 0xFF
    if known > 0 { return Choice(index: Int(known >> 1) - 1, variesOnAccept: known & 1 == 1) }
    guard let choice = makeChoice(for: content) else { return nil }
    let code = UInt64(choice.index + 1) << 1 | (choice.variesOnAccept ? 1 : 0)
    // Other threads add the same bits.
    if code <= 0xFF { made.bitwiseOr(code << shift, ordering: .relaxed) }
    return choice
  }

  private func makeChoice(for content: Content) -> Choice? {
    let able = Ability(candidates, content)
    guard let fallback = candidates.last(where: able.includes) else { return nil }
    let choice = candidate(for: content) { $0.quality > 0 } ?? fallback
    return Choice(index: choice.index, variesOnAccept: varies(for: content, fallback: fallback))
  }

  /// Each media type can be the only acceptable one, so two types always vary. With one type, only its being
  /// accepted or not makes a difference.
  private func varies(for content: Content, fallback: Candidate) -> Bool {
    if let first = candidates.first, candidates.contains(where: { $0.mimeType != first.mimeType }) {
      return true
    }
    guard let other = candidate(for: content, among: { _ in true }) else { return true }
    return options[other.index] != options[fallback.index]
  }

  private func candidate(for content: Content, among isAcceptable: (Candidate) -> Bool) -> Candidate? {
    let able = Ability(candidates, content, isAcceptable)
    var highest = Int.min
    var hasLossless = false
    for candidate in candidates where isAcceptable(candidate) && able.includes(candidate) {
      if candidate.quality > highest { (highest, hasLossless) = (candidate.quality, false) }
      if candidate.quality == highest, candidate.keepsEveryPixel { hasLossless = true }
    }
    func isBest(_ candidate: Candidate) -> Bool {
      candidate.quality == highest && isAcceptable(candidate) && able.includes(candidate)
    }
    if content.isDrawing {
      return candidates.first { isBest($0) && (!hasLossless || $0.format != .jpeg) }
    }
    // A photo suffers from a palette, and is large without loss.
    return candidates.first { isBest($0) && !$0.keepsEveryPixel && $0.format != .gif }
      ?? candidates.first(where: isBest)
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
        content.hasAlpha && candidates.contains { isAcceptable($0) && includes($0) && $0.format.holdsAlpha }
    }

    func includes(_ candidate: Candidate) -> Bool {
      (!mindsMotion || holdsMotion(candidate)) && (!mindsAlpha || candidate.format.holdsAlpha)
    }

    private func holdsMotion(_ candidate: Candidate) -> Bool {
      content.isAnimated ? candidate.format.holdsAnimations : candidate.format != .apng
    }
  }
}

extension OutputNegotiation.Content {
  /// A number from 0 to 7, another for each content.
  fileprivate var number: Int { (hasAlpha ? 1 : 0) | (isAnimated ? 2 : 0) | (isDrawing ? 4 : 0) }
}

extension ImageFormat {
  /// Whether a file of the format can have several frames.
  var holdsAnimations: Bool { [.webp, .gif, .apng, .avif, .jxl].contains(self) }
  fileprivate var holdsAlpha: Bool { self != .jpeg }
}

extension EncodeOptions {
  /// Whether a file that the options may make can have several frames.
  var holdsAnimations: Bool { possibleFormats.contains(where: \.holdsAnimations) }

  fileprivate var keepsEveryPixel: Bool {
    switch format {
    case .png, .apng, .qoi, .bmp, .ico: true
    case .jpeg, .gif: false
    default: isLossless
    }
  }
}
