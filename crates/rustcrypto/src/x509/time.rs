//! Certificate times: `UTCTime` until 2049, `GeneralizedTime` from 2050 (RFC 5280 section 4.1.2.5).

use super::der::{self, GENERALIZED_TIME, Tlv, UTC_TIME};
use crate::{Error, Result};

/// Last second that `GeneralizedTime` can carry: 9999-12-31 23:59:59.
const LAST: i64 = 253_402_300_799;

/// Days since 1970-01-01 of a proleptic Gregorian date.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month, day of days since 1970-01-01.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// `2026-11-30 20:50:26 UTC`
pub(crate) fn readable(unix: i64) -> String {
    let (year, month, day) = civil_from_days(unix.div_euclid(86_400));
    let second = unix.rem_euclid(86_400);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", second / 3600, second / 60 % 60, second % 60)
}

/// The DER element of a time; INVALID outside 1950..=9999.
pub(crate) fn encode(unix: i64) -> Result<Vec<u8>> {
    let (year, month, day) = civil_from_days(unix.div_euclid(86_400));
    let second = unix.rem_euclid(86_400);
    if year < 1950 || unix > LAST {
        return Err(Error::InvalidArgument("a certificate time lies outside 1950 to 9999"));
    }
    let rest = format!("{month:02}{day:02}{:02}{:02}{:02}Z", second / 3600, second / 60 % 60, second % 60);
    Ok(if year < 2050 {
        der::tlv(UTC_TIME, format!("{:02}{rest}", year % 100).as_bytes())
    } else {
        der::tlv(GENERALIZED_TIME, format!("{year:04}{rest}").as_bytes())
    })
}

/// Unix seconds of a time element.
pub(crate) fn decode(element: &Tlv<'_>) -> Result<i64> {
    let text = element.value;
    let number = |from: usize, len: usize| -> Result<i64> {
        let digits = text.get(from..from + len).ok_or_else(der::malformed)?;
        digits.iter().try_fold(0, |n, d| match d {
            b'0'..=b'9' => Ok(n * 10 + i64::from(d - b'0')),
            _ => Err(der::malformed()),
        })
    };
    let (year, at) = match (element.tag, text.len()) {
        (UTC_TIME, 13) => (number(0, 2).map(|y| if y < 50 { 2000 + y } else { 1900 + y })?, 2),
        (GENERALIZED_TIME, 15) => (number(0, 4)?, 4),
        _ => return Err(der::malformed()),
    };
    let (month, day) = (number(at, 2)?, number(at + 2, 2)?);
    let (hour, minute, second) = (number(at + 4, 2)?, number(at + 6, 2)?, number(at + 8, 2)?);
    if text.last() != Some(&b'Z') || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return Err(der::malformed());
    }
    Ok(days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::x509::der::Reader;

    #[test]
    fn both_forms_round_trip_around_2050() {
        // 2049-12-31 23:59:59 and the second after; leap days; the last time there is.
        for (unix, tag) in [
            (0, UTC_TIME),
            (951_782_400, UTC_TIME),
            (2_524_607_999, UTC_TIME),
            (2_524_608_000, GENERALIZED_TIME),
            (LAST, GENERALIZED_TIME),
        ] {
            let der = encode(unix).unwrap();
            assert_eq!(der[0], tag, "{unix}");
            assert_eq!(decode(&Reader::new(&der).any().unwrap()).unwrap(), unix);
        }
        assert!(encode(LAST + 1).is_err());
        assert_eq!(readable(2_524_607_999), "2049-12-31 23:59:59 UTC");
        assert_eq!(readable(951_782_400), "2000-02-29 00:00:00 UTC");
    }

    #[test]
    fn broken_times_are_errors() {
        for (tag, text) in
            [(UTC_TIME, "2601010000Z"), (UTC_TIME, "26130100000AZ"), (GENERALIZED_TIME, "20260101000000+")]
        {
            let der = der::tlv(tag, text.as_bytes());
            assert!(decode(&Reader::new(&der).any().unwrap()).is_err(), "{text}");
        }
    }
}
