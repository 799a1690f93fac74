public import CalotypeImaging
public import CalotypeLoading
import CalotypeSupport

extension ImageSource {
  /// An image that the program renders, or has as pixels already, in place of encoded bytes.
  ///
  /// ```swift
  /// let source = ImageSource.rendered(id: "chart/7", version: series.revision) { try await draw(series) }
  /// let thumbnail = try await pipeline.image(for: ImageRequest(source: source, thumbnail: .fit(width: 320, height: 240)))
  /// ```
  ///
  /// The image becomes an original like any other: its limits, sizes, transforms, caches and encoded forms are those of
  /// loaded ones. For that, it is encoded without loss: PNG at the least effort, by default. Caches keep it as those of
  /// ``provider(id:version:fetch:)``: under `id` and version, and not at all without a version.
  ///
  /// - Parameters:
  ///   - id: The identity of the image.
  ///   - version: The version of the image: different pixels need different versions.
  ///   - options: The form of the original.
  ///   - render: Renders the image. Called at most once for each load, in the caller's isolation, and cancelled with its
  ///     task. Its errors, and those of encoding, are `LoadingError.sourceFailed`.
  public static func rendered(
    id: String, version: String? = nil, as options: EncodeOptions = .renderedOriginal,
    _ render: @escaping @Sendable () async throws -> Image
  ) -> ImageSource {
    .provider(id: "rendered " + id, version: version) {
      let image = try await render()
      return try await Self.renderWorkers.run { try image.encoded(as: options) }
    }
  }

  /// Encodes off the cooperative pool.
  private static let renderWorkers = WorkerExecutor(name: "calotype-render", threads: 2)
}

extension EncodeOptions {
  /// PNG at the least effort: the form of ``ImageSource/rendered(id:version:as:_:)``.
  public static var renderedOriginal: EncodeOptions {
    var options = EncodeOptions.png
    options.effort = .fast
    return options
  }
}
