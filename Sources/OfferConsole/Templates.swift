import Mustache

/// The pages' templates, built into the program.
enum Templates {
    static let layout = Result {
        try MustacheTemplate(string: String(decoding: PackageResources.layout_mustache, as: UTF8.self))
    }
}
