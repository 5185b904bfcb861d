import Foundation
import Logging
import OfferDocuments
import Synchronization
import Testing

@testable import OfferdCommands

@Suite("The log on standard error")
struct LogLinesTests {
    /// What was written, one text for each time.
    private final class Written: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }

        func take(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
            texts.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            return []
        }
    }

    private static func logger(_ lines: LogLines) -> Logger {
        var logger = Logger(label: "offerd") { LineLogHandler(label: $0, lines: lines) }
        logger.logLevel = .info
        return logger
    }

    @Test("a line is time, level, label, source and message, and then metadata by name")
    func form() throws {
        let written = Written()
        let lines = LogLines { written.take($0) }
        var logger = Self.logger(lines)
        logger[metadataKey: "request.id"] = "1"
        logger[metadataKey: "b"] = "own"
        logger[metadataKey: "gone"] = "x"
        logger[metadataKey: "gone"] = nil
        logger.info("answered", metadata: ["b": "given", "a": "\(1 + 1)"], source: "OfferHTTP")
        logger.debug("not logged")
        lines.flush()
        let text = try #require(written.all.first)
        let time = try Regex(#"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} "#)
        let rest = text[try #require(text.firstMatch(of: time)).range.upperBound...]
        #expect(rest == "info offerd: [OfferHTTP] answered a=2 b=given request.id=1\n")
        #expect(logger[metadataKey: "b"] == "own")
        #expect(logger.handler.metadata == ["b": "own", "request.id": "1"])
    }

    @Test("as JSON a line is one object, whatever is in it")
    func json() throws {
        let written = Written()
        let lines = LogLines(.json) { written.take($0) }
        var logger = Self.logger(lines)
        logger[metadataKey: "request.id"] = "1"
        logger[metadataKey: "own"] = .stringConvertible(Int64.max)
        logger.info(
            "a \"b\"\n\u{2028}c",
            metadata: [
                "list": ["x", "y"], "d": "\\", "status": .stringConvertible(201), "less": .stringConvertible(-1),
                "digits": "0123", "other": .stringConvertible("7" as Substring),
            ], source: "OfferHTTP")
        lines.flush()
        let text = try #require(written.all.first)
        #expect(text.hasSuffix("}\n"))
        #expect(text.dropLast().allSatisfy { !$0.isNewline })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["label"] as? String == "offerd")
        #expect(object["level"] as? String == "info")
        #expect(object["message"] as? String == "a \"b\"\n\u{2028}c")
        #expect(object["source"] as? String == "OfferHTTP")
        let metadata = try #require(object["metadata"] as? [String: Any])
        #expect(
            metadata.compactMapValues { $0 as? String } == [
                "request.id": "1", "list": #"["x", "y"]"#, "d": "\\", "digits": "0123", "other": "7",
            ])
        #expect(metadata["status"] as? Int == 201 && metadata["less"] as? Int == -1)
        #expect(metadata["own"] as? Int == .max)
        #expect(metadata.count == 8)
        let time = try #require(object["ts"] as? String)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/) != nil)
        #expect(object.count == 6)
    }

    @Test("a warning is written with all lines before it, without a flush")
    func urgent() async {
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        let lines = LogLines {
            text.yield(String(decoding: $0, as: UTF8.self))
            return []
        }
        let logger = Self.logger(lines)
        logger.info("first")
        logger.warning("second")
        var written = ""
        for await text in texts {
            written += text
            if written.hasSuffix("second\n") { break }
        }
        #expect(written.split(separator: "\n").map { $0.suffix(6) } == [" first", "second"])
    }

    @Test("a line that nothing follows is written soon all the same")
    func soon() async throws {
        let (texts, text) = AsyncStream.makeStream(of: String.self)
        let lines = LogLines {
            text.yield(String(decoding: $0, as: UTF8.self))
            return []
        }
        Self.logger(lines).info("alone")
        let first = await texts.first { _ in true }
        #expect(first?.hasSuffix("alone\n") == true)
    }

    @Test("of many tasks that log at once no line is lost, broken or out of its task's order")
    func together() async {
        let written = Written()
        let lines = LogLines { written.take($0) }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let logger = Self.logger(lines)
                    for number in 0..<500 { logger.info("\(task) \(number)") }
                }
            }
        }
        lines.flush()
        var next = [Int](repeating: 0, count: 8)
        for line in written.all.joined().split(separator: "\n") {
            let words = line.split(separator: " ").suffix(2).compactMap { Int($0) }
            guard words.count == 2 else {
                Issue.record("\(line)")
                continue
            }
            #expect(words[1] == next[words[0]], "\(line)")
            next[words[0]] += 1
        }
        #expect(next == [Int](repeating: 500, count: 8))
    }
}
