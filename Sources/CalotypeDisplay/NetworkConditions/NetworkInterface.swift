import Calotype

/// A network interface of a default route.
public struct NetworkInterface: Hashable, Sendable {
  /// The name, such as `eth0`, `wlp3s0`, `wwan0`.
  public let name: String
  /// The kind of device by its driver, `DEVTYPE` of its `uevent` in sysfs: `wlan`, `wwan`, `bridge`; `nil`
  /// for plain Ethernet and for drivers that do not declare it.
  public let deviceType: String?

  /// Creates a description.
  public init(name: String, deviceType: String? = nil) {
    self.name = name
    self.deviceType = deviceType
  }

  /// Whether the interface is a mobile modem.
  public var isMobile: Bool { deviceType == "wwan" }
}
