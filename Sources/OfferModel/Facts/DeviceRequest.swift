/// What a request says about the device that asks: the `request.*` facts, by the backend's word.
public struct DeviceRequest: Sendable, Hashable, Codable {
    /// The app's version, such as `4.2.1`.
    public var appVersion: String?
    /// The operating system's version, such as `18.4`.
    public var osVersion: String?
    /// The locale, such as `de-CH`.
    public var locale: String?

    /// What is said; nothing unless stated.
    public init(appVersion: String? = nil, osVersion: String? = nil, locale: String? = nil) {
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.locale = locale
    }
}
