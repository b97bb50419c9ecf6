import CCurl

/// A list of strings that libcurl reads while a transfer runs (`curl_slist`).
@safe struct StringList: ~Copyable {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// Makes a list with copies of `strings`, nil if memory is short.
    ///
    /// C function: `curl_slist_append`.
    init?(_ strings: [String]) {
        unsafe first = nil
        for string in strings {
            guard let longer = unsafe curl_slist_append(first, string) else { return nil }
            unsafe first = longer
        }
    }

    deinit { unsafe curl_slist_free_all(first) }
}
