import CalotypePlanning
import CalotypeResults
import CalotypeURLs
import HTTPTypes

/// The images that the options of a URL name besides the source, read and allowed by the rules of sources.
struct NamedSources: Sendable {
  /// The watermarks from URLs.
  private(set) var watermarks: [String: NamedSource] = [:]
  /// The watermarks of text.
  private(set) var texts: [String: MarkupText] = [:]
  /// The image in place of a source that cannot be loaded.
  private(set) var fallback: NamedSource?

  /// The most watermarks of a URL.
  static let mostWatermarks = 8

  /// Names nothing.
  init() {}

  /// Reads options.
  ///
  /// - Parameter passedFields: Returns the fields of the client that a source gets.
  /// - Throws: The failure of a source that is not allowed, of text whose markup cannot be read, or of too many watermarks.
  init(
    _ options: ProcessingOptions, _ rules: ServingRules, passedFields: (SourceReference) -> HTTPFields
  ) throws(Failure) {
    for stage in options.stages {
      switch stage.ownWatermark {
      case .url(let text)?:
        guard watermarks[text] == nil else { continue }
        let source = try rules.sources.resolveWatermark(text)
        watermarks[text] = NamedSource(source: source, passedFields: passedFields(source))
      case .text(let text)?:
        guard texts[text] == nil else { continue }
        do throws(MarkupError) { texts[text] = try MarkupText(text) } catch {
          throw Failure(.invalidURL, detail: "watermark_text: \(error)")
        }
      case nil: continue
      }
      guard watermarks.count + texts.count <= Self.mostWatermarks else {
        throw Failure(
          .invalidURL, detail: "watermark: more than \(Self.mostWatermarks) of them; use fewer")
      }
    }
    if let text = options.fallbackImageURL, !text.isEmpty {
      let source = try rules.sources.resolve(text)
      fallback = NamedSource(source: source, passedFields: passedFields(source))
    }
  }

  /// The fields of the client that named sources get, in a fixed order: they are part of the identities of results.
  var variants: [String] {
    let named = watermarks.sorted { $0.key < $1.key }.map(\.value) + (fallback.map { [$0] } ?? [])
    return named.flatMap { named in named.passedFields.map { "\(named.source.text) \($0.name): \($0.value)" }
    }
  }

  /// Whether watermarks from URLs are part of the result, which the validators of its source do not describe then.
  var addsSources: Bool { !watermarks.isEmpty }
}
