/** Limits of a query over the stacks of a store. */
export const queryLimits = {
  /** Length of the SQL text. */
  sqlCharsMax: 10_000,
  /** Time for the load of the tables and for the query together. */
  timeMs: 20_000,
  /** Rows and characters of a result. The result ends with the last complete row. */
  resultRowsMax: 10_000,
  resultCharsMax: 4_000_000,
  /** Rows that are loaded into the tables. */
  loadedRowsMax: 2_000_000,
  /** Length of a loaded value. Longer texts are cut. */
  valueCharsMax: 8_000,
  /** Memory of the process that runs the query, and the interval of its checks. */
  memoryBytesMax: 512 * 1024 * 1024,
  memoryCheckMs: 50,
  /** Newest deployments of each stack in the table `deployments`. */
  deploymentsPerStack: 1_000,
  /**
   * Newest deployments of each stack that the table `steps` contains. The table `drift` contains
   * the same number of deployments that may have found drift.
   */
  stepDeploymentsPerStack: 20,
  /**
   * Newest runs that a schedule records. The table `drift` contains the same runs, each with at
   * most `driftEventsPerRun` events.
   */
  recentRunsPerSchedule: 20,
  driftEventsPerRun: 50_000,
  /** Queries that one process runs at a time. */
  runningMax: 2,
} as const
