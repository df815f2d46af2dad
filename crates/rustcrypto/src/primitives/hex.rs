//! Constants written as the standards print them.

/// Bytes of a hexadecimal literal.
pub(crate) const fn hex<const N: usize>(text: &str) -> [u8; N] {
    let text = text.as_bytes();
    assert!(text.len() == 2 * N);
    let mut out = [0; N];
    let mut i = 0;
    while i < 2 * N {
        let digit = match text[i] {
            c @ b'0'..=b'9' => c - b'0',
            c @ b'a'..=b'f' => c - b'a' + 10,
            _ => panic!("not a hexadecimal digit"),
        };
        out[i / 2] = out[i / 2] << 4 | digit;
        i += 1;
    }
    out
}
