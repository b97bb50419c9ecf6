/// The lists of a request, which libcurl does not copy.
struct RequestLists: ~Copyable {
    let fields: StringList
    let addresses: StringList
}
