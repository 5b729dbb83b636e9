// What an exit code says to a script; the same for every way the program is used.

export const EXIT = {
  answered: 0,
  model: 1,
  usage: 2,
  /** A call was refused because nobody could approve it. */
  unapproved: 3,
  limit: 4,
  server: 5,
  time: 6,
  hangup: 129,
  interrupted: 130,
  terminated: 143,
} as const;
