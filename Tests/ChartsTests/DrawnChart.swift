import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A picture as an XML reader sees it.
final class DrawnChart: NSObject, XMLParserDelegate {
    struct Element {
        let name: String
        let attributes: [String: String]
        /// The names of the elements around it.
        let path: [String]
        /// Its own text, and that of its `title`.
        var text = ""
        var title: String?

        func number(_ name: String) -> Double { attributes[name].flatMap(Double.init) ?? .nan }
    }

    struct Box {
        let text: String
        let x: ClosedRange<Double>
        let y: ClosedRange<Double>
    }

    private(set) var elements: [Element] = []
    private var open: [Int] = []
    private(set) var isWellFormed = false

    init(_ svg: String) {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        isWellFormed = parser.parse()
    }

    func parser(
        _: XMLParser, didStartElement name: String, namespaceURI _: String?, qualifiedName _: String?,
        attributes: [String: String]
    ) {
        elements.append(Element(name: name, attributes: attributes, path: open.map { elements[$0].name }))
        open.append(elements.count - 1)
    }

    func parser(_: XMLParser, foundCharacters text: String) {
        guard let last = open.last else { return }
        elements[last].text += text
    }

    func parser(_: XMLParser, didEndElement name: String, namespaceURI _: String?, qualifiedName _: String?) {
        guard let ended = open.popLast(), name == "title", let parent = open.last else { return }
        elements[parent].title = elements[ended].text
    }

    func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    var width: Double { elements.first?.number("width") ?? .nan }
    var height: Double { elements.first?.number("height") ?? .nan }
    /// The text alternatives, one for each chart.
    var words: [String] { all("desc").map(\.text) }
    /// The bars of a measure; a swatch of the legend has no title.
    func bars(_ measure: Int) -> [Element] {
        all("rect").filter { bar in
            bar.title != nil
                && (measure == 0
                    ? bar.attributes["fill"] == "currentColor"
                    : bar.attributes["fill"]?.hasSuffix("-\(measure))") == true)
        }
    }

    /// Where the texts are, by an estimate of an ordinary font.
    var boxes: [Box] {
        all("text").filter { !$0.text.isEmpty }.map { text in
            let size = text.attributes["font-size"].flatMap(Double.init) ?? 12
            let em = text.text.reduce(0) { $0 + ($1.isASCII ? $1.isLetter || $1.isNumber ? 0.56 : 0.35 : 0.7) }
            let width = em * size * (text.attributes["font-weight"] == nil ? 1 : 1.06)
            let start =
                switch text.attributes["text-anchor"] {
                case "end": text.number("x") - width
                case "middle": text.number("x") - width / 2
                default: text.number("x")
                }
            let y = text.number("y")
            return Box(text: text.text, x: start...(start + width), y: (y - size * 0.75)...(y + size * 0.2))
        }
    }

    /// The pairs of texts that cover each other.
    var overlaps: [String] {
        let boxes = boxes.sorted { $0.y.lowerBound < $1.y.lowerBound }
        return boxes.indices.flatMap { first in
            boxes[(first + 1)...].prefix { $0.y.lowerBound < boxes[first].y.upperBound }
                .filter { $0.x.overlaps(boxes[first].x) }.map { "`\(boxes[first].text)` and `\($0.text)`" }
        }
    }

    /// The texts and bars that are not within the picture.
    var outside: [String] {
        let texts = boxes.filter { $0.x.lowerBound < 0 || $0.x.upperBound > width || $0.y.upperBound > height }
        let bars = all("rect").filter { bar in
            guard bar.attributes["x"] != nil else { return false }
            return bar.number("x") < 0 || bar.number("x") + bar.number("width") > width || bar.number("y") < 0
                || bar.number("y") + bar.number("height") > height
        }
        return texts.map(\.text) + bars.map { "\($0.attributes)" }
    }
}
