public import CalotypeImaging

extension ImagePipeline {
  /// The `Accept` field of the requests of a pipeline (RFC 9110 §12.5.1): the formats that servers may choose from.
  ///
  /// ``ImageRequest/headers`` with an `Accept` field replace it, and so does a loader that is configured with another one
  /// than `CurlLoader.Configuration.defaultHeaders`. It is part of the keys of the requests that it is sent with.
  public enum AcceptField: Hashable, Sendable {
    /// The formats among AVIF, JPEG XL and WebP that the coders of the request decode, then any image, then anything:
    /// ``text(for:)``. Servers send these formats only to those who name them.
    case decodableFormats
    /// The field of the loader: by default `image/*,*/*;q=0.8`, which names no format.
    case loader
    /// This value.
    case value(String)

    /// Returns the field for coders: `image/avif,image/webp,image/*,*/*;q=0.8`, if they decode AVIF and WebP. Formats
    /// whose library is missing on this machine are left out.
    public static func text(for coders: CoderRegistry) -> String {
      let formats = coders.decodableFormats
      let named = [ImageFormat.avif, .jxl, .webp].filter { formats.contains($0) }.compactMap(\.mimeType)
      return (named + ["image/*", "*/*;q=0.8"]).joined(separator: ",")
    }

    /// The field for the standard coders on this machine.
    static let standard = text(for: .standard)

    /// The field that is not part of keys: that of the default traits. It never changes, because folders of caches are
    /// shared by programs with other traits, and on other machines.
    static let unmarked = "image/avif,image/webp,image/*,*/*;q=0.8"
  }
}
