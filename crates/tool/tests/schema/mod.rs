//! Validation of data by the schemas in `docs/schema`.

use std::path::Path;

use agon::shape;
use jsonschema::Validator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The schema of a shape.
pub fn schema(name: &str) -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{name}.json"));
    let text = std::fs::read_to_string(path).expect("there is a schema");
    let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
    jsonschema::validator_for(&schema).expect("a schema is one")
}

/// Validates a value and reads it as its type. The type must write the same value again.
#[track_caller]
pub fn read<T: Serialize + DeserializeOwned>(schema: &Validator, value: &Value, what: &str) -> T {
    let wrong: Vec<String> =
        schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{what} is not valid: {wrong:#?}\n{value:#}");
    let data: T = serde_json::from_value(value.clone())
        .unwrap_or_else(|error| panic!("{what} cannot be read: {error}\n{value:#}"));
    assert_eq!(shape::value(&data), *value, "{what}: a field is lost");
    data
}
