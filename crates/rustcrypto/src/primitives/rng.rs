//! Random bytes from the operating system, and from nowhere else.

use crate::{Error, Result};

/// Fill `out`, or fail: a caller never sees predictable bytes.
pub fn fill(out: &mut [u8]) -> Result<()> {
    #[cfg(test)]
    if fault::FAIL.get() {
        return Err(Error::Entropy);
    }
    getrandom::fill(out).map_err(|_| Error::Entropy)
}

/// `N` random bytes.
pub fn array<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
pub(crate) mod fault {
    //! Make the entropy source fail on this thread, to see that callers pass the error on.
    use std::cell::Cell;

    thread_local!(pub(super) static FAIL: Cell<bool> = const { Cell::new(false) });

    /// Run `f` while [`super::fill`] fails.
    pub(crate) fn without_entropy<T>(f: impl FnOnce() -> T) -> T {
        FAIL.set(true);
        let result = f();
        FAIL.set(false);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_all_and_differs() {
        let (a, b) = (array::<64>().unwrap(), array::<64>().unwrap());
        assert_ne!(a, b);
        assert!(a.iter().any(|&byte| byte != 0));
    }

    #[test]
    fn a_failing_source_is_an_error() {
        assert_eq!(fault::without_entropy(|| fill(&mut [0; 8])), Err(Error::Entropy));
        assert_eq!(fill(&mut [0; 8]), Ok(()));
    }
}
