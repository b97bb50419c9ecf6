#if canImport(HaulCurl)
    import HaulCore
    import HaulCurl

    extension NetworkChoice {
        /// libcurl, wherever there is one.
        static let curl = NetworkChoice(
            make: { () throws(TransportError) in AnyTransport(try CurlTransport()) },
            parse: { (text, base) throws(InvalidURL) in try CurlURLParser.parse(text, relativeTo: base) })
    }
#endif
