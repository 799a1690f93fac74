public import CalotypeImaging
public import CalotypeURLs

/// A resampling to a size.
public struct ScaleOperation: Hashable, Sendable {
  /// The size of the result.
  public var size: PixelSize
  /// The kernel.
  public var kernel: ProcessingStage.ResizingAlgorithm
  /// A Boolean value that indicates whether light is mixed, instead of stored numbers.
  public var isLinear: Bool

  /// Creates an operation.
  public init(
    to size: PixelSize, kernel: ProcessingStage.ResizingAlgorithm = .lanczos3, isLinear: Bool = false
  ) {
    self.size = size
    self.kernel = kernel
    self.isLinear = isLinear
  }
}
