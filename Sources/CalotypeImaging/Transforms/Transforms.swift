/// The namespace of the transforms that come with the library.
///
/// ``ImageTransform`` has a factory for each, such as ``ImageTransform/crop(_:)``. The types are for code that keeps or
/// changes the parameters of a step:
///
/// ```swift
/// var blur = Transforms.GaussianBlur(sigma: 2)
/// blur.sigma *= scale
/// let chain: TransformChain = [ImageTransform(blur)]
/// ```
public enum Transforms {}
