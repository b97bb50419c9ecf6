#if canImport(COpenSSL)
    import COpenSSL
    package import HaulCore

    /// A digest under way: an EVP context of OpenSSL, or a CRC-32C.
    @safe package struct MessageDigest: ~Copyable {
        /// Algorithm of the digest.
        package let algorithm: ContentDigest.Algorithm
        private let context: OpaquePointer?
        private var checksum: UInt32 = 0

        /// Begins a digest of nothing: EVP_DigestInit_ex(3).
        ///
        /// - Parameter algorithm: which.
        /// - Throws: an error if the library refuses the algorithm, as it may refuse md5 where policy forbids it.
        package init(_ algorithm: ContentDigest.Algorithm) throws(SystemError) {
            let method: OpaquePointer? =
                switch algorithm {
                case .md5: unsafe EVP_md5()
                case .sha1: unsafe EVP_sha1()
                case .sha256: unsafe EVP_sha256()
                case .sha384: unsafe EVP_sha384()
                case .sha512: unsafe EVP_sha512()
                case .blake2b: unsafe EVP_blake2b512()
                case .crc32c: nil
                }
            self.algorithm = algorithm
            guard let method = unsafe method else {
                unsafe context = nil
                return
            }
            unsafe context = EVP_MD_CTX_new()
            guard unsafe context != nil, unsafe EVP_DigestInit_ex(context, method, nil) == 1 else {
                throw SystemError(
                    .digest, number: 0, path: algorithm.rawValue, detail: "OpenSSL does not compute this digest here")
            }
        }

        /// Makes a digest that goes on from where `other` is: EVP_MD_CTX_copy_ex(3).
        ///
        /// - Parameter other: the digest to copy.
        /// - Throws: an error if memory is short.
        package init(copying other: borrowing MessageDigest) throws(SystemError) {
            algorithm = other.algorithm
            checksum = other.checksum
            guard unsafe other.context != nil else {
                unsafe context = nil
                return
            }
            unsafe context = EVP_MD_CTX_new()
            guard unsafe context != nil, unsafe EVP_MD_CTX_copy_ex(context, other.context) == 1 else {
                throw SystemError(.digest, number: 0, path: algorithm.rawValue, detail: "no memory for a digest")
            }
        }

        deinit { unsafe EVP_MD_CTX_free(context) }

        /// Adds bytes: EVP_DigestUpdate(3).
        ///
        /// - Parameter bytes: what follows.
        package mutating func update(_ bytes: RawSpan) {
            unsafe bytes.withUnsafeBytes { buffer in unsafe update(buffer) }
        }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            if unsafe context == nil {
                checksum = unsafe HardwareCRC32C.checksum(bytes, continuing: checksum)
            } else {
                // Fails only for a context that was not begun, which `init` rules out.
                unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
            }
        }

        /// The digest of what was added so far; more may follow: EVP_DigestFinal_ex(3) of a copy.
        ///
        /// - Throws: an error if memory is short.
        package func value() throws(SystemError) -> ContentDigest {
            var bytes: [UInt8]
            if unsafe context == nil {
                bytes = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * UInt32($0))) }
            } else {
                let copy = try MessageDigest(copying: self)
                bytes = [UInt8](repeating: 0, count: algorithm.length)
                unsafe EVP_DigestFinal_ex(copy.context, &bytes, nil)
            }
            guard let digest = ContentDigest(algorithm, bytes: bytes) else {
                throw SystemError(.digest, number: 0, path: algorithm.rawValue, detail: "the digest has a wrong length")
            }
            return digest
        }
    }
#endif
