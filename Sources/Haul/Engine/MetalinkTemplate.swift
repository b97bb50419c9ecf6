/// What all files of a metalink have in common.
struct MetalinkTemplate: Sendable {
    /// A request, complete but for what the metalink says.
    let request: DownloadRequest
    /// Where the files go.
    let directory: String
    /// How they will be fetched.
    let options: DownloadOptions
}
