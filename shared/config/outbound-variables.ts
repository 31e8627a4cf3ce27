/** Environment variables that say what calls to the outside may reach beside public addresses. */
export const outboundVariables = {
  /** Networks with a comma between, as `10.1.0.0/16`. */
  networks: 'ANTICHAIN_OUTBOUND_NETWORKS',
  /** `1`: plain http is as good as https. */
  plain: 'ANTICHAIN_OUTBOUND_PLAIN',
} as const
