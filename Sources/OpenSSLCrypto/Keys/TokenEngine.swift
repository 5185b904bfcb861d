import COpenSSL
import Synchronization

/// The secret that unlocks a token.
public enum TokenPIN: Sendable {
    /// The path of a file that only its owner can read; a line break at its end does not count.
    case file(String)
    case text([UInt8])

    /// The caller wipes them.
    func bytes() throws(SigningKeyError) -> [UInt8] {
        switch self {
        case .text(let bytes): return bytes
        case .file(let path):
            var bytes = try PrivateKeyFile.read(path)
            while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
            return bytes
        }
    }
}

/// libcrypto's way to tokens: the engine `pkcs11` of libp11, which loads a token's library and signs through it.
///
/// It is loaded once and never unloaded, because an engine that goes would end the sessions of every key, and a reload
/// of the keys lets new ones begin before old ones end. So a process can use one library; p11-kit combines several.
enum TokenEngine {
    /// `@unchecked Sendable`: it is used under the lock alone.
    @safe
    private struct Loaded: @unchecked Sendable {
        let module: String?
        private let engine: UnsafeMutableRawPointer

        init?(_ module: String?) {
            guard let engine = unsafe offerd_pkcs11_engine(module) else { return nil }
            self.module = module
            unsafe self.engine = engine
        }

        func privateKey(_ uri: String, pin: [UInt8]) -> KeyHandle? {
            var text = pin + [0]
            defer { text.cleanse() }
            return unsafe text.withUnsafeBytes { bytes in
                let pin = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                guard let key = unsafe offerd_pkcs11_private_key(engine, uri, pin) else { return nil }
                return unsafe KeyHandle(owning: key)
            }
        }
    }

    private static let loaded = Mutex<Loaded?>(nil)

    /// Tells a wrong PIN from a key that is not there: CKR_PIN_INCORRECT, _INVALID, _LEN_RANGE, _EXPIRED and _LOCKED.
    private static let refusedPIN: Set<Int32> = [0xA0, 0xA1, 0xA2, 0xA3, 0xA4]

    static func privateKey(_ uri: String, module: String?, pin: [UInt8]) throws(SigningKeyError) -> KeyHandle {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard !pin.isEmpty else {
            throw SigningKeyError(
                .wrongPIN, "the PIN for `\(uri)` is empty", hint: "correct what `pin-source` names")
        }
        // libp11 logs in and searches without a lock of its own.
        let found = try loaded.withLock { loaded throws(SigningKeyError) -> KeyHandle? in
            if loaded == nil { loaded = try load(module) }
            guard let engine = loaded, engine.module == module else {
                throw SigningKeyError(
                    .noToken, "`\(uri)` needs another PKCS #11 library than the one in use",
                    hint: "restart offerd if it was changed; for two tokens leave out `module-path` and set up p11-kit")
            }
            return engine.privateKey(uri, pin: pin)
        }
        if let found { return found }
        guard !reasons().isDisjoint(with: refusedPIN) else {
            throw SigningKeyError(
                .notInToken, "no token has the private key `\(uri)`",
                hint: "`pkcs11-tool --list-objects` shows what a token has; add `token=…` if several have such a key")
        }
        throw SigningKeyError(
            .wrongPIN, "the token of `\(uri)` refuses the PIN",
            hint: "correct what `pin-source` names; most tokens lock themselves after a few wrong PINs")
    }

    private static func load(_ module: String?) throws(SigningKeyError) -> Loaded {
        if let module {
            // libp11 does not say whether it is the library that it failed on.
            guard let library = unsafe dlopen(module, RTLD_NOW) else {
                throw SigningKeyError(
                    .noToken, "the PKCS #11 library `\(module)` cannot be loaded",
                    hint: "`module-path` names the token's library, such as /usr/lib/softhsm/libsofthsm2.so")
            }
            unsafe dlclose(library)
        }
        guard let engine = Loaded(module) else {
            throw SigningKeyError(
                .noToken, "libcrypto has no engine `pkcs11`, which keys in tokens need",
                hint: "install libengine-pkcs11-openssl")
        }
        return engine
    }

    /// Why libcrypto's last call failed: the reasons of every library that took part, which may share numbers.
    private static func reasons() -> Set<Int32> {
        var reasons: Set<Int32> = []
        while case let code = ERR_get_error(), code != 0 { reasons.insert(offerd_ERR_GET_REASON(code)) }
        return reasons
    }
}
