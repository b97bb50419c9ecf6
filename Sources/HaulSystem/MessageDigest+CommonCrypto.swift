#if !canImport(COpenSSL) && canImport(CommonCrypto)
    import CommonCrypto
    package import HaulCore

    /// A digest under way where the system has no OpenSSL: a context of CommonCrypto, or a CRC-32C.
    @safe package struct MessageDigest: ~Copyable {
        /// A context; copies are independent.
        private enum Context {
            case md5(CC_MD5_CTX)
            case sha1(CC_SHA1_CTX)
            case sha256(CC_SHA256_CTX)
            case sha384(CC_SHA512_CTX)
            case sha512(CC_SHA512_CTX)
            case crc32c(UInt32)
        }

        /// Algorithm of the digest.
        package let algorithm: ContentDigest.Algorithm
        private var context: Context

        /// Begins a digest of nothing: CC_SHA256_Init(3) and its like.
        ///
        /// - Parameter algorithm: which.
        /// - Throws: an error for BLAKE2b, which CommonCrypto has not.
        package init(_ algorithm: ContentDigest.Algorithm) throws(SystemError) {
            self.algorithm = algorithm
            switch algorithm {
            case .md5:
                var state = CC_MD5_CTX()
                unsafe CC_MD5_Init(&state)
                context = .md5(state)
            case .sha1:
                var state = CC_SHA1_CTX()
                unsafe CC_SHA1_Init(&state)
                context = .sha1(state)
            case .sha256:
                var state = CC_SHA256_CTX()
                unsafe CC_SHA256_Init(&state)
                context = .sha256(state)
            case .sha384:
                var state = CC_SHA512_CTX()
                unsafe CC_SHA384_Init(&state)
                context = .sha384(state)
            case .sha512:
                var state = CC_SHA512_CTX()
                unsafe CC_SHA512_Init(&state)
                context = .sha512(state)
            case .crc32c: context = .crc32c(0)
            case .blake2b:
                throw SystemError(
                    .digest, number: 0, path: algorithm.rawValue, detail: "this system does not compute this digest")
            }
        }

        /// Makes a digest that goes on from where `other` is.
        ///
        /// - Parameter other: the digest to copy.
        /// - Throws: nothing here; over OpenSSL memory may be short.
        package init(copying other: borrowing MessageDigest) throws(SystemError) {
            algorithm = other.algorithm
            context = other.context
        }

        /// Adds bytes: CC_SHA256_Update(3) and its like.
        ///
        /// - Parameter bytes: what follows.
        package mutating func update(_ bytes: RawSpan) {
            unsafe bytes.withUnsafeBytes { buffer in unsafe update(buffer) }
        }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            // A length is 32 bits there.
            var rest = unsafe bytes[...]
            while unsafe !rest.isEmpty {
                let part = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
                unsafe add(part)
                unsafe rest = rest.dropFirst(part.count)
            }
        }

        private mutating func add(_ bytes: UnsafeRawBufferPointer) {
            let (start, count) = (bytes.baseAddress, CC_LONG(bytes.count))
            switch context {
            case .md5(var state):
                unsafe CC_MD5_Update(&state, start, count)
                context = .md5(state)
            case .sha1(var state):
                unsafe CC_SHA1_Update(&state, start, count)
                context = .sha1(state)
            case .sha256(var state):
                unsafe CC_SHA256_Update(&state, start, count)
                context = .sha256(state)
            case .sha384(var state):
                unsafe CC_SHA384_Update(&state, start, count)
                context = .sha384(state)
            case .sha512(var state):
                unsafe CC_SHA512_Update(&state, start, count)
                context = .sha512(state)
            case .crc32c(let checksum):
                context = .crc32c(unsafe HardwareCRC32C.checksum(bytes, continuing: checksum))
            }
        }

        /// The digest of what was added so far; more may follow: CC_SHA256_Final(3) of a copy, and its like.
        ///
        /// - Throws: nothing here; over OpenSSL memory may be short.
        package func value() throws(SystemError) -> ContentDigest {
            var bytes = [UInt8](repeating: 0, count: algorithm.length)
            switch context {
            case .md5(var state): unsafe CC_MD5_Final(&bytes, &state)
            case .sha1(var state): unsafe CC_SHA1_Final(&bytes, &state)
            case .sha256(var state): unsafe CC_SHA256_Final(&bytes, &state)
            case .sha384(var state): unsafe CC_SHA384_Final(&bytes, &state)
            case .sha512(var state): unsafe CC_SHA512_Final(&bytes, &state)
            case .crc32c(let checksum):
                bytes = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * UInt32($0))) }
            }
            guard let digest = ContentDigest(algorithm, bytes: bytes) else {
                throw SystemError(.digest, number: 0, path: algorithm.rawValue, detail: "the digest has a wrong length")
            }
            return digest
        }
    }
#endif
