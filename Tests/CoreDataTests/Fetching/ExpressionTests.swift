// Expressions by themselves: contents, values, equality, archives.

import Testing

@testable import CoreData

@Suite struct ExpressionTests {
    @Test func `each kind of expression says what it is and what it has`() {
        #expect(NSExpression(forConstantValue: "x").constantValue as? String == "x")
        #expect(NSExpression(forConstantValue: nil).constantValue == nil)
        #expect(NSExpression(forKeyPath: "a.b").keyPath == "a.b")
        #expect(NSExpression(forVariable: "v").variable == "v")
        #expect(NSExpression.expressionForEvaluatedObject().expressionType == .evaluatedObject)
        let sum = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "price")])
        #expect(sum.expressionType == .function && sum.function == "sum:")
        #expect(sum.arguments == [NSExpression(forKeyPath: "price")])
        let list = NSExpression(forAggregate: [1, NSExpression(forKeyPath: "a")])
        #expect(list.expressionType == .aggregate)
        #expect((list.collection as? [NSExpression])?.count == 2)
        let predicate = NSPredicate(format: "$i.x > 1")
        let subquery = NSExpression(
            forSubquery: NSExpression(forKeyPath: "items"), usingIteratorVariable: "i", predicate: predicate)
        #expect(subquery.expressionType == .subquery && subquery.variable == "i")
        #expect(subquery.predicate.isEqual(predicate))
        let conditional = NSExpression(
            forConditional: NSPredicate(value: true), trueExpression: NSExpression(forConstantValue: 1),
            falseExpression: NSExpression(forConstantValue: 2))
        #expect(conditional.expressionType == .conditional)
        #expect(conditional.true.constantValue as? Int == 1 && conditional.false.constantValue as? Int == 2)
        let union = NSExpression(forUnionSet: list, with: list)
        #expect(union.expressionType == .unionSet && union.left == list && union.right == list)
    }

    @Test func `values are computed for an object`() {
        let object: [String: Any] = ["a": 2, "items": [["p": 1], ["p": 5]]]
        #expect(NSExpression(format: "a * 3 + %d", 1).expressionValue(with: object, context: nil) as? Int == 7)
        #expect(NSExpression(forKeyPath: "items.@max.p").expressionValue(with: object, context: nil) as? Int == 5)
        #expect(NSExpression(format: "$x + a").expressionValue(with: object, context: ["x": 1]) as? Int == 3)
        #expect(NSExpression(format: "nothing").expressionValue(with: object, context: nil) == nil)
        let block = NSExpression(
            block: { object, arguments, _ in "\(arguments[0])-\((object as? [String: Any])?.count ?? 0)" },
            arguments: [NSExpression(forKeyPath: "a")])
        #expect(block.expressionValue(with: object, context: nil) as? String == "2-2")
    }

    /// `expressionValue(with:context:)` asks the object for `value(forKeyPath:)`.
    @Test func `the value of a key path is as the object has it`() throws {
        let library = try Library(.inMemory)
        let author = library.insert("Author", ["name": "Ada"])
        let price = NSDecimalNumber(string: "12345678901234567890.25"), link = URL(filePath: "/a")
        let book = library.insert("Book", ["price": price, "link": link, "author": author, "isLent": true])
        let value = { (format: String, object: NSManagedObject) in
            NSExpression(format: format).expressionValue(with: object, context: ["it": object])
        }
        #expect(value("price", book) as? NSDecimalNumber == price && value("link", book) as? URL == link)
        #expect(value("$it.price", book) as? NSDecimalNumber == price)
        #expect(value("TERNARY(isLent == YES, link, nil)", book) as? URL == link)
        #expect(value("books", author) as? Set<NSManagedObject> == [book])
        #expect(value("author.books", book) as? NSSet == [book])
        #expect(value("books.link", author) as? NSSet == [link])
        #expect(value("books.@count", author) as? Int == 1)
        #expect(value("{1, 2} INTERSECT {2, 3}", author) as? NSSet == [2])
    }

    @Test func `raw values are those of Foundation on Apple's platforms`() {
        #expect(NSExpression.ExpressionType.subquery.rawValue == 13)
        #expect(NSExpression.ExpressionType.aggregate.rawValue == 14)
        #expect(NSExpression.ExpressionType.conditional.rawValue == 20)
        #expect(NSComparisonPredicate.Operator.contains.rawValue == 99)
        #expect(NSComparisonPredicate.Operator.between.rawValue == 100)
        #expect(NSComparisonPredicate.Operator.in.rawValue == 10)
        #expect(NSComparisonPredicate.Options([.caseInsensitive, .diacriticInsensitive, .normalized]).rawValue == 7)
    }

    @Test(arguments: [
        "a.b", "sum:(items.price) + 1", "{1, \"x\", nil}", "SUBQUERY(a, $x, $x.b > 1).@count", "FETCH($r, $c, YES)",
    ])
    func `expressions survive an archive`(_ format: String) throws {
        let expression = try NSExpression.parsing(format)
        let data = try NSKeyedArchiver.archivedData(withRootObject: expression, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpression.self, from: data))
        #expect(copy == expression)
        #expect(copy.description == format)
    }

    // NSFetchRequestExpression.h; the format is that of the mapping models that Xcode compiles.
    @Test func `a fetch in a format is a fetch request expression`() throws {
        let format =
            "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Book\", \"TRUEPREDICATE\"), "
            + "$manager.sourceContext, NO)"
        let fetch = try #require(NSExpression(format: format) as? NSFetchRequestExpression)
        #expect(fetch.description == format && NSExpression(format: fetch.description) == fetch)
        #expect(fetch.contextExpression == NSExpression(format: "$manager.sourceContext"))
        #expect(fetch.requestExpression.function.hasPrefix("fetchRequest") && !fetch.isCountOnlyRequest)
        #expect(fetch.expressionType.rawValue == 50)
        #expect(
            NSFetchRequestExpression.expression(
                forFetch: fetch.requestExpression, context: fetch.contextExpression, countOnly: false) == fetch)
        #expect(throws: PredicateError.self) { try NSExpression.parsing("FETCH($r, $c)") }
        #expect(throws: PredicateError.self) { try NSExpression.parsing("FETCH($r, $c, 'x')") }
    }

    @Test func `a fetch gives objects, or their number, whatever class the request asks for`() throws {
        let library = try Library(.inMemory)
        _ = library.insert("Tag", ["label": "a"])
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
        func value(_ flag: String, _ request: NSPersistentStoreRequest) -> Any? {
            NSExpression(format: "FETCH($r, $c, \(flag))")
                .expressionValue(with: nil, context: ["r": request, "c": library.context])
        }
        #expect((value("NO", request) as? [NSManagedObject])?.map { $0.text("label") } == ["a"])
        #expect(value("YES", NSFetchRequest<NSManagedObject>(entityName: "Tag")) as? Int == 1)
        #expect(request.resultType == .managedObjectResultType)
    }

    // Foundation raises for a selector that an object doesn't have.
    @Test(
        arguments: StoreKind.allCases,
        ["FUNCTION(name, 'bogus:', 1) == 1", "FUNCTION(rating, 'uppercaseString') == 'x'"])
    func `a method that there isn't fails a fetch, from either store`(_ kind: StoreKind, _ format: String) throws {
        let library = try Library(kind)
        _ = library.insert("Author", ["name": "Ada", "rating": 3.5])
        try library.context.save()
        let error = try #require(throws: CocoaError.self) {
            try library.fetch("Author", where: NSPredicate(format: format))
        }
        #expect(error.code == .persistentStoreOperation)
        #expect(error.localizedDescription.contains(format.contains("bogus") ? "'bogus:'" : "'uppercaseString'"))
    }

    @Test(arguments: StoreKind.allCases)
    func `methods of constants are computed, and fail, the same in either store`(_ kind: StoreKind) throws {
        let library = try Library(kind)
        _ = library.insert("Author", ["name": "Ada", "born": Date(timeIntervalSinceNow: -3600)])
        try library.context.save()
        let recent = NSPredicate(format: "born > FUNCTION(now(), \"dateByAddingTimeInterval:\", -86400)")
        #expect(try library.fetch("Author", where: recent).count == 1)
        #expect(throws: CocoaError.self) {
            try library.fetch("Author", where: NSPredicate(format: "name == FUNCTION('a', 'bogus:', 1)"))
        }
    }

    @Test func `what a key path begins with is computed once`() {
        var count = 0
        let block = NSExpression(
            block: { _, _, _ in
                count += 1
                return ["a": count]
            }, arguments: nil)
        let path = NSExpression(node: .keyPath(operand: block, path: KeyPathSteps("a")))
        #expect(path.expressionValue(with: nil, context: nil) as? Int == 1 && count == 1)
    }

    @Test func `generated code can name key paths`() {
        final class Thing: NSObject {
            var size: Int { 1 }
        }
        #expect((\Thing.size)._kvcKeyPathString == nil)
        KeyPathNames.register([\Thing.size: "size"])
        #expect((\Thing.size)._kvcKeyPathString == "size")
        #expect(NSExpression(forKeyPath: \Thing.size).keyPath == "size")
        #expect(NSSortDescriptor(keyPath: \Thing.size, ascending: true).key == "size")
    }

    @Test func `an unknown function or key path stops with a message`() async {
        await #expect(processExitsWith: .failure) {
            _ = NSExpression(forFunction: "bogus:", arguments: [])
        }
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "a = = 1")
        }
        await #expect(processExitsWith: .failure) {
            _ = NSExpression(format: "FUNCTION('a', 'bogus:', 1)").expressionValue(with: nil, context: nil)
        }
        await #expect(processExitsWith: .failure) {
            _ = NSExpression(forKeyPath: \String.count)
        }
    }
}
