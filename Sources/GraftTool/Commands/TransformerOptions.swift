// What the caller says of the transformers that a model names, in the commands that read or write JSON by it.

import ArgumentParser

/// `--transformer NAME=RULE`.
struct TransformerOptions: ParsableArguments {
    @Option(
        name: .customLong("transformer"), parsing: .singleValue,
        help: ArgumentHelp(
            "What a transformer does that the model names: \(TransformerRule.allForms). Can be repeated.",
            valueName: "name=rule"))
    var texts: [String] = []

    func validate() throws { try ModelTransformers.check(texts) }
}
