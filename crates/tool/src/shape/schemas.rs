//! The schemas in `docs/schema` are generated from the types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use super::{
    answer, certificate, comparison, diagnostic, event, model, request, specification, tests, typing,
};

/// Each shape with the name of its schema.
fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("answer", written::<answer::Answer>()),
        ("comparison", written::<comparison::Comparison>()),
        ("certificate", written::<certificate::Certificate>()),
        ("diagnostics", written::<diagnostic::Diagnostics>()),
        ("model", written::<model::Model>()),
        ("nested-model", written::<model::NestedModel>()),
        ("tests", written::<tests::Tests>()),
        ("typing", written::<typing::Typing>()),
        ("enclosure", written::<typing::Enclosure>()),
        ("specification", read::<specification::Specification>()),
        ("picture", written::<model::Picture>()),
        ("request", read::<request::Ask>()),
        ("event", written::<event::Event>()),
        ("menu", read::<request::Menu>()),
        ("listed", written::<event::Listed>()),
        ("about", written::<event::About>()),
    ]
}

/// The schema of data that agon writes: fields with defaults are required.
fn written<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// The schema of data that agon reads: fields with defaults are optional.
fn read<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>()
}

#[test]
fn schemas_are_up_to_date() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let mut names = Vec::new();
    for (name, schema) in schemas() {
        let path = folder.join(format!("{name}.json"));
        let text = super::pretty(&schema);
        if std::env::var_os("AGON_WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, &text).expect("a schema can be written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(kept, text, "{name}.json is out of date: AGON_WRITE_SCHEMAS=1 writes it");
        names.push(format!("{name}.json"));
    }
    for entry in std::fs::read_dir(folder).expect("there are schemas") {
        let file = entry.expect("schemas can be listed").file_name();
        assert!(names.iter().any(|name| file == **name), "{file:?} is the schema of nothing");
    }
}
