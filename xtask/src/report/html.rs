//! report.html: one file, no scripts, nothing loaded from elsewhere.

use std::fmt::Write;

use super::charts::{COLOURS, bars, escape};
use super::markdown::{difference, methods};
use super::{Measure, figure, sections};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;margin:.5rem 0}\
td,th{padding:.2rem .7rem;border-bottom:1px solid #ddd;text-align:right}td:first-child,th:first-child{text-align:left}\
.best{font-weight:600}.key{display:inline-block;margin-right:1.2rem}.key i{display:inline-block;width:.8em;height:.8em;margin-right:.4em}\
svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#222}svg .none{fill:#777}.note{color:#555}";

pub(super) fn render(measures: &[Measure]) -> String {
    let names: Vec<String> = measures.iter().map(Measure::label).collect();
    let target = measures.first().map_or("", |m| m.target.as_str());
    let mut text = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{0}: TLS libraries measured</title><style>{STYLE}</style></head><body><h1>{0}: {1}</h1>",
        escape(target),
        escape(&names.join(", "))
    );
    for line in methods(measures) {
        let _ = write!(text, "<p class=\"note\">{}</p>", escape(&line));
    }
    text.push_str("<p>");
    for (i, name) in names.iter().enumerate() {
        let _ = write!(
            text,
            "<span class=\"key\"><i style=\"background:{}\"></i>{}</span>",
            COLOURS[i % COLOURS.len()],
            escape(name)
        );
    }
    text.push_str("</p>");
    for section in sections(measures) {
        let _ = write!(text, "<h2>{} ({})</h2>", section.title, section.unit);
        // Times of different operations lie decades apart: each row has its own scale there.
        text.push_str(&bars(&section, &names, section.unit == "ms"));
        let head = names.iter().map(|name| escape(name)).collect::<Vec<_>>().join("</th><th>");
        let _ = write!(text, "<details><summary>Figures</summary><table><tr><th></th><th>{head}</th></tr>");
        for (label, values) in &section.rows {
            let best = values.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let cells: String = values
                .iter()
                .map(|value| match value {
                    None => "<td>-</td>".to_owned(),
                    Some(v) if *v <= best => format!("<td class=\"best\">{}</td>", figure(*v, section.unit)),
                    Some(v) => format!("<td>{}</td>", figure(*v, section.unit)),
                })
                .collect();
            let _ = write!(text, "<tr><td>{}</td>{cells}</tr>", escape(label));
        }
        text.push_str("</table></details>");
    }
    if let [first, others @ ..] = measures
        && !others.is_empty()
    {
        text.push_str("<h2>What differs in size</h2><ul>");
        for other in others {
            let line = format!("{} against {}: {}", first.label(), other.label(), difference(first, other));
            let _ = write!(text, "<li>{}</li>", escape(&line));
        }
        text.push_str("</ul>");
    }
    text.push_str("<h2>TLS libraries and what was not measured</h2><ul>");
    for measure in measures {
        let _ =
            write!(text, "<li>{}: contains {}", escape(&measure.label()), escape(&measure.tls_libraries.join(", ")));
        for (scenario, reason) in &measure.absent {
            let _ = write!(text, "<br><span class=\"note\">{}: {}</span>", escape(scenario), escape(reason));
        }
        text.push_str("</li>");
    }
    text.push_str("</ul></body></html>\n");
    text
}
