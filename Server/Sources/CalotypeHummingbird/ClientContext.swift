public import Hummingbird
import NIOCore

/// The context of a request, with the connection that it came from.
///
/// The server needs a ``ClientHandler`` in each connection: `additionalChannelHandlers: [ClientHandler(limit: …)]`.
public struct ClientContext: RequestContext {
  /// The context that Hummingbird keeps.
  public var coreContext: CoreRequestContextStorage
  private let channel: any Channel

  /// Creates the context of a request.
  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// Performs an operation, and cancels it when the client closes the connection.
  ///
  /// `consumeWithCancellationOnInboundClose` of Hummingbird does this too. It takes the next request of a client that
  /// sends several at once for the end of the first, and drops it.
  ///
  /// - Throws: The errors of the operation; `CancellationError` if it checks for cancellation; an error of NIO if the
  ///   connection has no ``ClientHandler``.
  public func whileConnected<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let channel = channel
    let work = try await channel.eventLoop.submit {
      try channel.pipeline.syncOperations.handler(type: ClientHandler.self).work
    }.get()
    return try await work.perform(operation)
  }
}
