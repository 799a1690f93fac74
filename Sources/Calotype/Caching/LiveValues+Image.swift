public import CalotypeCaching
public import CalotypeImaging

extension MemoryCache.LiveValues where Value == Image {
  /// For images: an image can be found again as long as its pixels are referenced elsewhere. Its other,
  /// small parts are held until then.
  public static var images: Self {
    Self { $0.recall }
  }
}

extension MemoryCache.LiveValues where Value == CachedImage {
  /// For the memory cache of an ``ImagePipeline``, likewise.
  public static var images: Self {
    Self { cached in
      let recall = cached.image.recall
      let (provenance, animation, tags) = (cached.provenance, cached.animation, cached.tags)
      return { recall().map { CachedImage($0, animation: animation, provenance: provenance, tags: tags) } }
    }
  }
}

extension Image {
  /// A closure that returns the image as long as its pixels exist, without holding them.
  var recall: @Sendable () -> Image? {
    let bitmap = bitmap.weakReference()
    let (info, orientation, isPartial) = (info, orientation, isPartial)
    let (profile, metadata) = (profile, metadata)
    return {
      bitmap().map {
        Image(
          bitmap: $0, info: info, orientation: orientation, isPartial: isPartial, profile: profile,
          metadata: metadata)
      }
    }
  }
}
