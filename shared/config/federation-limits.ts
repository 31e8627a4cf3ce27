/** Limits of federation: its rules, the tokens of issuers, and the keys of issuers. */
export const federationLimits = {
  /** Conditions per rule, length of a pattern, and length of a claim that can match a pattern. */
  conditionsMax: 20,
  patternCharsMax: 200,
  claimCharsMax: 500,
  /** Lifetime of a token that a rule grants: the minimum, the default, and the maximum. */
  lifetimeSecondsMin: 60,
  lifetimeSecondsDefault: 3_600,
  lifetimeSecondsMax: 12 * 3_600,
  /** Size of the request for an exchange. Tokens of CI systems have about 2 KB. */
  exchangeBytesMax: 16 * 1024,
  /** Allowed clock difference between an issuer and this installation. */
  clockToleranceSeconds: 30,
  /** Time for which a process keeps the keys of an issuer, and the number of such issuers. */
  keyCacheMs: 3_600_000,
  issuersMax: 100,
  /** Shortest time between two requests for the keys of an issuer because of an unknown key. */
  unknownKeyRetryMs: 60_000,
  /** Shortest time between two requests for the keys of an issuer that does not respond. */
  failedIssuerRetryMs: 5_000,
  /** Size and timeout of a response of an issuer. */
  issuerBytesMax: 128 * 1024,
  issuerTimeoutMs: 5_000,
} as const
