import CalotypeImaging
public import FoundationEssentials

extension ImagePipeline {
  /// What of an original goes to disk.
  ///
  /// ```swift
  /// configuration.originalSerializer = .transcoded(as: .webp(quality: 90))
  /// ```
  public struct OriginalSerializer: Sendable {
    typealias Body = @Sendable (_ data: Data, _ coders: CoderRegistry, _ limits: DecodeLimits) throws -> Data?

    /// `nil` when the bytes are kept as they are.
    let body: Body?

    private init(body: Body?) {
      self.body = body
    }

    /// The bytes as they were loaded.
    public static let asLoaded = ImagePipeline.OriginalSerializer(body: nil)

    /// Nothing: every new size and every check of freshness asks the server for all bytes. Results are kept.
    public static let none = ImagePipeline.OriginalSerializer { _, _, _ in nil }

    /// The picture at full size and in sRGB, in another format or quality. What is smaller as loaded, animated, to be turned by
    /// its Exif orientation, or fails to be encoded stays as it was loaded. A damaged one is not kept: it would no longer be
    /// known as such.
    ///
    /// ``ImagePipeline/data(for:)-(URL)`` delivers that form when it comes from the cache.
    public static func transcoded(as options: EncodeOptions) -> ImagePipeline.OriginalSerializer {
      ImagePipeline.OriginalSerializer { data, coders, limits in
        let info = try coders.probe(data, limits: limits)
        guard info.frameCount == 1, info.orientation == .topLeft else { return data }
        let image = try coders.decode(data, options: DecodeOptions(limits: limits, damage: .strict))
        guard let transcoded = try? coders.encode(image, as: options), transcoded.count < data.count else {
          return data
        }
        return transcoded
      }
    }

    /// Whatever `serialize` makes of the bytes; it has to be an image of a registered format. Called on a thread of the
    /// pipeline that may compute. `nil` keeps nothing. What it throws is counted, and the original is not kept.
    public static func custom(_ serialize: @escaping @Sendable (_ data: Data) throws -> Data?)
      -> ImagePipeline.OriginalSerializer
    {
      ImagePipeline.OriginalSerializer { data, _, _ in try serialize(data) }
    }
  }
}
