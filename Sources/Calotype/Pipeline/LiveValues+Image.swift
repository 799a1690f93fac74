public import CalotypeCaching
public import CalotypeImaging

extension LiveValues where Value == Image {
  /// For images: found again as long as somebody holds their pixels. What else belongs to an image is small, and is held
  /// until then.
  public static var images: LiveValues {
    LiveValues { image in
      let bitmap = image.bitmap.weakReference()
      let (info, orientation, isPartial) = (image.info, image.orientation, image.isPartial)
      let (profile, metadata) = (image.profile, image.metadata)
      return {
        bitmap().map {
          Image(
            bitmap: $0, info: info, orientation: orientation, isPartial: isPartial, profile: profile,
            metadata: metadata)
        }
      }
    }
  }
}
