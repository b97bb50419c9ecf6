/// Which network a downloader uses, and what can be told about it before there is one.
package struct NetworkChoice: Sendable {
    /// Makes the transport; called once, with the first download.
    package let make: @Sendable () throws(TransportError) -> AnyTransport
    /// Takes an address apart as that transport does; see `Transport.parse`.
    package let parse: @Sendable (String, ResourceURL?) throws(InvalidURL) -> ResourceURL
    /// Says which of the options that transport can't carry out, nil if it can do them all.
    ///
    /// Nil for one that can do them all in any case.
    package let objection: (@Sendable (ConnectionOptions) -> String?)?

    /// Makes a choice.
    package init(
        make: @escaping @Sendable () throws(TransportError) -> AnyTransport,
        parse: @escaping @Sendable (String, ResourceURL?) throws(InvalidURL) -> ResourceURL,
        objection: (@Sendable (ConnectionOptions) -> String?)? = nil
    ) {
        self.make = make
        self.parse = parse
        self.objection = objection
    }
}
