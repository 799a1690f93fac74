import CalotypeImaging

/// The place where images are decoded.
public enum DecodingIsolation: Hashable, Sendable {
  /// All formats are decoded in this process, which is the fastest. HEIF and SVG are not decoded.
  case inProcess
  /// Images are decoded in processes that can do nothing else.
  case sandboxed(SandboxConfiguration)

  /// All formats are decoded in a sandbox, by so many workers; as many as there are processors by default.
  public static func sandboxed(
    workers: Int? = nil, formats: SandboxConfiguration.Formats = .all
  ) -> DecodingIsolation {
    .sandboxed(SandboxConfiguration(workers: workers, formats: formats))
  }

  /// The formats whose libraries are large, and have had serious flaws, are decoded in a sandbox: AVIF, HEIF, JPEG XL, TIFF
  /// and SVG. The default of pipelines; workers are started for the first such image.
  public static let automatic = DecodingIsolation.sandboxed(
    formats: .only([.avif, .heif, .jxl, .tiff, .svg]))

  /// The configuration of the sandbox, if there is one.
  public var configuration: SandboxConfiguration? {
    if case .sandboxed(let configuration) = self { configuration } else { nil }
  }
}
