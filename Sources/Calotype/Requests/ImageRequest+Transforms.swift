public import CalotypeImaging

extension ImageRequest {
  /// The transforms of a request.
  public enum Transforms: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The transforms in ``ImagePipeline/Configuration/transforms``.
    case inherit
    /// Only these transforms; none if the chain is empty.
    case chain(TransformChain)

    /// No transforms, regardless of the pipeline's default.
    public static let none = ImageRequest.Transforms.chain([])

    /// Creates a list of only these transforms.
    public init(arrayLiteral elements: ImageTransform...) { self = .chain(TransformChain(elements)) }

    /// The transforms specified here.
    public var chain: TransformChain { given ?? [] }

    /// The transforms as options of a decode have them: `nil` for those of the pipeline.
    var given: TransformChain? {
      if case .chain(let chain) = self { chain } else { nil }
    }

    init(given chain: TransformChain?) { self = chain.map { .chain($0) } ?? .inherit }
  }
}
