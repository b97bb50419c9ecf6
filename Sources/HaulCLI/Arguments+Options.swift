import Haul

extension Arguments {
    /// Puts what was typed about this request into it.
    func apply(to request: inout DownloadRequest) {
        request.referer = referer
        request.cookies = cookies.isEmpty ? nil : cookies.joined(separator: "; ")
        request.checksumFile = checksumFile
        request.range = range
    }

    /// Puts what was typed about every request into the options.
    func apply(to options: inout DownloadOptions) {
        options.netrc = netrcFile.map { .file($0) } ?? (netrc ? .home : .never)
        options.trustsRedirects = locationTrusted
        options.cookieFile = cookieFile
        options.cookieJar = cookieJar
        options.proxy = proxy
        options.clientCertificateFile = certificate
        options.clientKeyFile = key
        options.minimumTLSVersion = minimumTLSVersion
        options.ipVersion = ipVersion
        options.interface = interface
        options.resolve = resolve
        options.prefersHTTP2 = http2
        options.maximumTime = maximumTime
        options.temporaryDirectory = temporaryDirectory
    }
}

extension Invocation.Judges {
    /// A path, where an address would do as well; nil for an address.
    private static func localPath(_ file: String) -> String? {
        Downloader.isAddress(file) ? nil : file
    }

    /// Makes sure that the files which options name are there, before anything touches the network.
    ///
    /// - Throws: which option names a file that can't be read or written.
    func checkFiles(_ arguments: Arguments) throws(UsageError) {
        let files: [(flag: String, path: String?)] = [
            ("cacert", arguments.trustFile), ("cert", arguments.certificate), ("key", arguments.key),
            ("netrc-file", arguments.netrcFile), ("cookie", arguments.cookieFile),
            ("checksum-file", arguments.checksumFile.flatMap(Self.localPath)),
        ]
        let metalinks = arguments.metalinks.map { ("metalink", Self.localPath($0)) }
        for (flag, path) in files + metalinks {
            guard let path, let reason = unreadable(path) else { continue }
            if ["checksum-file", "metalink"].contains(flag), path.contains("://") {
                throw UsageError(
                    "option '--\(flag)': '\(Printable.escaping(path))' is not an http or https address, nor a file")
            }
            let hint = flag == "cookie" ? "write name=value, or check the path" : "check the path"
            throw UsageError("option '--\(flag)': can't read '\(Printable.escaping(path))': \(reason): \(hint)")
        }
        try checkContents(arguments)
        if arguments.netrcFile != nil {
            do throws(DownloadError) { try checkNetrc(FetchJob.options(arguments)) } catch {
                throw UsageError(Printable.escaping(error.message))
            }
        }
        if let jar = arguments.cookieJar, isDirectory(jar) {
            throw UsageError("option '--cookie-jar': '\(Printable.escaping(jar))' is a directory: give a file")
        }
        if let jar = arguments.cookieJar, !mayBeWritten(jar) {
            throw UsageError(
                "option '--cookie-jar': '\(Printable.escaping(jar))' is a link or no file: give a file of one name")
        }
        if let jar = arguments.cookieJar {
            let name = jar.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
            let directory = String(jar.dropLast(name.count))
            if !directory.isEmpty, !isDirectory(directory) {
                throw UsageError(
                    "option '--cookie-jar': '\(Printable.escaping(directory))' is no directory: make it first")
            }
        }
        if let directory = arguments.temporaryDirectory, !isDirectory(directory) {
            throw UsageError(
                "option '--temp-directory': '\(Printable.escaping(directory))' is no directory: make it first")
        }
    }

    /// Makes sure that what libraries read in silence, or later, is what it has to be.
    private func checkContents(_ arguments: Arguments) throws(UsageError) {
        let files: [(flag: String, path: String?, kind: FileKind)] = [
            ("cacert", arguments.trustFile, .certificates), ("cert", arguments.certificate, .certificates),
            ("key", arguments.key, .key), ("cookie", arguments.cookieFile, .cookies),
        ]
        for (flag, path, kind) in files {
            guard let path, !holds(path, kind) else { continue }
            throw UsageError(
                "option '--\(flag)': '\(Printable.escaping(path))' holds no \(kind.words.content): "
                    + kind.words.advice)
        }
    }
}
