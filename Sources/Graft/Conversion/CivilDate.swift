// Days and calendar dates in the Gregorian calendar, continued backwards without end as ISO 8601 has it. No calendar, zone
// or locale of the device takes part. The arithmetic is Howard Hinnant's "chrono-compatible low-level date algorithms".

/// A calendar date.
struct CivilDate: Equatable {
    var year: Int64
    var month: Int
    var day: Int

    init(year: Int64, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date of a day, counted from 2001-01-01.
    init(daysSince2001 days: Int64) {
        let shifted = days + Self.daysFromMarchZeroTo2001
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day of this date, counted from 2001-01-01. Years are below 10^12.
    var daysSince2001: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - Self.daysFromMarchZeroTo2001
    }

    /// Whether there is such a day.
    var exists: Bool { (1...12).contains(month) && day >= 1 && day <= Self.days(in: month, of: year) }

    static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(in month: Int, of year: Int64) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 0000-03-01 to 2001-01-01.
    private static let daysFromMarchZeroTo2001: Int64 = 730_791
}
