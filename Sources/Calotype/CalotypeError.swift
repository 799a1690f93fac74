public import CalotypeCaching
public import CalotypeImaging
public import CalotypeLoading

/// What all errors of the package have in common; each module has one type of its own.
public protocol CalotypeError: Error {
  /// A stable name for machines.
  var code: String { get }
  /// Whether the same call can succeed later.
  var isRetryable: Bool { get }
}

extension ImagingError: CalotypeError {}
extension LoadingError: CalotypeError {}
extension CachingError: CalotypeError {}
