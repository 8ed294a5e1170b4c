import SyncServerHTTP

/// The description of the protocol, as far as the tests read it.
struct OpenAPIDocument {
    let json: TestJSON

    init() throws { json = try TestJSON(SyncService.openAPI) }

    func schema(_ name: String) -> TestJSON? { json.at("components", "schemas", name) }

    /// Follows a reference.
    func resolved(_ schema: TestJSON) -> TestJSON? {
        guard let reference = schema["$ref"]?.text else { return schema }
        return self.schema(String(reference.dropFirst("#/components/schemas/".count)))
    }

    /// Returns the ways in which a value differs from a schema. Notes each member that it finds.
    func differences(
        _ value: TestJSON, _ reference: TestJSON, _ place: String, _ found: inout Set<String>
    ) -> [String] {
        guard let schema = resolved(reference) else { return ["\(place): a reference leads nowhere"] }
        if let choices = schema["oneOf"]?.elements {
            let results = choices.map { choice -> ([String], Set<String>) in
                var members: Set<String> = []
                return (differences(value, choice, place, &members), members)
            }
            let matches = results.filter(\.0.isEmpty)
            guard matches.count == 1 else { return ["\(place): \(matches.count) of the choices match"] }
            found.formUnion(matches[0].1)
            return []
        }
        guard let type = schema["type"] else { return [] }
        let types = type.elements?.compactMap(\.text) ?? [type.text ?? ""]
        guard types.contains(value.type) else { return ["\(place): \(value.type) instead of \(types)"] }
        var problems = limitDifferences(value, schema, place)
        if let items = schema["items"] {
            for element in value.elements ?? [] { problems += differences(element, items, place + "[]", &found) }
        }
        guard let members = value.members else { return problems }
        let properties = schema["properties"]?.members ?? [:]
        for name in (schema["required"]?.elements ?? []).compactMap(\.text) where members[name] == nil {
            problems.append("\(place): \(name) is missing")
        }
        let title = reference["$ref"]?.text.map { String($0.dropFirst("#/components/schemas/".count)) } ?? place
        for (name, member) in members {
            found.insert("\(title).\(name)")
            guard let property = properties[name] else {
                problems.append("\(place): \(name) is not described")
                continue
            }
            problems += differences(member, property, "\(place).\(name)", &found)
        }
        return problems
    }

    private func limitDifferences(_ value: TestJSON, _ schema: TestJSON, _ place: String) -> [String] {
        var isWithin = true
        if let number = value.number {
            isWithin = number >= schema["minimum"]?.number ?? .min && number <= schema["maximum"]?.number ?? .max
        } else if let text = value.text {
            let count = Int64(text.unicodeScalars.count)
            isWithin = count >= schema["minLength"]?.number ?? 0 && count <= schema["maxLength"]?.number ?? .max
        } else if let elements = value.elements {
            isWithin = Int64(elements.count) <= schema["maxItems"]?.number ?? .max
        }
        return isWithin ? [] : ["\(place): over a limit"]
    }

    /// The members that a message may have, as `Schema.member`.
    var describedMembers: Set<String> {
        var members: Set<String> = []
        for (name, schema) in json.at("components", "schemas")?.members ?? [:] {
            for member in schema["properties"]?.members?.keys.sorted() ?? [] { members.insert("\(name).\(member)") }
        }
        return members
    }
}
