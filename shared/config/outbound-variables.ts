/** Environment variables that allow outbound calls to more than public https addresses. */
export const outboundVariables = {
  /** Comma-separated networks, such as `10.1.0.0/16`. */
  allowedNetworks: 'ANTICHAIN_OUTBOUND_NETWORKS',
  /** `1` allows plain http as well as https. */
  plainHttp: 'ANTICHAIN_OUTBOUND_PLAIN',
} as const
