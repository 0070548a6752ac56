// The zone of the device: each import runs in a process that has its own.

import Foundation
import Testing

@Suite struct DeviceZoneTests {
    private static let model = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="A" representedClassName="NSManagedObject">
                <attribute name="d" optional="YES" attributeType="Date"/>
                <attribute name="e" optional="YES" attributeType="Date">
                    <userInfo><entry key="JSONDateFormat" value="yyyy-MM-dd HH:mm"/></userInfo>
                </attribute>
            </entity>
        </model>
        """

    // 39 MagicalRecord#484, #605, #700, PR#551
    @Test(arguments: ["UTC", "Asia/Tokyo", "America/New_York"])
    func `39: locale and zone don't come from the device`(zone: String) throws {
        let folder = try TemporaryFolder()
        let model = folder.url.appending(path: "A.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(Self.model.utf8).write(to: model.appending(path: "contents"))
        _ = try folder.file("a.json", #"[{"d": "2014-01-02T13:00:00Z", "e": "2014-01-02 13:00"}]"#)
        let script = """
            export TZ=\(zone) LC_ALL=ja_JP.UTF-8
            "$GRAFT" import a.json --store A.sqlite --model A.xcdatamodel >/dev/null
            "$GRAFT" export --store A.sqlite --entity A --where 'd == e'
            """
        let run = try shell(script, in: folder).succeeded()
        #expect(run.text.contains("2014-01-02T13:00:00Z"))
    }
}
