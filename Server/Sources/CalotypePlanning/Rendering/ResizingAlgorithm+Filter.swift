import CalotypeImaging
import CalotypeURLs

extension ProcessingStage.ResizingAlgorithm {
  /// The filter, or the one that is most similar.
  var filter: ResampleFilter {
    switch self {
    case .nearest: .nearest
    case .linear: .bilinear
    case .cubic: .bicubic
    case .lanczos2, .lanczos3: .lanczos3
    }
  }
}
