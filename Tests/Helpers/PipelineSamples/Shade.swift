import CalotypeSupport

/// The shade of the picture that a server has at present.
package final class Shade: Sendable {
  private let state = Lock(UInt8(1))

  package init() {}

  package var value: UInt8 {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
