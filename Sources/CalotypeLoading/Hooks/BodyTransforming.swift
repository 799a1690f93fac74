public import FoundationEssentials

/// Transforms the bytes of responses as they arrive, for example to decrypt, decompress or decode them.
///
/// Previews keep working, because nothing waits for the end of the body.
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
  /// The name of the transform with all parameters that affect its output.
  ///
  /// It is part of the identity of an image: loads with different transforms are never coalesced and never find each
  /// other's bytes in a cache. It also appears in errors, so include a secret only as a digest.
  var identity: String { get }

  /// Creates the transform of one response; `nil` leaves the response unchanged.
  ///
  /// Inspect the head only: the body belongs to the loader. A 304 has no body and is not passed here.
  ///
  /// - Throws: Any error, to reject the response.
  func makeTransform(for response: LoadResponse) throws -> (any ChunkTransforming)?
}

/// Transforms the chunks of one body, for a ``BodyTransforming``.
///
/// The methods are called one at a time, on threads of the library. They must not block. Errors other than
/// ``LoadingError`` and `CancellationError` become ``LoadingError/bodyTransformFailed(_:transform:reason:)`` with their
/// description.
public protocol ChunkTransforming: Sendable {
  /// Returns the bytes that `chunk` adds to the output; may be empty.
  ///
  /// Chunks are never empty, start at index 0, have at most 64 KiB, and may be split anywhere. A transform that expands
  /// its input must limit its output itself: ``LoadRequest/byteLimit`` is checked after each call.
  ///
  /// - Throws: An error in the bytes. No method is called after an error.
  mutating func transform(_ chunk: Data) throws -> Data

  /// Returns the last bytes; may be empty. Called once, at the end of a complete body.
  ///
  /// - Throws: An error if the body is incomplete.
  mutating func finish() throws -> Data
}
