import Foundation
import Testing
import Yams

@testable import OfferHTTP

/// `openapi.yaml` as the server gives it.
struct OpenAPIDocument {
    /// One call: a path with a method.
    struct Call: Sendable {
        var method: String
        var path: String
        /// The roles; empty for a call that needs no key.
        var roles: [String]

        /// `GET /v1/catalog`.
        var name: String { "\(method) \(path)" }
    }

    /// An object that may have examples: the content of a request or an answer in one media type.
    struct Content {
        /// Where it stands, for messages.
        var place: String
        /// The status of an answer; `nil` for a request.
        var status: String?
        var mediaType: String
        /// The names of the examples among the components.
        var examples: [String]
        /// Whether an example stands right there.
        var hasOwnExample: Bool
    }

    let root: [String: Any]

    init() throws {
        let text = String(decoding: OfferServer.description, as: UTF8.self)
        root = try #require(try Yams.load(yaml: text) as? [String: Any])
    }

    /// Every call, by path and method.
    var calls: [Call] {
        get throws {
            let paths = try #require(root["paths"] as? [String: [String: [String: Any]]])
            return try paths.flatMap { path, methods in
                try methods.map { method, entry in
                    let roles = try #require(entry["x-roles"] as? [String], "\(method) \(path) has no x-roles")
                    return Call(method: method.uppercased(), path: path, roles: roles)
                }
            }
            .sorted { $0.name < $1.name }
        }
    }

    /// The whole entry of a call, by its name.
    func entry(_ name: String) throws -> [String: Any] {
        let words = name.split(separator: " ").map(String.init)
        let paths = try #require(root["paths"] as? [String: [String: [String: Any]]])
        return try #require(paths[words[1]]?[words[0].lowercased()], "\(name) is not described")
    }

    /// The answers of a call, by status.
    func answers(_ name: String) throws -> [String: [String: Any]] {
        try #require(try entry(name)["responses"] as? [String: [String: Any]])
    }

    /// The components of a kind, such as `schemas`.
    func components(_ kind: String) throws -> [String: [String: Any]] {
        let components = try #require(root["components"] as? [String: Any])
        return try #require(components[kind] as? [String: [String: Any]])
    }

    /// The target of a reference; the node itself if it is not one.
    func resolved(_ node: [String: Any]) throws -> [String: Any] {
        guard let reference = node["$ref"] as? String else { return node }
        let words = reference.split(separator: "/").map(String.init)
        let target = try words.count == 4 ? components(words[2])[words[3]] : nil
        return try resolved(try #require(target, "\(reference) leads nowhere"))
    }

    /// Every content of every request and answer, the shared answers where they are used and by themselves.
    var contents: [Content] {
        get throws {
            var contents = [Content]()
            for call in try calls {
                if let body = try entry(call.name)["requestBody"] as? [String: Any] {
                    contents += try content(of: body, at: "\(call.name) request", status: nil)
                }
                for (status, answer) in try answers(call.name) {
                    contents += try content(of: answer, at: "\(call.name) \(status)", status: status)
                }
            }
            for (name, answer) in try components("responses") {
                contents += try content(of: answer, at: "components.responses.\(name)", status: nil)
            }
            return contents
        }
    }

    private func content(of node: [String: Any], at place: String, status: String?) throws -> [Content] {
        let types = try resolved(node)["content"] as? [String: [String: Any]] ?? [:]
        return types.map { type, media in
            let examples = media["examples"] as? [String: [String: String]] ?? [:]
            let prefix = "#/components/examples/"
            return Content(
                place: "\(place) \(type)", status: status, mediaType: type,
                examples: examples.values.compactMap { $0["$ref"] }.map { $0.replacing(prefix, with: "") }.sorted(),
                hasOwnExample: media["example"] != nil)
        }
    }
}
