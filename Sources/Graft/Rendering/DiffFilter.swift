// What looks for objects on the page of a diff: a search, filters by entity and kind, and the number of what is shown. The page's
// policy allows this one script by its hash. Where none runs, the kinds still work by style, and the rest isn't there.

/// The controls of a diff's page, and what they do.
enum DiffFilter {
    /// The controls; `style` is that of a kind's objects, `word` what people read.
    static func html(entities: [(anchor: String, name: String)], kinds: [(style: String, word: String)]) -> String {
        let options = entities.map { "<option value=\"\($0.anchor)\">\($0.name)</option>" }.joined()
        let boxes = kinds.map {
            "<label><input type=\"checkbox\" id=\"show-\($0.style)\" checked> \($0.word)</label> "
        }.joined()
        return """
            <div class="filters" role="search" aria-label="Differences">
            <label class="scripted" hidden>Search <input type="search" id="words" autocomplete="off" spellcheck="false"></label>
            <label class="scripted" hidden>Entity <select id="entity"><option value="">all</option>\(options)</select></label>
            <fieldset class="kinds"><legend>Show</legend>\(boxes)</fieldset>
            <span class="scripted" id="count" role="status" hidden></span>
            </div>

            """
    }

    /// Shows the objects that have all words of the search, in names or values, and are of the entity and the kinds wanted.
    static let script = HTMLPage.Script(
        text: """
            "use strict";
            const part = id => document.getElementById(id);
            const objects = [...document.querySelectorAll(".object")];
            const kinds = ["inserted", "changed", "deleted"];
            const plain = text => text.normalize().toLowerCase();
            let texts = null;
            // What a search looks into; made when there is the first.
            const textOf = object => plain([...object.querySelectorAll(".key, tbody th, tbody td")]
              .map(cell => cell.textContent).join("\\n"));
            const update = () => {
              const words = plain(part("words").value).split(/\\s+/).filter(word => word);
              if (words.length > 0) texts ??= objects.map(textOf);
              const entity = part("entity").value;
              const wanted = kinds.filter(kind => part("show-" + kind).checked);
              const filled = new Set();
              let count = 0;
              objects.forEach((object, index) => {
                const isShown = (!entity || object.parentElement.id === entity)
                  && wanted.some(kind => object.classList.contains(kind))
                  && words.every(word => texts[index].includes(word));
                object.hidden = !isShown;
                if (!isShown) return;
                count += 1;
                filled.add(object.parentElement);
              });
              for (const group of document.querySelectorAll(".entity")) group.hidden = !filled.has(group);
              part("count").textContent = count + " of " + objects.length + " shown";
            };
            for (const control of document.querySelectorAll(".scripted")) control.hidden = false;
            document.querySelector(".filters").addEventListener("input", update);
            // A browser may have kept what was typed when the page was left.
            addEventListener("pageshow", update);
            """,
        hash: "sha256-V2tRkoIPIrh5e/UJGCvuwJjzwlWkOYUCqstOx9HwQCk=")

    static let style = """
        .filters { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center;
          margin-top: 1rem; padding: .5rem 0; background: var(--page); border-bottom: 1px solid var(--line); }
        .filters input[type=search], .filters select { font: inherit; color: inherit; background: var(--box);
          border: 1px solid var(--quiet); border-radius: 4px; padding: .15rem .4rem; max-width: 100%; }
        .filters input[type=search] { width: 10rem; }
        .filters .kinds { margin: 0; } #count { color: var(--quiet); font-variant-numeric: tabular-nums; }
        .filters :focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
        [hidden] { display: none !important; }
        html { scroll-padding-top: 4rem; }
        @media (max-width: 40rem) { .filters { position: static; } html { scroll-padding-top: 0; } }
        """
}
