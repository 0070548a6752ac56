// Heroes by the thousand, for jobs that have to last a moment.

/// Returns a JSON array of heroes with the IDs from 1 up, each with its publisher and a power.
///
/// - Parameter sharing: Whether heroes share publishers and powers. Otherwise each hero is three objects.
func generatedHeroes(_ count: Int, sharing: Bool = true) -> String {
    let heroes = (1...count).map { id in
        let (publisher, power) = sharing ? (id % 7, id % 11) : (id, id)
        return """
            {"id": "\(id)", "name": "Hero \(id) äöü", "rescues": \(id % 50), \
            "appearance": {"first_seen": "2001-02-03T04:05:06Z"}, \
            "publisher": {"id": "\(publisher)", "name": "Publisher \(publisher)"}, \
            "powers": [{"id": "\(power)", "name": "Power \(power)"}]}
            """
    }
    return "[\n" + heroes.joined(separator: ",\n") + "\n]\n"
}
