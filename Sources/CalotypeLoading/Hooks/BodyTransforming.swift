public import FoundationEssentials

/// Turns the bytes of responses into others while they arrive: undoes an encryption, a compression, a text encoding.
///
/// Previews go on working, because nothing waits for the end of the body.
///
/// ```swift
/// struct Unmasking: BodyTransforming {
///   let mask: UInt8
///   var identity: String { "unmasking(\(mask))" }
///
///   func makeTransform(for response: LoadResponse) throws -> (any ChunkTransforming)? {
///     response.headers[.contentEncoding] == "x-masked" ? Unmask(mask: mask) : nil
///   }
/// }
/// ```
public protocol BodyTransforming: Sendable {
  /// Name of the transform with all parameters that change the bytes it makes.
  ///
  /// It is part of the identity of an image: loads with different transforms are never shared and never find each
  /// other's bytes in a cache. It also appears in errors, so a secret is named by a digest of it, never in clear.
  var identity: String { get }

  /// A transform for one response; `nil` leaves this response as it is.
  ///
  /// Look at the head only: the body belongs to whoever loads. An answer 304 has none and does not come here.
  ///
  /// - Throws: Any error to refuse the response.
  func makeTransform(for response: LoadResponse) throws -> (any ChunkTransforming)?
}

/// The work of a ``BodyTransforming`` on one body.
///
/// The methods are called one at a time, on threads of the library; they compute and do not wait. Errors other than
/// ``LoadingError`` and `CancellationError` become ``LoadingError/bodyTransformFailed(_:transform:reason:)`` with their
/// description.
public protocol ChunkTransforming: Sendable {
  /// The bytes that `chunk` adds to the output; may be empty.
  ///
  /// Chunks are never empty, their indices begin at 0, and they are cut anywhere, at most 64 KiB at a time. A transform
  /// that makes much out of little limits its output itself: ``LoadRequest/byteLimit`` is checked after each call.
  ///
  /// - Throws: What is wrong with the bytes. Nothing is called after an error.
  mutating func transform(_ chunk: Data) throws -> Data

  /// The last bytes; may be empty. Called once, at the end of a body that ended well.
  ///
  /// - Throws: What is missing.
  mutating func finish() throws -> Data
}
