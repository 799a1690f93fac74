public import NIOCore

/// Watches the client of a connection: its departure cancels its request, and one that does not read is disconnected.
///
/// Responses wait in memory until the client has read the bytes before them, and the idle timeout of the server does
/// not count while one is written. A client has to make room for the next bytes within the limit.
public final class ClientHandler: ChannelInboundHandler, RemovableChannelHandler {
  /// Anything: events alone are of interest.
  public typealias InboundIn = Any

  /// The request in progress.
  let work = ClientWork()
  private let limit: TimeAmount
  private var timer: Scheduled<Void>?

  /// Creates a handler.
  ///
  /// - Parameter limit: The time in which a client has to make room for the next bytes.
  public init(limit: TimeAmount) {
    self.limit = limit
  }

  /// Starts or stops the timer.
  public func channelWritabilityChanged(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    let channel = context.channel
    if !channel.isWritable {
      timer = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }
    context.fireChannelWritabilityChanged()
  }

  /// Cancels the request when the client closes its side.
  public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { work.end() }
    context.fireUserInboundEventTriggered(event)
  }

  /// Cancels the request when the connection ends.
  public func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    work.end()
    context.fireChannelInactive()
  }
}
