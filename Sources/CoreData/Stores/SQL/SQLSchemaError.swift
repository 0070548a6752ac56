// What can be wrong with a model or with the tables of a file, before any row is touched.

import Foundation

/// A model that has no tables, or tables that don't fit a model.
package struct SQLSchemaError: Error, Equatable, CustomStringConvertible {
    package enum Problem: Equatable {
        /// A property that Core Data's layout has no column for.
        case unstorable(property: String, reason: String)
        /// A relationship that leads out of the store's configuration.
        case outsideConfiguration(relationship: String, destination: String, configuration: String)
        case noEntities(configuration: String?)
        /// An index or derived attribute that can't be expressed in SQL here.
        case unsupported(what: String, reason: String)
        /// What the model needs and a file lacks; each a phrase such as `column ZHERO.ZNAME (Hero.name)`.
        case missing([String])
    }

    package var problem: Problem

    package init(_ problem: Problem) { self.problem = problem }

    package var description: String {
        switch problem {
        case .unstorable(let property, let reason):
            "\(property) can't be stored in a SQLite store: \(reason)."
        case .outsideConfiguration(let relationship, let destination, let configuration):
            "\(relationship) leads to entity '\(destination)', which isn't in configuration '\(configuration)' of the "
                + "model. Relationships can't leave a store: add '\(destination)' to the configuration."
        case .noEntities(let configuration?):
            "The model has no entities in configuration '\(configuration)', so there is nothing to store."
        case .noEntities(nil):
            "The model has no entities, so there is nothing to store."
        case .unsupported(let what, let reason):
            "\(what) can't be created in a SQLite store: \(reason)."
        case .missing(let differences):
            "The tables of the store don't fit the model. Missing: \(differences.joined(separator: "; ")). "
                + "Open the store with the model that it was saved with, or migrate it."
        }
    }
}
