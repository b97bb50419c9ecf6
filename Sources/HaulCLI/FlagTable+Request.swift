extension FlagTable {
    /// Options that say who asks, which way, and with which secrets.
    static let requestFlags: [Flag] = [
        Flag(
            "netrc", nil, nil, .request, "take names and passwords from ~/.netrc",
            details: """
                An entry goes to the host that it names; the entry for all hosts (default) to the URL's own only. -u \
                goes before it. A mistake in the file is a warning that names the line.
                """
        ) { arguments, _ in arguments.netrc = true },
        Flag(
            "netrc-file", nil, "FILE", .request, "take names and passwords from FILE, in netrc's format",
            details: "A mistake in FILE is an error that names the line, before anything is fetched.",
            completion: .files
        ) { arguments, given throws(UsageError) in arguments.netrcFile = try given.nonEmpty() },
        Flag("referer", "e", "URL", .request, "send URL as the page that led here (Referer)") {
            arguments, given throws(UsageError) in
            arguments.referer = try given.fieldValue()
        },
        Flag(
            "cookie", "b", "TEXT|FILE", .request, "send cookies: 'name=value; name=value', or those in FILE",
            details: """
                With a = it is text, and goes to the scheme, host and port of the URL only. A file is in Netscape's \
                format; each of its cookies goes to the hosts that it names.
                """,
            completion: .files
        ) { arguments, given throws(UsageError) in
            let text = try given.nonEmpty()
            if text.contains("=") { arguments.cookies.append(text) } else { arguments.cookieFile = text }
        },
        Flag(
            "cookie-jar", nil, "FILE", .request, "write all cookies to FILE, in Netscape's format", completion: .files
        ) { arguments, given throws(UsageError) in arguments.cookieJar = try given.nonEmpty() },
        Flag(
            "proxy", "x", "URL", .request, "go through a proxy, such as http://name:password@host:3128",
            details: """
                http, https, socks4, socks4a, socks5 and socks5h are known. Without it http_proxy, https_proxy, \
                all_proxy and no_proxy count; an empty URL is no proxy.
                """
        ) { arguments, given in arguments.proxy = given.text },
        Flag(
            "location-trusted", nil, nil, .request, "send headers, cookies and passwords to redirected hosts too",
            details: "Only when every host that the server may name is trusted with them."
        ) { arguments, _ in arguments.locationTrusted = true },
    ]
}
