extension Transforms {
  /// A step that a program defines by a function.
  ///
  /// ```swift
  /// let pixelate = ImageTransform.custom(id: "com.example.pixelate/1", parameters: ["cell": "8"]) { bitmap in
  ///   let cells = PixelSize(width: (bitmap.width + 7) / 8, height: (bitmap.height + 7) / 8)
  ///   return try bitmap.resampled(to: cells, filter: .box).resampled(to: bitmap.size, filter: .nearest)
  /// }
  /// ```
  public struct Custom: ImageTransforming {
    /// A name that no other step has.
    public let id: String
    /// The version of the function, to be raised whenever its result changes for the same picture.
    public let version: Int
    /// All parameters of the function besides the picture.
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

    /// `custom:` with all properties, each prefixed by its length, so that no two different steps have the same
    /// identity.
    public var identity: String {
      func part(_ text: String) -> String { "\(text.utf8.count) \(text)" }
      return
        (["custom:" + part(id), "version=\(version)"]
        + parameters.sorted { $0.key < $1.key }.map { "\(part($0.key))=\(part($0.value))" })
        .joined(separator: ",")
    }

    /// Returns the result of the function.
    ///
    /// - Throws: The ``ImagingError`` of the function; ``ImagingError/cancelled`` for a `CancellationError`;
    ///   ``ImagingError/transformFailed(name:reason:)`` for all other errors.
    public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap {
      try ImagingError.typed(id) { try body(bitmap) }
    }
  }
}

extension ImagingError {
  /// Runs a function of the program.
  ///
  /// - Parameter name: The name of the transform.
  /// - Throws: The ``ImagingError`` of the function; ``ImagingError/cancelled`` for a `CancellationError`;
  ///   ``ImagingError/transformFailed(name:reason:)`` for all other errors.
  package static func typed<Result>(
    _ name: String, _ body: () throws -> Result
  ) throws(ImagingError) -> Result {
    do {
      return try body()
    } catch let error as ImagingError {
      throw error
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .transformFailed(name: name, reason: "\(error)")
    }
  }
}

extension ImageTransform {
  /// Applies a function of the program. The identity consists of `id`, `version` and `parameters`: caches do not know
  /// of any other dependency of the function.
  public static func custom(
    id: String, version: Int = 1, parameters: [String: String] = [:],
    _ body: @escaping @Sendable (Bitmap) throws -> Bitmap
  ) -> ImageTransform {
    ImageTransform(Transforms.Custom(id: id, version: version, parameters: parameters, body))
  }
}
