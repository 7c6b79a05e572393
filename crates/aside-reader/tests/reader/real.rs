//! Checks against fixtures that were made with other programs, on the merged file that ASIDE_TEST_READER names.

use std::path::Path;
use std::sync::Arc;

use aside_reader::model::Model;
use aside_reader::search::Reader;
use serde_json::Value;

fn real() -> Option<Arc<Model>> {
    let path = std::env::var_os("ASIDE_TEST_READER")?;
    Some(Arc::new(Model::open(Path::new(&path)).unwrap()))
}

#[test]
fn texts_are_encoded_as_the_tokenizers_package_does() {
    let Some(model) = real() else { return };
    let cases: Value = serde_json::from_str(include_str!("encodings.json")).unwrap();
    for case in cases.as_array().unwrap() {
        let text = case["text"].as_str().unwrap();
        let expected: Vec<u32> = serde_json::from_value(case["tokens"].clone()).unwrap();
        assert_eq!(model.tokenizer().encode(text), expected, "{text:?}");
        assert_eq!(model.tokenizer().decode(&expected), case["decoded"].as_str().unwrap());
    }
}

/// Rounding differs between implementations, and each of thirty layers rounds its inputs again.
#[test]
fn logits_agree_with_those_of_numpy() {
    let Some(model) = real() else { return };
    let mut reader = Reader::new(model, 2);
    let cases: Value = serde_json::from_str(include_str!("logits.json")).unwrap();
    let (mut count, mut equal, mut difference) = (0, 0, 0.0);
    for case in cases.as_array().unwrap() {
        let logits = reader.logits(case["text"].as_str().unwrap()).unwrap();
        let positions = case["top"].as_array().unwrap();
        assert_eq!(logits.len(), positions.len());
        for (logits, top) in logits.iter().zip(positions) {
            let top: Vec<(usize, f32)> = serde_json::from_value(top.clone()).unwrap();
            let largest = (0..logits.len()).max_by(|one, other| logits[*one].total_cmp(&logits[*other])).unwrap();
            equal += usize::from(largest == top[0].0);
            for (token, expected) in top {
                count += 1;
                difference += (logits[token] - expected).abs();
                assert!((logits[token] - expected).abs() < 2.0, "{token}: {} is not {expected}", logits[token]);
            }
        }
    }
    let mean = difference / count as f32;
    assert!(mean < 0.15, "{mean}");
    assert!(equal * 8 >= count * 95 / 100, "{equal} of {}", count / 8);
}
