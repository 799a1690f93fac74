/// A server that cannot start.
public enum ServerStartError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An image of the settings whose file cannot be read.
  case unreadableImage(String)
  /// A folder of local sources that is none, or cannot be read.
  case unreadableRoot(String)
  /// An image of the settings whose text is none.
  case malformedImage(String)
  /// A machine without the means for the sandbox of decoders.
  case noSandbox(reason: String)
  /// A bucket or a Redis server that cannot be used as the settings describe it.
  case unusableTier(String)

  /// The fault and a remedy in one sentence.
  public var description: String {
    switch self {
    case .unreadableImage(let path):
      "\(path) (WATERMARK_PATH or FALLBACK_IMAGE_PATH) cannot be read; check the path of the image and its mode"
    case .unreadableRoot(let path):
      "\(path) (LOCAL_FILESYSTEM_ROOT) is no folder that can be read; give the path of the folder of the images"
    case .noSandbox(let reason):
      "images cannot be decoded in a sandbox: \(reason); allow seccomp and /proc, or set SANDBOX to none"
    case .unusableTier(let reason):
      "the cache that nodes share cannot be used: \(reason); check the settings of CACHE_S3, S3 and REDIS_URL"
    case .malformedImage(let text): "an image of the settings is no \(text); check its text"
    }
  }
}
