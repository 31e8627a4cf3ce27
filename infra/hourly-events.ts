/**
 * The events with which schedules of an installation call functions every hour. Compaction removes
 * old records and finds stuck deployments. The scaler finds messages that wait for tasks.
 */
export const hourlyEvents = {
  compaction: { kind: 'tidy' },
  scaler: { kind: 'check' },
} as const
