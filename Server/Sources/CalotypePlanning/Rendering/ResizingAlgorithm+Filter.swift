import CalotypeImaging
import CalotypeURLs

extension ProcessingStage.ResizingAlgorithm {
  /// The filter.
  var filter: ResampleFilter {
    switch self {
    case .nearest: .nearest
    case .linear: .bilinear
    case .cubic: .bicubic
    case .lanczos2: .lanczos2
    case .lanczos3: .lanczos3
    }
  }
}
