public import CalotypeCaching
public import CalotypeImaging
public import CalotypeLoading
import CalotypeSupport

extension ImagePipeline {
  /// What a pipeline is made of. Every part can be replaced.
  public struct Configuration: Sendable {
    /// Fetches the bytes.
    public var loader: any ImageLoading
    /// Turns bytes into pixels and back.
    public var coders: CoderRegistry
    /// Decoded images; `nil` for none.
    public var memoryCache: MemoryCache<Image>?
    /// Originals and results in files; `nil` for none.
    public var diskCache: DiskCache?
    /// What an image may demand of the decoder, and how many bytes of it are accepted.
    public var decodeLimits: DecodeLimits
    /// Images decoded and resized at a time; as many as there are processors by default.
    public var decodeConcurrency: Int
    /// How results are kept on disk. Lossless, so that an image is the same whether made or found.
    public var resultEncoding: EncodeOptions

    /// Memory and disk cache at their default limits and place, libcurl, all codecs.
    public init(
      loader: any ImageLoading = LoaderGroup.standard,
      coders: CoderRegistry = .standard,
      memoryCache: MemoryCache<Image>? = MemoryCache(),
      diskCache: DiskCache? = DiskCache(),
      decodeLimits: DecodeLimits = .default,
      decodeConcurrency: Int? = nil,
      resultEncoding: EncodeOptions = .png
    ) {
      self.loader = loader
      self.coders = coders
      self.memoryCache = memoryCache
      self.diskCache = diskCache
      self.decodeLimits = decodeLimits
      self.decodeConcurrency = max(1, decodeConcurrency ?? Threads.availableProcessors)
      self.resultEncoding = resultEncoding
    }
  }
}
