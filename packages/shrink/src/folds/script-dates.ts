// Dates as JavaScript prints them in UTC, which spends half of its words on the time zone.
//
//   [bosun:dates]
//   created: 2026-11-15 19:27:15        was: Sun Nov 15 2026 19:27:15 GMT+0000 (Coordinated Universal Time)
import type { Fold } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const DAYS = "Sun Mon Tue Wed Thu Fri Sat".split(" ");
const ZONE = " GMT+0000 (Coordinated Universal Time)";
const LONG =
  /\b[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT\+0000 \(Coordinated Universal Time\)(?!\w)/g;
const SHORT = /\b(\d{4})-(\d{2})-(\d{2}) (\d{2}:\d{2}:\d{2})\b/g;

export const scriptDates: Fold = {
  name: "dates",
  fold(text) {
    // A date that is short already would come back long.
    if (!text.includes(ZONE) || text.search(SHORT) >= 0) return undefined;
    const body = text.replace(LONG, (found: string, month: string, day: string, year: string, time: string) => {
      const number = String(MONTHS.indexOf(month) + 1).padStart(2, "0");
      // A day that no calendar has, or with the name of another, stays.
      return longDate(year, number, day, time) === found ? `${year}-${number}-${day} ${time}` : found;
    });
    return { text: withMark(this.name, "", body) };
  },
  unfold({ text }) {
    const { body = "" } = readMark(text) ?? {};
    return body.replace(SHORT, (_, year: string, month: string, day: string, time: string) =>
      longDate(year, month, day, time),
    );
  },
};

function longDate(year: string, month: string, day: string, time: string): string {
  const weekday = DAYS[new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDay()] ?? "";
  return `${weekday} ${MONTHS[Number(month) - 1] ?? ""} ${day} ${year} ${time}${ZONE}`;
}
