public import CalotypeImaging

extension ImageRequest {
  /// What a request wants to become of the picture.
  public enum Transforms: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// What ``ImagePipeline/Configuration/transforms`` says.
    case inherit
    /// These transforms and no others; none if the chain is empty.
    case chain(TransformChain)

    /// Nothing, whatever the pipeline does by default.
    public static let none = ImageRequest.Transforms.chain([])

    /// These transforms and no others.
    public init(arrayLiteral elements: ImageTransform...) { self = .chain(TransformChain(elements)) }

    /// Those that are said here.
    public var chain: TransformChain {
      if case .chain(let chain) = self { chain } else { [] }
    }
  }
}
