import CalotypeImaging
public import FoundationEssentials

extension ImagePipeline {
  /// The form in which originals are stored on disk.
  ///
  /// ```swift
  /// configuration.originalSerializer = .transcoded(as: .webp(quality: 90))
  /// ```
  public struct OriginalSerializer: Sendable {
    typealias Body = @Sendable (_ data: Data, _ coders: CoderRegistry, _ limits: DecodeLimits) throws -> Data?

    /// The serializing function; `nil` to store the bytes unchanged.
    let body: Body?

    private init(body: Body?) {
      self.body = body
    }

    /// Stores the bytes as loaded.
    public static let asLoaded = ImagePipeline.OriginalSerializer(body: nil)

    /// Stores no originals: every new size and every revalidation loads all bytes from the server. Results
    /// are stored.
    public static let none = ImagePipeline.OriginalSerializer { _, _, _ in nil }

    /// Stores the image at full size and in sRGB, in another format or quality. An original that is smaller
    /// as loaded, is animated, has an Exif orientation to apply, or fails to be encoded is stored as
    /// loaded. A damaged original is not stored, because its copy would no longer be recognizable as
    /// damaged.
    ///
    /// ``ImagePipeline/data(for:)-(URL)`` delivers that form when it comes from the cache.
    public static func transcoded(as options: EncodeOptions) -> ImagePipeline.OriginalSerializer {
      ImagePipeline.OriginalSerializer { data, coders, limits in
        let info = try coders.decodableInfo(of: data, limits: limits)
        guard info.frameCount == 1, info.orientation == .topLeft else { return data }
        let image = try coders.decode(data, options: DecodeOptions(limits: limits, damage: .strict))
        guard let transcoded = try? coders.encode(image, as: options), transcoded.count < data.count else {
          return data
        }
        return transcoded
      }
    }

    /// Stores the output of `serialize`, which has to be an image of a registered format; `nil` stores
    /// nothing. Called on a pipeline thread for computations. If it throws, the error is counted and the
    /// original is not stored.
    public static func custom(_ serialize: @escaping @Sendable (_ data: Data) throws -> Data?)
      -> ImagePipeline.OriginalSerializer
    {
      ImagePipeline.OriginalSerializer { data, _, _ in try serialize(data) }
    }
  }
}
