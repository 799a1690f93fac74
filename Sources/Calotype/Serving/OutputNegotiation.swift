public import CalotypeImaging
public import HTTPTypes

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

  /// The candidates and the choices among them.
  let table: NegotiationTable
  /// The candidates in the order of preference.
  var options: [EncodeOptions] { table.options }
  /// The candidates with the weights of the header.
  var weighted: [(options: EncodeOptions, quality: Int)] {
    zip(table.options, table.weights).map { ($0, $1) }
  }

  private static let recent = RecentNegotiations()

  /// Returns the negotiation for an `Accept` field: ``init(accept:among:)-(String?,_)``.
  public static func negotiated(
    accept: String?, among candidates: [EncodeOptions] = [.webp(), .png, .jpeg()]
  ) -> OutputNegotiation {
    OutputNegotiation(accept: accept, among: candidates)
  }

  /// Returns the negotiation for the `Accept` fields of a request.
  ///
  /// The fields that were read last are remembered. Keep the candidates in a constant rather than writing them anew for
  /// each request.
  public static func negotiated(
    for fields: HTTPFields, among candidates: [EncodeOptions]
  ) -> OutputNegotiation {
    var accept: String?
    for field in fields where field.name == .accept {
      accept = accept.map { $0 + "," + field.value } ?? field.value
    }
    return OutputNegotiation(accept: accept, among: candidates)
  }

  /// Weighs the candidates.
  ///
  /// - Parameters:
  ///   - accept: The `Accept` field of the request, its lines joined by commas; `nil` if there is none.
  ///   - candidates: The possible outputs in the server's order of preference, the most compatible one last.
  public init(accept: String?, among candidates: [EncodeOptions]) {
    table = Self.recent.table(accept: accept ?? "", among: candidates)
  }

  /// Weighs the candidates by a header that has been read.
  public init(accept: AcceptHeader, among candidates: [EncodeOptions]) {
    table = NegotiationTable(accept, candidates)
  }

  /// Returns the choice for a content; `nil` if there are no candidates.
  public func outcome(for content: Content) -> Outcome? {
    table.choice(for: content).map {
      Outcome(options: table.options[$0.index], variesOnAccept: $0.variesOnAccept)
    }
  }

  /// Whether both have the same candidates with the same weights.
  public static func == (left: OutputNegotiation, right: OutputNegotiation) -> Bool {
    left.table === right.table
      || (left.table.options == right.table.options && left.table.weights == right.table.weights)
  }

  /// Hashes the candidates and their weights.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(table.options)
    hasher.combine(table.weights)
  }
}
