extension Transforms {
  /// A step of a program's own, made of a function.
  ///
  /// ```swift
  /// let pixelate = ImageTransform.custom(id: "com.example.pixelate/1", parameters: ["cell": "8"]) { bitmap in
  ///   let cells = PixelSize(width: (bitmap.width + 7) / 8, height: (bitmap.height + 7) / 8)
  ///   return try bitmap.resampled(to: cells, filter: .box).resampled(to: bitmap.size, filter: .nearest)
  /// }
  /// ```
  public struct Custom: ImageTransforming {
    /// A name that no other step uses.
    public let id: String
    /// To be raised whenever the function makes other pixels of the same picture.
    public let version: Int
    /// Everything that the function depends on beside the picture.
    public let parameters: [String: String]
    private let body: @Sendable (Bitmap) throws -> Bitmap

    /// Creates the step.
    public init(
      id: String, version: Int = 1, parameters: [String: String] = [:],
      _ body: @escaping @Sendable (Bitmap) throws -> Bitmap
    ) {
      self.id = id
      self.version = version
      self.parameters = parameters
      self.body = body
    }

    /// `custom:` with all that was given, each part behind its length, so that no two different steps are taken for one.
    public var identity: String {
      func part(_ text: String) -> String { "\(text.utf8.count) \(text)" }
      return
        (["custom:" + part(id), "version=\(version)"]
        + parameters.sorted { $0.key < $1.key }.map { "\(part($0.key))=\(part($0.value))" })
        .joined(separator: ",")
    }

    /// Returns the result of the function.
    ///
    /// - Throws: An ``ImagingError`` as the function throws it; ``ImagingError/cancelled`` for a `CancellationError`;
    ///   ``ImagingError/transformFailed(name:reason:)`` for all other errors.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      do {
        return try body(bitmap)
      } catch let error as ImagingError {
        throw error
      } catch is CancellationError {
        throw .cancelled
      } catch {
        throw .transformFailed(name: id, reason: "\(error)")
      }
    }
  }
}

extension ImageTransform {
  /// A step of a program's own. Its identity is made of `id`, `version` and `parameters`: whatever else the function
  /// depends on, caches do not know of.
  public static func custom(
    id: String, version: Int = 1, parameters: [String: String] = [:],
    _ body: @escaping @Sendable (Bitmap) throws -> Bitmap
  ) -> ImageTransform {
    ImageTransform(Transforms.Custom(id: id, version: version, parameters: parameters, body))
  }
}
