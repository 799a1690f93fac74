extension ImageRequest {
  /// When a request is answered, as far as caches are concerned.
  ///
  /// A store that fails costs the caller nothing, and one that would have to wait behind too many others is not made at all:
  /// ``ImageResponse/stores`` tells what became of each.
  public enum StoreDurability: String, Hashable, Sendable, CaseIterable {
    /// As soon as there is an image. What is to be stored on disk is stored meanwhile; memory comes first anyway.
    case none
    /// When each store has ended: what is stored can be read from the caches.
    case stored
    /// When a loss of power does not undo what is stored: the caches on disk have synchronized files and folders with the device.
    /// Takes as long as the device does, and ends with the deadline of the request.
    case flushed
  }
}
