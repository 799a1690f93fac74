extension ImageRequest {
  /// The storage that has to complete before a request is answered.
  ///
  /// A failed store never fails the request, and a store that would have to wait behind too many others is
  /// skipped: ``ImageResponse/stores`` reports the outcome of each.
  public enum StoreDurability: String, Hashable, Sendable, CaseIterable {
    /// None: the request is answered as soon as the image is available. Disk stores continue in the
    /// background; memory is always stored first.
    case none
    /// All stores have ended: stored entries can be read from the caches.
    case stored
    /// Stored entries survive a power loss: the disk caches have synchronized files and folders with the
    /// device. This takes as long as the device does, and ends with the deadline of the request.
    case flushed
  }
}
