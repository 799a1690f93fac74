/// When a request is answered, as far as caches are concerned.
public enum StoreDurability: String, Hashable, Sendable, CaseIterable {
  /// As soon as there is an image. What is to be stored on disk is stored meanwhile; memory comes first anyway.
  case none
  /// When everything that is to be stored can be read from the caches.
  case stored
  /// When a loss of power does not undo it: the caches on disk have synchronized files and folders with the device.
  /// Takes as long as the device does, and ends with the deadline of the request.
  case flushed
}
