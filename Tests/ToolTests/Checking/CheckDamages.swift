// Damages that take more than a slip of a program: tables without their keys, triggers, values of other types.

import Foundation

extension CheckCommandTests {
    private static let zone = "SELECT Z_PK FROM ZYARD"
    private static let a3 = animal("a3")

    /// Makes a table again without its keys, so that nothing forbids what comes next. Its indexes stay.
    private static func keyless(_ table: String, _ sql: String) -> String {
        let indexes = [
            "ZYARD": ["(Z_ENT)"], "Z_4MEMBERS": ["(Z_6MEMBERS, Z_4CLUBS)"],
            "ZANIMAL": ["(Z_ENT)", "(ZKENNEL)", "(ZOWNER)", "(ZTRAINER)", "(Z6WISHES)"],
        ]
        return """
            CREATE TABLE bare AS SELECT * FROM \(table);
            DROP TABLE \(table);
            ALTER TABLE bare RENAME TO \(table);
            \((indexes[table] ?? []).enumerated().map { "CREATE INDEX i\($0) ON \(table) \($1);" }.joined())
            \(sql)
            """
    }

    static let rareDamages = [
        // Rows of no entity.
        Damage(
            sql: "UPDATE ZYARD SET Z_ENT = 7", findings: [Expected("unknownEntity", "Yard", row: zone)]),
        Damage(
            sql: "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0); UPDATE ZYARD SET Z_ENT = 16001",
            findings: [Expected("unknownEntity", "Yard", row: zone)]),
        Damage(
            sql: "INSERT INTO Z_PRIMARYKEY VALUES (40, 'Ghost', 7, 0); UPDATE ZYARD SET Z_ENT = 40",
            findings: [Expected("unknownEntity", "Yard", row: zone)]),
        Damage(
            sql: keyless("ZYARD", "INSERT INTO ZYARD SELECT * FROM ZYARD"),
            findings: [Expected("duplicateRow", "Yard", row: zone), Expected("missingConstraint", "Yard")],
            mend: "SELECT 1", leaves: ["duplicateRow", "missingConstraint"]),
        Damage(
            sql: keyless("ZYARD", "UPDATE ZYARD SET Z_PK = 'x'"),
            findings: [Expected("unreadableValue", "Yard"), Expected("missingConstraint", "Yard")], mend: "SELECT 1",
            leaves: ["unreadableValue"]),
        // The animal may be there.
        Damage(
            sql: keyless("ZANIMAL", "UPDATE ZANIMAL SET Z_PK = 'x' WHERE ZTAG = 'a2'"),
            findings: [
                Expected("unreadableValue", "Animal"), Expected("danglingReference", "Owner", "favourite", row: ada),
                Expected("missingConstraint", "Animal"),
            ], mend: "SELECT 1", leaves: ["unreadableValue", "danglingReference"]),
        Damage(sql: "UPDATE ZYARD SET Z_PK = 0", findings: [Expected("forbiddenValue", "Zone", row: zone)]),
        // Values that their attributes can't hold, or that would become others.
        Damage(
            sql: "UPDATE ZYARD SET ZSIZE = 70000", findings: [Expected("unreadableValue", "Zone", "size", row: zone)]),
        Damage(
            sql: "UPDATE ZYARD SET ZSLOPE = 1e300", findings: [Expected("unreadableValue", "Zone", "slope", row: zone)]),
        Damage(
            sql: "UPDATE ZYARD SET ZSITE = 'http://example.org/a b'",
            findings: [Expected("unreadableValue", "Zone", "site", row: zone)]),
        Damage(
            sql: "UPDATE ZYARD SET ZNAME = CAST(x'4eff' AS TEXT)",
            findings: [Expected("unreadableValue", "Zone", "name", row: zone)]),
        Damage(
            sql: "UPDATE ZOWNER SET ZPHOTO = 5 WHERE ZNAME = 'Ben'",
            findings: [Expected("unreadableValue", "Owner", "photo", row: ben)]),
        Damage(
            sql: "UPDATE ZOWNER SET ZPHOTO = 'text' WHERE ZNAME = 'Ben'",
            findings: [Expected("unreadableValue", "Owner", "photo", row: ben)]),
        Damage(
            sql: "UPDATE ZOWNER SET Z_OPT = NULL WHERE ZNAME = 'Ben'",
            findings: [Expected("missingVersion", "Owner", row: ben)],
            mend: "UPDATE ZOWNER SET Z_OPT = 1 WHERE ZNAME = 'Ben'"),
        // Links.
        Damage(
            sql: "UPDATE ZOWNER SET Z1_FAVOURITE = 'x' WHERE ZNAME = 'Ada'",
            findings: [Expected("wrongEntityNumber", "Owner", "favourite", row: ada)],
            mend: "UPDATE ZOWNER SET Z1_FAVOURITE = 2 WHERE ZNAME = 'Ada'"),
        Damage(
            sql: keyless("Z_4MEMBERS", "INSERT INTO Z_4MEMBERS SELECT * FROM Z_4MEMBERS WHERE Z_6MEMBERS = (\(ada))"),
            findings: [
                Expected("duplicateLink", "Club", "members", row: chess),
                Expected("missingConstraint", "Club", "members"),
            ],
            mend: "DELETE FROM Z_4MEMBERS WHERE rowid = (SELECT MAX(rowid) FROM Z_4MEMBERS)"),
        Damage(
            sql: keyless("Z_4MEMBERS", "INSERT INTO Z_4MEMBERS VALUES ('x', NULL, 5000)"),
            findings: [
                Expected("unreadableValue", "Club", "members"), Expected("missingConstraint", "Club", "members"),
            ],
            mend: "SELECT 1", leaves: ["unreadableValue"]),
        Damage(
            sql: "UPDATE ZANIMAL SET Z6WISHES = 'x' WHERE ZTAG = 'a3'",
            findings: [Expected("unreadableValue", "Dog", row: a3)]),
        // An animal that is no dog has no trainer, and a place among the trained ones isn't missing.
        Damage(
            sql: "UPDATE ZANIMAL SET ZTRAINER = (\(ada)) WHERE ZTAG = 'a1'",
            findings: [Expected("wrongDestination", "Animal", row: animal("a1"))]),
        Damage(
            sql: "INSERT INTO Z_4STARS (Z_2STARS, Z_4SHOWS) SELECT (\(animal("a1"))), Z_PK FROM ZCLUB",
            findings: [Expected("wrongDestination", "Club", "stars", row: chess)]),
        // Order.
        Damage(
            sql: "UPDATE ZANIMAL SET Z_FOK_OWNER = 'x' WHERE ZTAG = 'a3'",
            findings: [Expected("brokenOrder", "Owner", "animals", row: ada)],
            mend: "UPDATE ZANIMAL SET Z_FOK_OWNER = 4096 WHERE ZTAG = 'a3'"),
        Damage(
            sql: "UPDATE ZANIMAL SET Z_FOK_OWNER = 2048.5 WHERE ZTAG = 'a2'",
            findings: [Expected("brokenOrder", "Owner", "animals", row: ada)],
            mend: "UPDATE ZANIMAL SET Z_FOK_OWNER = 3072 WHERE ZTAG = 'a2'"),
        // Counters.
        Damage(
            sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Badge'",
            findings: [Expected("spentKeyCounter", "Badge")]),
        Damage(
            sql: "DELETE FROM ZYARD; UPDATE Z_PRIMARYKEY SET Z_MAX = 'x' WHERE Z_NAME = 'Yard'",
            findings: [Expected("lowKeyCounter", "Yard")],
            mend: "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Yard'"),
        Damage(
            sql: keyless(
                "ZYARD",
                """
                UPDATE ZYARD SET Z_PK = 'x';
                UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_NAME = 'Yard'
                """),
            findings: [
                Expected("unreadableValue", "Yard"), Expected("missingConstraint", "Yard"),
                Expected("lowKeyCounter", "Yard"),
            ],
            mend: "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Yard'", leaves: ["unreadableValue"]),
        // Repairs that come to nothing.
        Damage(
            sql: """
                UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada';
                CREATE TRIGGER t BEFORE UPDATE ON ZOWNER BEGIN SELECT RAISE(IGNORE); END
                """,
            findings: [Expected("danglingReference", "Owner", "favourite", row: ada)], mend: "SELECT 1",
            leaves: ["danglingReference"]),
        Damage(
            sql: """
                UPDATE ZANIMAL SET Z_FOK_OWNER = NULL WHERE ZTAG = 'a1';
                CREATE TRIGGER t BEFORE UPDATE ON ZANIMAL BEGIN SELECT RAISE(ABORT, 'no'); END
                """,
            findings: [Expected("brokenOrder", "Owner", "animals", row: ada)], mend: "SELECT 1", leaves: ["brokenOrder"]
        ),
        // What a trigger does besides is found, too.
        Damage(
            sql: """
                UPDATE ZOWNER SET ZFAVOURITE = 99 WHERE ZNAME = 'Ada';
                CREATE TRIGGER t AFTER UPDATE ON ZOWNER BEGIN UPDATE ZYARD SET Z_ENT = 7; END
                """,
            findings: [Expected("danglingReference", "Owner", "favourite", row: ada)],
            mend: """
                UPDATE ZOWNER SET ZFAVOURITE = NULL, Z1_FAVOURITE = NULL WHERE ZNAME = 'Ada'
                """, leaves: ["unknownEntity"], comes: [Expected("unknownEntity", "Yard", row: zone)]),
    ]
}
