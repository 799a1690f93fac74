import CalotypeImaging
import FoundationEssentials

/// The way a pipeline would take to the image of a request: ``ImagePipeline/explain(_:)``.
public struct RequestExplanation: Hashable, Codable, Sendable {
  /// A place where the pipeline looks for the image, in this order.
  public struct Step: Hashable, Codable, Sendable {
    /// A place to look for an image.
    public enum Place: String, Hashable, Codable, Sendable, CaseIterable {
      /// The cache of decoded images.
      case memory
      /// The results on disk.
      case disk
      /// The originals on disk.
      case originals
      /// The loader.
      case loader
    }

    /// The outcome at a place.
    public enum Outcome: String, Hashable, Codable, Sendable, CaseIterable {
      /// The image would be made of this entry, or is this entry.
      case used
      /// The entry would be used, and revalidated afterwards.
      case usedWhileRevalidating
      /// The entry is there, and has to be revalidated first.
      case stale
      /// There is no entry.
      case absent
      /// The place is not asked.
      case notAsked
      /// The loader would be asked for the bytes.
      case asked
      /// The loader would be asked whether the entry is still current, and only then for the bytes.
      case askedConditionally
      /// The request ends here with an error.
      case fails
    }

    /// The place.
    public let place: Place
    /// The outcome.
    public let outcome: Outcome
    /// The reason, where the outcome alone does not tell.
    public let reason: String?
  }

  /// The size and cost of the image, as far as the header of the original is known.
  public struct Prediction: Hashable, Codable, Sendable {
    /// The format of the original.
    public let format: String
    /// The size of the original in pixels, as stored.
    public let originalWidth: Int, originalHeight: Int
    /// The number of frames of the original.
    public let frameCount: Int
    /// The size of the image in pixels, before transforms.
    public let width: Int, height: Int
    /// The bytes of the pixels of the image, before transforms.
    public let pixelByteCount: Int
    /// The peak memory of the decode in bytes.
    public let decodeByteCount: Int
    /// The processor time of the decode in milliseconds, right to a factor of two or three.
    public let decodeMilliseconds: Double
  }

  /// The source, without user name and password.
  public let source: String
  /// The identity of the result: the digest of ``ImageRequest/key``.
  public let key: String
  /// The identity of the original: the digest of ``ImageRequest/sourceKey``.
  public let originalKey: String
  /// The cache policy of the request.
  public let cachePolicy: String
  /// The rule of the loader for keeping the bytes.
  public let cachingRule: String
  /// The places, up to the one that ends the search.
  public let steps: [Step]
  /// The size and cost of the image; `nil` if no cache knows the header of the original.
  public let prediction: Prediction?
}

extension RequestExplanation: CustomStringConvertible {
  /// The explanation as lines of text.
  public var description: String {
    var lines = [source, "  result \(key.prefix(16)), original \(originalKey.prefix(16))"]
    lines.append("  policy \(cachePolicy), the loader's rule is \(cachingRule)")
    for step in steps {
      let reason = step.reason.map { ": \($0)" } ?? ""
      lines.append("  \(step.place.rawValue): \(step.outcome.text)\(reason)")
    }
    if let prediction {
      lines.append(
        "  original: \(prediction.format), \(prediction.originalWidth)×\(prediction.originalHeight) pixels, frames: \(prediction.frameCount)"
      )
      lines.append(
        "  image: \(prediction.width)×\(prediction.height) pixels, \(prediction.pixelByteCount) bytes; decoding takes up to \(prediction.decodeByteCount) bytes"
      )
    }
    return lines.joined(separator: "\n")
  }
}

extension RequestExplanation.Step.Outcome {
  fileprivate var text: String {
    switch self {
    case .used: "used"
    case .usedWhileRevalidating: "used, and revalidated afterwards"
    case .stale: "stale, to be revalidated first"
    case .absent: "absent"
    case .notAsked: "not asked"
    case .asked: "asked for the bytes"
    case .askedConditionally: "asked whether the stored bytes are current"
    case .fails: "fails"
    }
  }
}
