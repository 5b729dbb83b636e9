// Every bound of this package in one place, each with its reason.

export const LIMITS = {
  /** Of one session: npm opens 15 at once, a crawler hundreds. More are reset. */
  sessionConnections: 256,
  /** Of all sessions together: two descriptors each, and 1,024 of them is what many systems start with twice over. */
  serverConnections: 1024,
  /** What a stream may hold before its source is not read any more. */
  bufferedBytes: 256 * 1024,
  /** A question that fits a datagram without extensions. */
  dnsBytes: 512,
  /** Per second and session; the rest is dropped, and resolvers ask again. */
  dnsPerSecond: 200,
  /** Names with an address at once: beyond, the longest unused is taken. */
  names: 4096,
  /** A program may keep an address that it was told: only one unused for this long is given to another name. */
  nameReuseMs: 60_000,
  /** A resolver may ask again after this. */
  ttlSeconds: 5,
  resolveMs: 5000,
  /** Over all addresses that are tried. */
  connectMs: 10_000,
  connectAddresses: 3,
  /** A ClientHello, across records and segments. */
  helloBytes: 16 * 1024,
  helloMs: 10_000,
  idleMs: 10 * 60_000,
  halfOpenMs: 5 * 60_000,
  rememberedRefusals: 1000,
  openQuestions: 8,
  gateStartMs: 5000,
  /** Connections of calls that are over are cut after this. */
  cutAfterCallMs: 1000,
  /** The same refusal again within this is counted, not written. */
  sameRefusalMs: 10_000,
  resultLines: 10,
} as const;

/** A test may wait less. */
export type Limits = { readonly [name in keyof typeof LIMITS]: number };
