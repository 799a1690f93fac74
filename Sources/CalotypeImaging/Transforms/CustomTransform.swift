/// A step of a program's own, made of a function.
///
/// ```swift
/// let pixelate = ImageTransform.custom(id: "com.example.pixelate", version: 1, parameters: ["cell": "8"]) {
///   bitmap throws(ImagingError) in
///   let cells = PixelSize(width: (bitmap.width + 7) / 8, height: (bitmap.height + 7) / 8)
///   return try bitmap.resampled(to: cells, filter: .box).resampled(to: bitmap.size, filter: .nearest)
/// }
/// ```
public struct CustomTransform: ImageTransforming {
  /// A name that nobody else uses.
  public let id: String
  /// To be raised whenever the function makes other pixels of the same picture.
  public let version: Int
  /// Everything that the function depends on beside the picture.
  public let parameters: [String: String]
  private let body: @Sendable (Bitmap) throws(ImagingError) -> Bitmap

  /// Creates the step.
  public init(
    id: String, version: Int, parameters: [String: String],
    _ body: @escaping @Sendable (Bitmap) throws(ImagingError) -> Bitmap
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

  /// What the function makes of the picture.
  public func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap { try body(bitmap) }
}

extension ImageTransform {
  /// A step of a program's own. Its identity is made of `id`, `version` and `parameters`: whatever else the function
  /// depends on, caches do not know of.
  public static func custom(
    id: String, version: Int, parameters: [String: String],
    _ body: @escaping @Sendable (Bitmap) throws(ImagingError) -> Bitmap
  ) -> ImageTransform {
    ImageTransform(CustomTransform(id: id, version: version, parameters: parameters, body))
  }
}
