import CalotypeSupport


/// What the server serves now.
package final class Shade: Sendable {
  private let state = Lock(UInt8(1))

  package var value: UInt8 {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
